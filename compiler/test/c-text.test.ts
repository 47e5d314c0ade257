/** This machine's compiler compiles C text. The results are compared with loops written by hand or with the interpreter. */
import { execFileSync } from "node:child_process";
import type { DType } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { some } from "../../test-support/campaign.ts";
import { needs } from "../../test-support/needs.ts";
import { assemblyOf, runC } from "../../test-support/run-c.ts";
import { compileProgram } from "../src/compile.ts";
import { evaluate } from "../src/interp/evaluate.ts";
import type { Buffer } from "../src/ir/buffer.ts";
import { createData, roundTo, type TensorData } from "../src/ir/numeric.ts";
import { createSchedule, type Schedule } from "../src/schedule/schedule.ts";
import type { LoopRef } from "../src/schedule/state.ts";
import { defaultSchedule } from "../src/target/default-schedule.ts";
import type { DeviceText } from "../src/target/index.ts";
import { compute, maxOf, placeholder, reduceAxis, sum } from "../src/te/compute.ts";
import * as te from "../src/te/expr.ts";
import type { Graph } from "../src/te/graph.ts";
import { graphOf } from "../src/te/graph-of.ts";
import { type ConvSize, convGraph, packedConvGraph, resnetConv, schedulePacked } from "./programs.testing.ts";

const textOf = (schedule: Schedule, target = "cpu/x86-64-v1"): DeviceText => {
  const made = compileProgram({ version: 1, kind: "schedule", target, graph: schedule.graph, trace: schedule.trace });
  if (!made.ok) throw new Error(made.error.message);
  return made.value;
};

/** Whole numbers of either sign, exact in every type. */
function numbers(dtype: DType, length: number, seed: number): TensorData {
  const unsigned = dtype === "uint8";
  return createData(dtype, length).map((_: number, i: number) => ((i * 37 + seed * 11) % 23) - (unsigned ? 0 : 11)) as TensorData;
}
const inputsOf = (graph: Graph): Map<string, TensorData> =>
  new Map(
    graph.inputs.map((b, seed) => [
      b.name,
      numbers(
        b.dtype,
        b.shape.reduce((x, y) => x * y, 1),
        seed + 1,
      ),
    ]),
  );

/** Program A's convolution, by hand: seven loops, nothing of ours. */
function convByHand(c: ConvSize, data: TensorData, kernel: TensorData): Float32Array {
  const out = Math.floor((c.size + 2 * c.padding - c.kernel) / c.stride) + 1;
  const result = new Float32Array(c.outChannels * out * out);
  for (let f = 0; f < c.outChannels; f++)
    for (let y = 0; y < out; y++)
      for (let x = 0; x < out; x++) {
        let sum = 0;
        for (let rc = 0; rc < c.inChannels; rc++)
          for (let ry = 0; ry < c.kernel; ry++)
            for (let rx = 0; rx < c.kernel; rx++) {
              const [py, px] = [y * c.stride + ry - c.padding, x * c.stride + rx - c.padding];
              if (py < 0 || py >= c.size || px < 0 || px >= c.size) continue;
              const weight = kernel[((f * c.inChannels + rc) * c.kernel + ry) * c.kernel + rx] as number;
              sum += (data[(rc * c.size + py) * c.size + px] as number) * weight;
            }
        result[(f * out + y) * out + x] = sum;
      }
  return result;
}

