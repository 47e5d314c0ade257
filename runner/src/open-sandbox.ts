import { rm } from "node:fs/promises";
import { FarmError } from "@warpfarm/common";
import { confines, describeLayers, findLayers, type Layers, makeWorkDirectory } from "@warpfarm/common/process";
import type { CredentialFiles } from "@warpfarm/proto";
import { mayServeOthers, type TrackerAddress } from "@warpfarm/worker";
import type { CpuSandbox } from "./worker/confine.ts";

interface OpenSandboxOptions extends CredentialFiles {
  readonly tracker: TrackerAddress;
  readonly withoutSandbox?: boolean;
  /** The child's folder is made next to the cache: not every temporary directory allows loading code. */
  readonly cacheDirectory: string;
  readonly searchPath: string;
  /** Unset: those that are found here. */
  readonly layers?: Layers;
}

interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

const consequence = "kernels can read and change what this user can";

/**
 * Undefined without a sandbox, if that was asked for. Throws FAILED_PRECONDITION when this machine has none and kernels come from
 * other machines, and UNAVAILABLE when the sandbox cannot be examined.
 */
export async function openSandbox(options: OpenSandboxOptions, log: Log): Promise<(CpuSandbox & AsyncDisposable) | undefined> {
  const { tracker, withoutSandbox = false, cacheDirectory, searchPath } = options;
  if (withoutSandbox) {
    log.warn({}, `--no-sandbox: ${consequence}`);
    return undefined;
  }
  const koffi = import.meta.resolve("koffi");
  const layers = options.layers ?? (await findLayers({ koffi, searchPath }));
  const { missing } = layers;
  if (confines(layers)) log.info({ sandbox: describeLayers(layers), missing }, "runs kernels in a sandbox");
  else if (mayServeOthers(tracker, options))
    throw new FarmError(
      "FAILED_PRECONDITION",
      `this machine has no sandbox for kernels (${missing.join("; ")}), and the tracker ${tracker} may have clients on other machines, whose ${consequence}; --no-sandbox serves it all the same`,
    );
  else log.warn({ missing }, `no sandbox for kernels: ${consequence}`);
  const directory = await makeWorkDirectory(cacheDirectory, "runner");
  return { layers, koffi, directory, [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }) };
}
