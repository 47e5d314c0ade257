/** Builds one program on this machine without a farm, with the builder's own executor and cache, for the duration of one call. */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildPtx, openLocalBuilder } from "@warpfarm/builder";
import { cudaHomes } from "@warpfarm/builder/toolchains";
import type { BuiltHere, CliContext } from "@warpfarm/client/cli";
import { type Bundle, type Clock, defined, FarmError, type ProgramBytes, parseDebug } from "@warpfarm/common";

interface BuildHereOptions {
  readonly timeoutMs: number;
  readonly cacheDir: string;
  readonly env: CliContext["env"];
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly bundles?: readonly Bundle[];
  readonly module?: string;
  readonly form?: "ptx";
}

/** Throws FarmError FAILED_PRECONDITION with one sentence when there is no compiler. */
export async function buildHere(
  program: ProgramBytes,
  { timeoutMs, cacheDir, env, clock, signal, bundles = [], module, form }: BuildHereOptions,
): Promise<BuiltHere> {
  const searchPath = env.PATH ?? "/usr/bin:/bin";
  if (form === "ptx") {
    const begin = clock.monotonic();
    const built = await buildPtx(program, { searchPath, cudaHomes: cudaHomes(env), timeoutMs });
    const buildMs = clock.monotonic() - begin;
    if (built.kind === "built") return { ...built, buildMs };
    return { kind: "failed", result: { ...built, buildMs, runMs: 0, timestampMs: clock.now(), attempt: 1 } };
  }
  await using builder = await openLocalBuilder({
    ...defined({ module }),
    slots: 1,
    searchPath,
    clock,
    cudaHomes: cudaHomes(env),
    cacheDirectory: join(cacheDir, "builder"),
    fromNetwork: false,
    fetchBundle: async (digest) => {
      const found = bundles.find((bundle) => bundle.digest === digest);
      if (!found) throw new FarmError("NOT_FOUND", `nobody gave the bundle ${digest}`);
      return found.bytes;
    },
    lockDirectory: env.XDG_RUNTIME_DIR || tmpdir(),
    debug: { options: parseDebug(env), write: (line) => process.stderr.write(`${line}\n`) },
  });
  const built = await builder.executor.build({ program, timeoutMs }, { signal });
  if (built.kind === "failed") return built;
  const { manifest, code } = built.artifact;
  return { kind: "built", manifest, code, buildMs: built.buildMs };
}
