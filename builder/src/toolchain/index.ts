/** The compilers of this machine. A new kind of toolchain is a file and a line in each of the two functions. */
import { assertNever } from "@warpfarm/common";
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

/**
 * `path` is the search path for commands, `temporary` a directory for a trial compile, `cudaHomes` what CUDA_HOME and CUDA_PATH say. nvcc is
 * the fallback: it is looked for when there is no NVRTC.
 */
export async function findToolchains(path: string, temporary: string, cudaHomes: readonly string[] = []): Promise<Found> {
  const toolchains: ToolchainFacts[] = [];
  const missing: string[] = [];
  const cc = await findCc(path, temporary);
  if (cc.kind === "found") toolchains.push(cc.facts);
  else missing.push(cc.why);
  const places = { homes: cudaHomes, list: filesOf };
  const nvrtc = findNvrtc(path, places);
  const nvcc = nvrtc.ok ? undefined : await findNvcc(path, places, temporary);
  if (nvrtc.ok) toolchains.push(nvrtc.value);
  else if (nvcc?.ok) toolchains.push(nvcc.value);
  else missing.push(`${nvrtc.error}; ${nvcc?.error}`);
  return { toolchains, missing };
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
