import { describe, expect, it } from "vitest";
import { type ConvConfig, convGraph, published, resnetConv, scheduleA } from "../test/programs.testing.ts";
import { compileProgram, lowerProgram } from "./compile.ts";
import { createSchedule } from "./schedule/schedule.ts";
import type { LoopRef } from "./schedule/state.ts";
import type { ScheduleProgram } from "./serial/program.ts";
import { decodeProgram, encodeProgram } from "./serial/program.ts";
import { compute, placeholder, reduceAxis, sum } from "./te/compute.ts";
import { at } from "./te/expr.ts";
import { graphOf } from "./te/graph-of.ts";

const graph = convGraph(resnetConv);
const program = (config: ConvConfig, target = "cuda/sm_90"): ScheduleProgram => ({
  version: 1,
  kind: "schedule",
  target,
  graph,
  trace: scheduleA(graph, config).trace,
});
const good = program(published);

describe("compileProgram", () => {
  it("gives the same text from a program and from its bytes", () => {
    const decoded = decodeProgram(encodeProgram(graph, good.trace, good.target).bytes);
    if (!decoded.ok) throw new Error(decoded.error.message);
    const [direct, travelled] = [compileProgram(good), compileProgram(decoded.value)];
    expect(direct.ok).toBe(true);
    expect(travelled).toEqual(direct);
  });
  it("puts remarks and the trace at the head, as comments whatever they hold", () => {
    const made = compileProgram(good, { remarks: ["digest sha256:0", "a line\nthat breaks \\"] });
    const head = made.ok ? made.value.text.split("\n").slice(0, 4) : [];
    expect(head).toEqual([
      "// cuda/sm_90. Written by Warpfarm.",
      "// digest sha256:0",
      "// a line?that breaks ",
      "//   compute_inline s0",
    ]);
  });
  it("names the rule and the phase of a refusal", () => {
    expect(
      compileProgram({ ...good, trace: [{ op: "split", in: ["l99"], args: { factors: [null, 2] }, out: [] }] }),
    ).toMatchObject({
      ok: false,
      error: { errorNo: 1, rule: expect.any(String) },
    });
    const step = { op: "split", in: ["l0"], args: { factors: [null, 1] }, out: ["l11", "l12"] };
    expect(compileProgram({ ...good, trace: new Array(1001).fill(step) })).toMatchObject({
      ok: false,
      error: { errorNo: 1, rule: "trace.length", message: expect.stringMatching(/1001 steps; at most 1000/) },
    });
    expect(compileProgram(program({ ...published, rc: [1, 512] }))).toMatchObject({
      ok: false,
      error: { errorNo: 1, rule: "gpu.shared_bytes", message: expect.stringContaining("232448") },
    });
    expect(compileProgram(program(published, "cpu/x86-64-v3"))).toMatchObject({
      ok: false,
      error: { errorNo: 2, rule: "device.bound", message: expect.stringContaining("parallel") },
    });
  });
  it("launches a kernel that asks for it cooperatively, and no other", () => {
    const kernel = { entry: "k", grid: [2, 1, 1], block: [32, 1, 1], shared_bytes: 0, cluster: [1, 1, 1] } as const;
    const made = compileProgram({
      version: 1,
      kind: "ptx",
      target: "cuda/sm_90",
      text: "",
      kernels: [kernel, { ...kernel, cooperative: true }],
      flags: [],
      args: [{ name: "x", dtype: "float32", shape: [4], role: "out", fill: "zeros" }],
    });
    expect(made.ok && made.value.kernels.map(({ attributes }) => attributes)).toEqual([undefined, [{ kind: "cooperative" }]]);
  });
  it("passes CUDA source through with its launches and buffers", () => {
    const made = compileProgram({
      version: 1,
      kind: "cuda_source",
      target: "cuda/sm_90",
      files: { "a.cuh": "", "k.cu": 'extern "C" __global__ void k(float *x) {}' },
      kernels: [{ entry: "k", grid: [2, 1, 1], block: [32, 1, 1], shared_bytes: 16, cluster: [1, 1, 1] }],
      defines: {},
      flags: [],
      args: [
        { name: "x", dtype: "float32", shape: [4, 4], role: "in", fill: "random" },
        { name: "sum", dtype: "float32", shape: [4], role: "inout", fill: "zeros" },
      ],
    });
    expect(made).toEqual({
      ok: true,
      value: {
        language: "cuda",
        text: 'extern "C" __global__ void k(float *x) {}',
        kernels: [
          { name: "k", grid: [2, 1, 1], block: [32, 1, 1], dynamic_shared_bytes: 16, cluster: [1, 1, 1], args: ["x", "sum"] },
        ],
        buffers: [
          { name: "x", dtype: "float32", shape: [4, 4], bytes: 64, align: 64, role: "in", reduction: 1 },
          { name: "sum", dtype: "float32", shape: [4], bytes: 16, align: 64, role: "inout", reduction: 1, fill: "zeros" },
        ],
        notes: [],
      },
    });
  });
});