describe("convolutions", () => {
  const small: ConvSize = { batch: 1, size: 9, inChannels: 5, outChannels: 32, kernel: 3, stride: 2, padding: 1 };
  const check = (schedule: Schedule) => {
    const inputs = inputsOf(schedule.graph);
    const got = runC(textOf(schedule), inputs).get("conv");
    expect(got).toEqual(convByHand(small, inputs.get("data") as TensorData, inputs.get("kernel") as TensorData));
  };
  it("the default schedule computes it", (ctx) => {
    needs(ctx, "cc");
    check(defaultSchedule(convGraph(small), "cpu/x86-64-v1"));
  });
  it("packed, vectorized, with accumulators in registers", (ctx) => {
    needs(ctx, "cc");
    check(schedulePacked(packedConvGraph(small, 16), 5));
  });
  it("with splits that do not divide, guards around vectors, and parallel loops collapsed", (ctx) => {
    needs(ctx, "cc");
    const schedule = createSchedule(convGraph(small));
    const conv = schedule.stage("conv");
    const [, f, y, x] = schedule.axes(conv) as [LoopRef, LoopRef, LoopRef, LoopRef];
    const [fo, fi] = schedule.split(f, [null, 5]) as [LoopRef, LoopRef];
    const [yo, yi] = schedule.split(y, [null, 2]) as [LoopRef, LoopRef];
    const [xo, xi] = schedule.split(x, [null, 4]) as [LoopRef, LoopRef];
    schedule.reorder([fo, yo, xo, fi, yi, xi]);
    schedule.parallel(fo);
    schedule.parallel(yo);
    schedule.vectorize(xi);
    const padded = schedule.stage("pad_temp");
    schedule.computeAt(padded, conv, yo);
    schedule.vectorize(schedule.axes(padded).at(-1) as LoopRef);
    const text = textOf(schedule);
    expect(text.text).toContain("collapse(2)");
    check(schedule);
  });

  it("keeps 7, 14 and 28 accumulators in registers, with fused multiply-add (gcc)", (ctx) => {
    needs(ctx, "cc");
    if (!/gcc|Free Software/i.test(execFileSync("cc", ["--version"], { encoding: "utf8" }))) ctx.skip("cc is not gcc");
    const kernels = [
      ["x86-64-v3", 8, 7, 7, "ymm"],
      ["x86-64-v4", 32, 7, 14, "zmm"],
      ["x86-64-v4", 32, 14, 28, "zmm"],
    ] as const;
    for (const [level, block, size, count, register] of some<(typeof kernels)[number]>(kernels, 0, 2)) {
      const graph = packedConvGraph({ ...resnetConv, size }, block);
      const assembly = assemblyOf(textOf(schedulePacked(graph, size), `cpu/${level}`), level);
      const accumulations = assembly.match(new RegExp(`vfmadd\\d+ps\\t.*%${register}`, "g")) ?? [];
      expect(accumulations.length).toBeGreaterThanOrEqual(count);
      // One or two vectors may wait on the stack; an accumulator array in memory would be stored there at every step.
      const spills = assembly.match(new RegExp(`vmov[au]ps\\t%${register}\\d+, [^\\n]*\\(%r[sb]p\\)`, "g")) ?? [];
      expect(spills.length, spills.join("\n")).toBeLessThanOrEqual(2);
    }
  });
});

