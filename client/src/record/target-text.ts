/** Build targets in TVM's words and back, so that TVM's own tools take our log lines and we take its. */
import { isTarget } from "@warpfarm/common";

/** `cuda/sm_90` -> TVM 0.17's canonical text; CPU levels become -mcpu. */
export function autotvmTarget(target: string): string {
  const [backend, key] = target.split("/");
  if (backend === "cuda") return `cuda -keys=cuda,gpu -arch=${key} -max_num_threads=1024 -thread_warp_size=32`;
  return key === "arm64" ? "llvm -keys=arm_cpu,cpu -mtriple=aarch64-linux-gnu" : `llvm -keys=cpu -mcpu=${key}`;
}

/** The build target a TVM target text means; undefined when it names no architecture of ours. */
export function targetOfAutotvm(text: string): string | undefined {
  const words = text.trim().split(/\s+/);
  const option = (name: string) => words.find((w) => w.startsWith(`-${name}=`))?.slice(name.length + 2);
  const target =
    words[0] === "cuda"
      ? `cuda/${option("arch")}`
      : option("mtriple")?.startsWith("aarch64")
        ? "cpu/arm64"
        : `cpu/${option("mcpu")}`;
  return isTarget(target) ? target : undefined;
}
