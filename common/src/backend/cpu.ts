/** Processors: the levels of x86-64, each of which runs the code of all lower ones, and arm64. */
import type { Backend } from "./backend.ts";

const x86: ReadonlySet<string> = new Set(["x86-64"]);
const arm: ReadonlySet<string> = new Set(["arm64"]);
const x86Levels = [1, 2, 3, 4];
const armLevel = 8;

const familyOf = ({ features }: { readonly features: ReadonlySet<string> }): string => [...features].join();

export const cpu: Backend = {
  keyWords: ["cpu/x86-64-v1 to v4", "cpu/arm64"],
  targetWords: ["cpu/x86-64-v1 to v4", "cpu/arm64"],
  atLeastExample: "cpu/x86-64-v2+",
  read: (name) => {
    if (name === "arm64") return { level: armLevel, features: arm };
    const level = /^x86-64-v([1-4])$/.exec(name)?.[1];
    return level === undefined ? undefined : { level: Number(level), features: x86 };
  },
  write: ({ level, features }) => (features.has("arm64") ? "arm64" : `x86-64-v${level}`),
  deviceOf: (target) => target,
  familyOf,
  runsOn: (target, device) => familyOf(target) === familyOf(device) && target.level <= device.level,
  targetsOn: (device) =>
    device.features.has("arm64")
      ? [device]
      : x86Levels.filter((level) => level <= device.level).map((level) => ({ ...device, level })),
  devices: "one",
  timers: ["wall"],
  minRepeatMs: 20,
  burst: { mostMs: 25, idleMs: 0 },
  takesText: false,
  compilerAdvice:
    "install a C compiler (Debian: apt-get install gcc libc6-dev), or give --tracker host:port of a farm that has one",
  tvm: {
    write: (name) => (name === "arm64" ? "llvm -keys=arm_cpu,cpu -mtriple=aarch64-linux-gnu" : `llvm -keys=cpu -mcpu=${name}`),
    read: (first, option) =>
      first !== "llvm" ? undefined : /^(aarch64|arm64)/.test(option("mtriple") ?? "") ? "arm64" : option("mcpu"),
  },
};
