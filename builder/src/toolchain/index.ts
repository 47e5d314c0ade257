import { badInput, err, ok, Registry, type Result } from "@warpfarm/common";
import { Cc, findCc } from "./cc.ts";
import { filesOf } from "./cuda/find-libraries.ts";
import { findNvcc, NvccToolchain } from "./cuda/nvcc.ts";
import { findNvrtc, openNvrtcToolchain } from "./cuda/nvrtc.ts";
import { findPtxas, PtxasToolchain } from "./cuda/ptxas.ts";
import type { Toolchain, ToolchainFacts } from "./toolchain.ts";

export { cudaHomes } from "./cuda/find-libraries.ts";

export interface Found {
  readonly toolchains: readonly ToolchainFacts[];
  readonly missing: readonly string[];
}

/**
 * Where compilers are searched for: the search path for commands, a directory for a trial compile, the values of CUDA_HOME and
 * CUDA_PATH.
 */
export interface Places {
  readonly path: string;
  readonly temporary: string;
  readonly cudaHomes: readonly string[];
}

interface BackendToolchains {
  readonly find: (places: Places) => Promise<Result<ToolchainFacts, string>>;
  readonly findOther?: (places: Places, first: ToolchainFacts) => Promise<Result<ToolchainFacts, string>>;
  /** Another compiler of the same language, for programs that ask for it. It may be missing. */
  readonly findByChoice?: (places: Places, first: ToolchainFacts) => Promise<Result<ToolchainFacts, string>>;
  readonly open: Readonly<Record<string, (facts: ToolchainFacts) => Toolchain>>;
}

export const toolchains = new Registry<BackendToolchains>("toolchain for the backend", {
  cpu: {
    find: async ({ path, temporary }) => {
      const cc = await findCc(path, temporary);
      return cc.kind === "found" ? ok(cc.facts) : err(cc.why);
    },
    open: { cc: (facts) => new Cc(facts) },
  },
  cuda: {
    find: ({ path, temporary, cudaHomes }) => findCudaToolchain(path, temporary, cudaHomes),
    findOther: ({ path, temporary, cudaHomes }, { targets }) =>
      findPtxas(path, { homes: cudaHomes, list: filesOf }, temporary, targets),
    findByChoice: async ({ path, temporary, cudaHomes }, { kind, id }) =>
      kind === "nvcc" ? err(`${id} is the first`) : findNvcc(path, { homes: cudaHomes, list: filesOf }, temporary),
    open: {
      nvrtc: openNvrtcToolchain,
      nvcc: (facts) => new NvccToolchain(facts),
      ptxas: (facts) => new PtxasToolchain(facts),
    },
  },
});

export async function findToolchains(path: string, temporary: string, cudaHomes: readonly string[] = []): Promise<Found> {
  const facts: ToolchainFacts[] = [];
  const missing: string[] = [];
  const places = { path, temporary, cudaHomes };
  for (const { find, findOther, findByChoice } of toolchains.all) {
    const first = await find(places);
    const other = first.ok ? await findOther?.(places, first.value) : undefined;
    for (const found of [first, ...(other ? [other] : [])])
      if (found.ok) facts.push(found.value);
      else missing.push(found.error);
    const choice = first.ok ? await findByChoice?.(places, first.value) : undefined;
    if (choice?.ok) facts.push(choice.value);
  }
  return { toolchains: facts, missing };
}

/** The compiler for CUDA text: NVRTC, or else nvcc. The error is a sentence on both. */
export async function findCudaToolchain(
  path: string,
  temporary: string,
  cudaHomes: readonly string[] = [],
): Promise<Result<ToolchainFacts, string>> {
  const places = { homes: cudaHomes, list: filesOf };
  const nvrtc = findNvrtc(path, places);
  if (nvrtc.ok) return nvrtc;
  const nvcc = await findNvcc(path, places, temporary);
  return nvcc.ok ? nvcc : err(`${nvrtc.error}; ${nvcc.error}`);
}

export function openToolchain(facts: ToolchainFacts): Toolchain {
  const openers = new Map(toolchains.all.flatMap(({ open }) => Object.entries(open)));
  const open = openers.get(facts.kind);
  if (open) return open(facts);
  throw badInput(`toolchain ${JSON.stringify(facts.kind)} is not known; known are ${[...openers.keys()].join(", ")}`);
}
