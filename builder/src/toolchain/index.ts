/** The compilers of this machine. A new kind of toolchain is a file and a line in each of the two functions. */
import { assertNever, err, type Result } from "@warpfarm/common";
import { Cc, findCc } from "./cc.ts";
import { filesOf } from "./cuda/find-libraries.ts";
import { findNvcc, NvccToolchain } from "./cuda/nvcc.ts";
import { findNvrtc, openNvrtcToolchain } from "./cuda/nvrtc.ts";
import type { Toolchain, ToolchainFacts } from "./toolchain.ts";

export interface Found {
  readonly toolchains: readonly ToolchainFacts[];
  /** For what was not found: a sentence each. */
  readonly missing: readonly string[];
}

/** `path` is the search path for commands, `temporary` a directory for a trial compile, `cudaHomes` what CUDA_HOME and CUDA_PATH say. */
export async function findToolchains(path: string, temporary: string, cudaHomes: readonly string[] = []): Promise<Found> {
  const toolchains: ToolchainFacts[] = [];
  const missing: string[] = [];
  const cc = await findCc(path, temporary);
  if (cc.kind === "found") toolchains.push(cc.facts);
  else missing.push(cc.why);
  const cuda = await findCudaToolchain(path, temporary, cudaHomes);
  if (cuda.ok) toolchains.push(cuda.value);
  else missing.push(cuda.error);
  return { toolchains, missing };
}

/** The compiler for CUDA text. nvcc is the fallback: it is looked for when there is no NVRTC. The error is a sentence on both. */
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
  switch (facts.kind) {
    case "cc":
      return new Cc(facts);
    case "nvrtc":
      return openNvrtcToolchain(facts);
    case "nvcc":
      return new NvccToolchain(facts);
    default:
      return assertNever(facts.kind);
  }
}
