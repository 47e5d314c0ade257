/** What a child on the host's processor may read: the code of its job, the node's own kernels, and facts of the processor. */
import { copyFile, link, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type NewId, randomId } from "@warpfarm/common";
import { HostLock, type Sandbox } from "@warpfarm/common/process";
import type { ChildSettings, LocalArtifact, PairedRequest } from "./messages.ts";

export interface CpuSandbox extends Pick<Sandbox, "layers" | "koffi" | "directory"> {
  readonly directory: string;
  readonly newId?: NewId;
}

const ownFolder = fileURLToPath(new URL("../../own", import.meta.url));

const nodesThreads = 64;

/** It writes nothing. */
export function sandboxOf({ layers, koffi, directory }: CpuSandbox, settings: ChildSettings): Sandbox {
  const { ownCode, lockDirectory, threads } = settings;
  const own = ownCode === undefined ? [ownFolder] : [ownFolder, dirname(ownCode)];
  const { paths, stamp } = HostLock.files(lockDirectory);
  const places = { directory, readable: [...own, "/etc/machine-id", ...paths], writable: [] };
  return { layers, koffi, contents: "kernels", processes: nodesThreads + threads, ...places, stamp };
}

interface Staged extends AsyncDisposable {
  readonly code: {
    readonly artifact: LocalArtifact;
    readonly reference?: LocalArtifact;
    readonly paired?: PairedRequest;
  };
}

/**
 * The code at a path that the child may read, until disposed: a link in its folder, or the path itself without a folder. A second
 * link takes no space, so a cache that fills its disk still works. Where links are impossible, the code is copied.
 */
export async function stage(
  sandbox: CpuSandbox | undefined,
  artifact: LocalArtifact,
  reference: LocalArtifact | undefined,
  paired?: PairedRequest,
): Promise<Staged> {
  const newId = sandbox?.newId ?? randomId;
  const named: string[] = [];
  const put = async (from: LocalArtifact): Promise<LocalArtifact> => {
    if (sandbox === undefined) return from;
    const codePath = join(sandbox.directory, `${newId()}.so`);
    named.push(codePath);
    await link(from.codePath, codePath).catch(() => copyFile(from.codePath, codePath));
    return { ...from, codePath };
  };
  const dispose = async (): Promise<void> => void (await Promise.all(named.map((path) => rm(path, { force: true }))));
  try {
    const code = {
      artifact: await put(artifact),
      ...(reference === undefined ? {} : { reference: await put(reference) }),
      ...(paired === undefined ? {} : { paired: { ...paired, others: [] as LocalArtifact[] } }),
    };
    // One by one: what is still being copied when another fails would be left behind.
    for (const other of paired?.others ?? []) code.paired?.others.push(await put(other));
    return { code, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}
