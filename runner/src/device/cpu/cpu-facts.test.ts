import { describe, expect, test } from "vitest";
import { deviceKind } from "../index.ts";
import { cgroupCpus, describeCpu, hostFlags, hostUuid, missingForNext, parseFlags, statedLevel, x86Level } from "./cpu-facts.ts";

// Flags lines as Linux prints them, cut to the relevant flags and a few others.
const core2 = "fpu vme de pse tsc msr cx8 sep mtrr cmov mmx fxsr sse sse2 ht syscall lm pni ssse3 cx16 sse4_1 lahf_lm";
const nehalem = `${core2} sse4_2 popcnt`;
const haswell = `${nehalem} fma movbe xsave avx f16c abm bmi1 avx2 bmi2`;
const skylakeServer = `${haswell} avx512f avx512dq avx512cd avx512bw avx512vl`;

describe("levels of the x86-64 psABI", () => {
  test.each([
    ["Core 2 (no SSE4.2, no popcnt)", core2, 1],
    ["Nehalem", nehalem, 2],
    ["Haswell", haswell, 3],
    ["Haswell without FMA (a virtual machine)", haswell.replace(" fma", ""), 2],
    ["Skylake server", skylakeServer, 4],
    ["Knights Landing (AVX-512F and CD alone)", `${haswell} avx512f avx512cd`, 3],
  ])("%s", (_, flags, level) => {
    expect(x86Level(parseFlags(`processor\t: 0\nflags\t\t: ${flags}\nbugs\t\t: \n`))).toBe(level);
  });
  test.each([
    [haswell.replace(" fma", ""), { level: 3, flags: ["fma"] }],
    [haswell.replace(" abm", "").replace(" avx2", ""), { level: 3, flags: ["avx2", "abm"] }],
    [haswell, { level: 4, flags: ["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"] }],
    // What a higher level has does not help.
    [`${core2} avx2 avx512f`, { level: 2, flags: ["popcnt", "sse4_2"] }],
    [skylakeServer, undefined],
  ])("%s lacks for the next level: %j", (flags, missing) => {
    expect(missingForNext(parseFlags(`flags\t\t: ${flags}\n`))).toEqual(missing);
  });
  test("a stated level is the key, and what is no level is refused", () => {
    expect(["1", "4", "", undefined].map(statedLevel)).toEqual([1, 4, undefined, undefined]);
    // The child that measures describes the processor too.
    expect(deviceKind("cpu").environment).toContain("WARPFARM_CPU_LEVEL");
    for (const text of ["0", "5", "v3", "3 "]) expect(() => statedLevel(text)).toThrow("WARPFARM_CPU_LEVEL is");
    if (process.arch === "x64") {
      expect(describeCpu(1, { WARPFARM_CPU_LEVEL: "1" }).facts.key).toBe("cpu/x86-64-v1");
      expect(describeCpu(1, {}).facts.key).toBe(`cpu/x86-64-v${x86Level(hostFlags())}`);
    }
  });
  test("less than level 1 is refused", () => {
    expect(() => x86Level(new Set(["fpu"]))).toThrow("x86-64-v1");
  });
});

test("a control group's share bounds the threads", () => {
  expect(cgroupCpus("200000 100000\n")).toBe(2);
  expect(cgroupCpus("50000 100000")).toBe(1);
  expect(cgroupCpus("max 100000")).toBe(Number.POSITIVE_INFINITY);
  expect(cgroupCpus("")).toBe(Number.POSITIVE_INFINITY);
});

test("the host's id is a stable UUID, another for another host", () => {
  const id = hostUuid("abc", "node-1");
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(hostUuid("abc", "node-1")).toBe(id);
  expect(hostUuid("abc", "node-2")).not.toBe(id);
});

test("this machine has a key and a name", () => {
  const { facts, limits, memoryBytes } = describeCpu(2);
  expect(facts.key).toMatch(/^cpu\//);
  expect(facts.name).not.toBe("");
  expect(limits).toEqual({ threads: 2 });
  expect(memoryBytes).toBeGreaterThan(2 ** 28);
});
