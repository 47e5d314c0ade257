import { expect, it } from "vitest";
import { compiledOf } from "./compile-cuda.ts";
import { notesOf, readPtxasReport, withoutReport } from "./ptxas-report.ts";

// Taken from the compilers' own output: NVRTC 13.0, and the older wording.
const nvrtc13 = `kernel.cu(3): warning #177-D: variable "x" was declared but never referenced
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'a' for 'sm_90'
ptxas info    : Function properties for a
ptxas         .     1024 bytes stack frame, 1288 bytes spill stores, 1310 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 1024 bytes cumulative stack size, 400 bytes smem
ptxas info    : Compile time = 3.242 ms
ptxas info    : Compiling entry function 'b' for 'sm_90'
ptxas info    : Function properties for b
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 168 registers, used 1 barriers, 16 bytes smem, 360 bytes cmem[0]
`;
const nvcc11 = `ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'k' for 'sm_75'
ptxas info    : Function properties for k
    0 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads
ptxas info    : Used 10 registers, 49152+0 bytes smem, 368 bytes cmem[0]
`;

it("reads the most of each resource over all kernels", () => {
  expect(readPtxasReport(nvrtc13)).toEqual({ registers: 168, spill_bytes: 1310, static_shared_bytes: 400 });
  expect(readPtxasReport(nvcc11)).toEqual({ registers: 10, spill_bytes: 8, static_shared_bytes: 49_152 });
  expect(readPtxasReport("")).toEqual({ registers: 0, spill_bytes: 0, static_shared_bytes: 0 });
});

// Taken from ptxas 13.0 and from its documentation of wgmma.
const losses = `ptxas warning : Value of threads per SM for entry k is out of range. .minnctapersm will be ignored
ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to non wgmma instructions in the function 'k'
ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' ignored to maintain minimum register requirements.
`;

it("notes spilt registers and what was lost or left out, each once", () => {
  expect(notesOf(nvrtc13).map(({ rule, message }) => [rule, message.slice(0, 32)])).toEqual([
    ["ptxas.spills", "a spills 1310 bytes per thread f"],
  ]);
  expect(notesOf(losses + losses).map(({ rule }) => rule)).toEqual(["launch_bounds.ignored", "ptxas.C7510", "ptxas.C7508"]);
  expect(notesOf(losses)[1]?.message).toContain("wgmma.mma_async instructions are serialized");
  expect(notesOf(nvrtc13.replace("1288", "0").replace("1310", "0"))).toEqual([]);
});

it("leaves people what the compiler said to them", () => {
  expect(withoutReport(nvrtc13)).toBe('kernel.cu(3): warning #177-D: variable "x" was declared but never referenced');
  expect(withoutReport(nvcc11)).toBe("");
  const error = "ptxas error   : Entry function 'k' uses too much shared data (0x13880 bytes, 0xc000 max)";
  expect(withoutReport(`${nvcc11} ${error}`)).toBe(error);
});

it.each([
  ["ptxas error   : Entry function 'k' uses too much shared data (0x13880 bytes, 0xc000 max)", "ptxas.resources"],
  ["ptxas error   : Entry function 'k' uses too much local data (0x80010 bytes, 0x80000 max)", "ptxas.resources"],
  [
    "ptxas error   : Formal parameter space overflowed (uses too much parameter space, 0x1200 bytes, 0x1000 max)",
    "ptxas.resources",
  ],
  ["ptxas fatal   : (C7600) too many resources requested for launch", "ptxas.resources"],
  ["ptxas fatal   : Ptx assembly aborted due to errors", "ptxas"],
  ["kernel.cu(3): error: identifier 'x' is undefined", "front_end"],
])("%s: the rule is %s", (log, rule) => {
  expect(compiledOf({ log }, {}, { clientText: "all", broughtByClient: false })).toMatchObject({ ok: false, rule, message: log });
});
