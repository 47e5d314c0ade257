/**
 * NVIDIA GPUs. A device's level is ten times its compute capability. Code for `sm_90a` may use what only this capability
 * promises. A cubin of either name runs on that capability and on no other.
 */
import type { Backend } from "./backend.ts";

/** The first capability that has a name with `a`. */
const firstSpecific = 90;
const plain: ReadonlySet<string> = new Set();
const specific: ReadonlySet<string> = new Set(["a"]);

export const cuda: Backend = {
  keyWords: ["cuda/sm_NN"],
  targetWords: ["cuda/sm_NN", "cuda/sm_NNa"],
  atLeastExample: "cuda/sm_80+",
  read: (name) => {
    const match = /^sm_(\d{2,3})(a?)$/.exec(name);
    if (match === null) return undefined;
    const level = Number(match[1]);
    if (match[2] === "") return { level, features: plain };
    return level < firstSpecific ? undefined : { level, features: specific };
  },
  write: ({ level, features }) => `sm_${level}${features.has("a") ? "a" : ""}`,
  deviceOf: (target) => ({ ...target, features: plain }),
  familyOf: () => "sm",
  runsOn: (target, device) => target.level === device.level,
  targetsOn: (device) => (device.level < firstSpecific ? [device] : [device, { ...device, features: specific }]),
  usualTarget: "cuda/sm_90",
  devices: "numbered",
  timers: ["cuda_graph", "events"],
  minRepeatMs: 100,
  burst: { mostMs: 5, idleMs: 5 },
  takesText: true,
  compilerAdvice: "install NVRTC or nvcc",
  tvm: {
    write: (name) => `cuda -keys=cuda,gpu -arch=${name} -max_num_threads=1024 -thread_warp_size=32`,
    read: (first, option) => (first === "cuda" ? option("arch") : undefined),
  },
};
