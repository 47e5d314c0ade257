/**
 * Facts of this host's processor: the match key by the micro-architecture levels of the x86-64 psABI (section 3.1.1, "Processor
 * Architecture", table of levels), name, threads, memory, and an id that survives restarts.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { arch, availableParallelism, cpus, hostname, release, totalmem } from "node:os";
import { badInput, FarmError } from "@warpfarm/common";
import type { DeviceDescription } from "../device-api.ts";

/** Flags as in /proc/cpuinfo, by the lowest level that has them. */
const levels: readonly (readonly string[])[] = [
  ["cmov", "cx8", "fpu", "fxsr", "mmx", "sse", "sse2"],
  ["cx16", "lahf_lm", "popcnt", "pni", "sse4_1", "sse4_2", "ssse3"],
  ["avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"],
  ["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"],
];

/** The highest level whose flags, and those of all lower levels, are present. Throws FarmError when not even level 1's are. */
export function x86Level(flags: ReadonlySet<string>): number {
  const lacking = levels.findIndex((level) => level.some((flag) => !flags.has(flag)));
  const level = lacking === -1 ? levels.length : lacking;
  if (level === 0)
    throw new FarmError("FAILED_PRECONDITION", "this processor lacks flags of x86-64-v1; the farm measures x86-64 and arm64");
  return level;
}

/** The next level, and its flags that are missing; undefined at the highest. */
export function missingForNext(
  flags: ReadonlySet<string>,
): { readonly level: number; readonly flags: readonly string[] } | undefined {
  const level = x86Level(flags);
  const missing = levels[level]?.filter((flag) => !flags.has(flag));
  return missing && { level: level + 1, flags: missing };
}

/** The level that a person vouches for, because the system hides flags that the processor has. */
export function statedLevel(text: string | undefined): number | undefined {
  if (text === undefined || text === "") return undefined;
  if (!/^[1-4]$/.test(text))
    throw badInput(`WARPFARM_CPU_LEVEL is ${JSON.stringify(text)}; it takes 1, 2, 3 or 4, a level of x86-64`);
  return Number(text);
}

export const hostFlags = (): ReadonlySet<string> => parseFlags(textOf("/proc/cpuinfo"));

export function parseFlags(cpuinfo: string): ReadonlySet<string> {
  return new Set(/^flags\s*:\s*(.*)$/m.exec(cpuinfo)?.[1]?.split(" ") ?? []);
}

/** CPUs that a control group may use, from cgroup v2's cpu.max ("200000 100000" = 2); Infinity without a limit. */
export function cgroupCpus(cpuMax: string): number {
  const [, quota, period] = /^(\d+) (\d+)/.exec(cpuMax) ?? [];
  return quota === undefined ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(Number(quota) / Number(period)));
}

/** The default threads of a kernel: those that the scheduler and the control group allow this process. */
export const defaultThreads = (): number => Math.min(availableParallelism(), cgroupCpus(textOf("/sys/fs/cgroup/cpu.max")));

export function describeCpu(threads: number, env = process.env): DeviceDescription {
  const machine = arch();
  if (machine !== "x64" && machine !== "arm64")
    throw new FarmError("FAILED_PRECONDITION", `this processor is ${machine}; the farm measures x86-64 and arm64`);
  const key = machine === "arm64" ? "cpu/arm64" : `cpu/x86-64-v${statedLevel(env.WARPFARM_CPU_LEVEL) ?? x86Level(hostFlags())}`;
  return {
    facts: {
      key,
      name: cpus()[0]?.model.replace(/\s+/g, " ").trim() || machine,
      uuid: hostUuid(textOf("/etc/machine-id").trim(), hostname()),
      driver: `${process.platform} ${release()}`,
    },
    memoryBytes: totalmem(),
    limits: { threads },
  };
}

/** An RFC 9562 version 8 UUID. Containers of one image share a machine id, so the host's name is part of it. */
export function hostUuid(machineId: string, host: string): string {
  const hex = createHash("sha256").update(`warpfarm cpu ${machineId} ${host}`).digest("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join("-");
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