describe("element types", () => {
  const length = 64;
  it("arithmetic of each rounds and wraps as its type does, vectorized", (ctx) => {
    needs(ctx, "cc");
    const types = ["float32", "float64", "float16", "bfloat16", "int8", "uint8", "int32", "int64"] as const;
    type At = ReturnType<typeof te.at>;
    /** max(a*b + c, a - c) in the type itself. */
    const parts = types.map((dtype) => {
      const inputs = ["a", "b", "c"].map((name) => placeholder(`${dtype}_${name}`, [length], dtype));
      const out = compute(`${dtype}_out`, [["i", length]], (i) => {
        const [a, b, c] = inputs.map((tensor) => te.at(tensor, i)) as [At, At, At];
        return te.maximum(te.add(te.mul(a, b), c), te.sub(a, c));
      });
      return { dtype, inputs, out };
    });
    // One text of all, because the compiler takes longer to start than for it.
    const schedule = createSchedule(
      graphOf(
        parts.flatMap(({ inputs }) => inputs),
        parts.map(({ out }) => out),
      ),
    );
    for (const { out } of parts) {
      const [io, ii] = schedule.split(schedule.axes(schedule.stage(out.name))[0] as LoopRef, [null, 32]) as [LoopRef, LoopRef];
      schedule.parallel(io);
      schedule.vectorize(ii);
    }
    const given = inputsOf(schedule.graph);
    const got = runC(textOf(schedule), given);
    for (const { dtype, inputs, out } of parts) {
      const round = roundTo(dtype);
      const [a, b, c] = inputs.map(({ name }) => [...(given.get(name) as TensorData)]) as [number[], number[], number[]];
      const expected = a.map((x, i) =>
        Math.max(round(round(x * (b[i] as number)) + (c[i] as number)), round(x - (c[i] as number))),
      );
      expect([...(got.get(out.name) as TensorData)], dtype).toEqual(expected);
    }
  });
  it("int8 products in int32, cast one by one", (ctx) => {
    needs(ctx, "cc");
    const a = placeholder("a", [16, 32], "int8");
    const b = placeholder("b", [32, 16], "int8");
    const k = reduceAxis("k", 32);
    const out = compute(
      "out",
      [
        ["i", 16],
        ["j", 16],
      ],
      (i, j) => sum(te.mul(te.cast("int32", te.at(a, i, k.loopVar)), te.cast("int32", te.at(b, k.loopVar, j))), [k]),
    );
    const schedule = createSchedule(graphOf([a, b], [out]));
    const stage = schedule.stage("out");
    const [i, j] = schedule.axes(stage) as [LoopRef, LoopRef];
    const [kk] = schedule.reduceAxes(stage) as [LoopRef];
    schedule.reorder([i, kk, j]);
    schedule.parallel(i);
    schedule.vectorize(j);
    const text = textOf(schedule);
    expect(text.text).toContain("__builtin_convertvector");
    const inputs = new Map<string, TensorData>([
      ["a", Int8Array.from({ length: 512 }, (_, n) => ((n * 89) % 256) - 128)],
      ["b", Int8Array.from({ length: 512 }, (_, n) => ((n * 151 + 7) % 256) - 128)],
    ]);
    const expected = Int32Array.from({ length: 256 }, (_, n) => {
      let total = 0;
      for (let q = 0; q < 32; q++)
        total += (inputs.get("a")?.[Math.floor(n / 16) * 32 + q] as number) * (inputs.get("b")?.[q * 16 + (n % 16)] as number);
      return total;
    });
    expect(runC(text, inputs).get("out")).toEqual(expected);
  });
  it("a vector of a product or of zeros, by the row", (ctx) => {
    needs(ctx, "cc");
    const [a, b] = ["a", "b"].map((name) => placeholder(name, [6, 32], "float32")) as [Buffer, Buffer];
    const axes = [
      ["i", 6],
      ["j", 32],
    ] as const;
    const out = compute("out", axes, (i, j) => te.select(te.less(i, 4), te.mul(te.at(a, i, j), te.at(b, i, j)), 0));
    const other = compute("other", axes, (i, j) =>
      te.select(te.less(i, 4), te.at(a, i, j), te.sub(te.at(a, i, j), te.at(b, i, j))),
    );
    const schedule = createSchedule(graphOf([a, b], [out, other]));
    for (const { name } of [out, other]) schedule.vectorize(schedule.axes(schedule.stage(name))[1] as LoopRef);
    const inputs = inputsOf(schedule.graph);
    const got = runC(textOf(schedule), inputs);
    const [x, y] = ["a", "b"].map((name) => [...(inputs.get(name) as TensorData)]) as [number[], number[]];
    expect([...(got.get("out") as TensorData)]).toEqual(x.map((n, i) => (i < 128 ? n * (y[i] as number) : 0)));
    expect([...(got.get("other") as TensorData)]).toEqual(x.map((n, i) => (i < 128 ? n : n - (y[i] as number))));
  });
  it("floor division and remainder of negative numbers; selects, comparisons, mathematics, reductions to a maximum", (ctx) => {
    needs(ctx, "cc");
    const a = placeholder("a", [40], "int32");
    const x = placeholder("x", [40], "float64");
    const k = reduceAxis("k", 7);
    const quotient = compute("quotient", [["i", 40]], (i) => te.floorDiv(te.at(a, i), 4));
    const remainder = compute("remainder", [["i", 40]], (i) => te.floorMod(te.at(a, i), 4));
    const chosen = compute("chosen", [["i", 40]], (i) =>
      te.select(
        te.any(te.less(te.at(a, i), 0), te.not(te.equal(te.at(x, i), 3))),
        te.abs(te.at(x, i)),
        te.tanh(te.exp(te.at(x, i))),
      ),
    );
    const most = compute("most", [["i", 34]], (i) => maxOf(te.at(x, te.add(i, k.loopVar)), [k]));
    const graph = graphOf([a, x], [quotient, remainder, chosen, most]);
    const inputs = inputsOf(graph);
    const got = runC(textOf(defaultSchedule(graph, "cpu/x86-64-v1")), inputs);
    const ints = [...(inputs.get("a") as TensorData)];
    const floats = [...(inputs.get("x") as TensorData)];
    expect([...(got.get("quotient") as TensorData)]).toEqual(ints.map((n) => Math.floor(n / 4)));
    expect([...(got.get("remainder") as TensorData)]).toEqual(ints.map((n) => n - 4 * Math.floor(n / 4)));
    const wanted = floats.map((n, i) => ((ints[i] as number) < 0 || n !== 3 ? Math.abs(n) : Math.tanh(Math.exp(n))));
    for (const [i, n] of wanted.entries()) expect(got.get("chosen")?.[i]).toBeCloseTo(n, 12);
    expect([...(got.get("most") as TensorData)]).toEqual(
      Array.from({ length: 34 }, (_, i) => Math.max(...floats.slice(i, i + 7))),
    );
  });
});

describe("names", () => {
  it("of the program never clash with C's or with the text's own", (ctx) => {
    needs(ctx, "cc");
    const names = ["for", "args", "f32x4", "float", "main", "splat_f32x4", "unix", "NULL"] as const;
    const inputs = names.map((name) => placeholder(name, [8]));
    const out = compute("expf", [["int", 8]], (i) => inputs.map((b) => te.at(b, i)).reduce((x, y) => te.add(x, y)));
    const graph = graphOf(inputs, [out]);
    const schedule = createSchedule(graph);
    schedule.vectorize(schedule.axes(schedule.stage("expf"))[0] as LoopRef);
    const given = inputsOf(graph);
    expect(runC(textOf(schedule), given).get("expf")).toEqual(evaluate(graph, given).get("expf"));
  });
});
