/** Builds one program on this machine, without a farm: the builder's own executor, cache and all, for the length of one call. */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cudaHomes, openLocalBuilder } from "@warpfarm/builder";
import type { BuiltHere, CliContext } from "@warpfarm/client/cli";
import { type ProgramBytes, parseDebug } from "@warpfarm/common";

export interface BuildHereOptions {
  readonly timeoutMs: number;
  readonly cacheDir: string;
  readonly env: CliContext["env"];
  readonly signal: AbortSignal;
}

/** Throws FarmError FAILED_PRECONDITION in one sentence when there is no compiler. */
export async function buildHere(
  program: ProgramBytes,
  { timeoutMs, cacheDir, env, signal }: BuildHereOptions,
): Promise<BuiltHere> {
  await using builder = await openLocalBuilder({
    slots: 1,
    searchPath: env.PATH ?? "/usr/bin:/bin",
    cudaHomes: cudaHomes(env),
    cacheDirectory: join(cacheDir, "builder"),
    fromNetwork: false,
    lockDirectory: env.XDG_RUNTIME_DIR || tmpdir(),
    debug: { options: parseDebug(env), write: (line) => process.stderr.write(`${line}\n`) },
  });
  const built = await builder.executor.build({ program, timeoutMs }, { signal });
  if (built.kind === "failed") return built;
  const { manifest, code } = built.artifact;
  return { kind: "built", manifest, code, buildMs: built.buildMs };
}
