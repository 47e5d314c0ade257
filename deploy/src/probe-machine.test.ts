import { FarmError } from "@warpfarm/common";
import { expect, test } from "vitest";
import { processorFinding, sandboxFinding } from "./probe-machine.ts";

test("doctor tells a machine with a sandbox, one without, and one that did not answer apart", () => {
  const landlock = { landlock: 7, seccomp: true, missing: ["no bwrap on the path"] };
  expect(sandboxFinding(landlock)).toEqual({
    name: "sandbox",
    state: "ok",
    detail: "compilers and CPU kernels are kept in Landlock 7, seccomp (no bwrap on the path)",
  });
  expect(sandboxFinding({ landlock: 0, seccomp: false, missing: ["no Landlock"] })).toMatchObject({
    state: "absent",
    detail: "none (no Landlock)",
    advice: expect.stringMatching(/builders refuse CUDA text.*runners serve other machines only with --no-sandbox/),
  });
  const killed = new FarmError("UNAVAILABLE", "the kernel's probe failed 4 times, last: it was ended by SIGKILL");
  expect(sandboxFinding(killed)).toMatchObject({
    state: "missing",
    detail: killed.message,
    advice: expect.stringContaining("--no-sandbox"),
  });
});

test("doctor names the flags for want of which a processor is of a lower level, and how to override that", () => {
  const v1 = ["cmov", "cx8", "fpu", "fxsr", "mmx", "sse", "sse2"];
  const v2 = [...v1, "cx16", "lahf_lm", "popcnt", "pni", "sse4_1", "sse4_2", "ssse3"];
  const v3 = [...v2, "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"];
  const v4 = [...v3, "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"];
  const without = (...flags: string[]) => new Set(v3.filter((flag) => !flags.includes(flag)));
  expect(processorFinding(without("movbe"), undefined)).toEqual({
    name: "CPU kind",
    state: "ok",
    detail: "cpu/x86-64-v2; it is not x86-64-v3, because /proc/cpuinfo lacks movbe",
    advice: "if the processor has it, as under some hypervisors, WARPFARM_CPU_LEVEL=3 overrides the level, for runners too",
  });
  expect(processorFinding(without("movbe", "abm"), undefined).advice).toContain("has them");
  expect(processorFinding(without("movbe"), 3).detail).toBe(
    "cpu/x86-64-v3, as WARPFARM_CPU_LEVEL says; by its flags it is x86-64-v2",
  );
  expect(processorFinding(without(), 3).detail).toBe("cpu/x86-64-v3, as WARPFARM_CPU_LEVEL says");
  // All of AVX-512 is missing on most desktops; one part of it is not.
  expect(processorFinding(without(), undefined)).toEqual({ name: "CPU kind", state: "ok", detail: "cpu/x86-64-v3" });
  const knl = new Set(v4.filter((flag) => flag !== "avx512vl"));
  expect(processorFinding(knl, undefined)).toMatchObject({
    detail: expect.stringContaining("lacks avx512vl"),
    advice: expect.stringContaining("=4"),
  });
  expect(processorFinding(new Set(v4), undefined).detail).toBe("cpu/x86-64-v4");
});