describe("the manifest's names", () => {
  const legal = /^[A-Za-z_]\w{0,63}$/;
  /** A sum over k, factored twice at the root. Its partial sums are workspaces named for their stages. */
  function factored(name: string, target: string): ScheduleProgram {
    const a = placeholder("a", [8, 16]);
    const k = reduceAxis("k", 16);
    const sums = graphOf(
      [a, placeholder(`${name.slice(0, 61)}_rf`, [1])],
      [compute(name, [["i", 8]], (i) => sum(at(a, i, k.loopVar), [k]))],
    );
    const schedule = createSchedule(sums);
    for (const factor of [8, 2]) {
      const stage = schedule.stage(schedule.state.stages.at(-1)?.name ?? "");
      const [, inner] = schedule.split(schedule.reduceAxes(stage)[0] as LoopRef, [null, factor]);
      schedule.rfactor(inner as LoopRef, 0);
    }
    return { version: 1, kind: "schedule", target, graph: sums, trace: schedule.trace };
  }
  it.each(["cuda/sm_90", "cpu/x86-64-v3"])("%s: workspaces named for their stages are legal, and tell apart", (target) => {
    for (const name of ["sums", "s".repeat(64)]) {
      const made = compileProgram(factored(name, target));
      if (!made.ok) throw new Error(made.error.message);
      const { buffers, kernels } = made.value;
      const names = buffers.map((buffer) => buffer.name);
      const workspaces = buffers.filter(({ role }) => role === "workspace");
      expect(workspaces.length).toBeGreaterThanOrEqual(2);
      expect(new Set(names).size).toBe(names.length);
      for (const word of [...names, ...kernels.map((kernel) => kernel.name)]) expect(word).toMatch(legal);
      for (const { args } of kernels) for (const arg of args) expect(names).toContain(arg);
      for (const { name: kernel } of kernels) expect(made.value.text).toContain(` ${kernel}(`);
    }
  });
});

describe("lowerProgram", () => {
  const text = (options: Parameters<typeof lowerProgram>[1]): string => {
    const made = lowerProgram(good, options);
    return made.ok ? made.value : made.error.message;
  };
  it("replays up to the last step of a primitive, by either spelling", () => {
    const steps = text({ emit: "trace", until: "compute_at" }).trim().split("\n");
    expect(JSON.parse(steps.at(-1) ?? "").op).toBe("compute_at");
    expect(steps).toHaveLength(good.trace.findLastIndex((step) => step.op === "compute_at") + 1);
    expect(text({ emit: "trace", until: "computeAt" })).toBe(`${steps.join("\n")}\n`);
    const early = text({ emit: "ir", until: "cacheRead" });
    expect(early).toContain("stage pad_temp.shared:");
    expect(early).not.toContain("bind");
  });
  it("shows the nest, and the function after a pass", () => {
    expect(text({ emit: "ir" })).toContain("for f.1 in 2 bind vthread:");
    expect(text({ emit: "ir", after: "insert-barriers" }).match(/barrier/g)).toHaveLength(2);
  });
  it("prints launches as lines of JSON", () => {
    const lines = text({ emit: "launch" })
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.map((line) => line.kernel?.block ?? line.buffers.length)).toEqual([[7, 1, 64], 3]);
  });
  it("refuses the other language and an unknown primitive, saying what there is", () => {
    expect(text({ emit: "cuda" })).toContain("__global__");
    expect(text({ emit: "c" })).toMatch(/printed as cuda, not as c/);
    expect(text({ emit: "ir", until: "parallel" })).toMatch(/no step "parallel"; it has compute_inline, cache_write/);
  });
});
