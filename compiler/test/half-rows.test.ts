/** What CUDA text has for kernels that compute in float32 and store halves: how functions are called, how vectors move. */
import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DType, parseTarget } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { needs } from "../../test-support/needs.ts";
import type { Buffer } from "../src/ir/buffer.ts";
import type { Expr } from "../src/ir/expr.ts";
import { infer } from "../src/schedule/infer.ts";
import { createSchedule, type Schedule } from "../src/schedule/schedule.ts";
import type { LoopRef } from "../src/schedule/state.ts";
import { coarseHelper } from "../src/target/cuda/coarse.ts";
import { emit, lowerFunc, verifyKernels } from "../src/target/index.ts";
import { compute, placeholder } from "../src/te/compute.ts";
import { add, at, cast, div, exp, floor, greaterEqual, maximum, minimum, select } from "../src/te/expr.ts";
import type { Graph } from "../src/te/graph.ts";
import { graphOf } from "../src/te/graph-of.ts";

const target = parseTarget("cuda/sm_90");
type Value = Expr;

/** y = f(x) element by element, by threads that take `vector` neighbours each. */
function mapped(dtype: DType, f: (x: Value) => Value, vector = 8): Graph {
  const x = placeholder("x", [4, 256 * vector], dtype);
  return graphOf(
    [x],
    [
      compute(
        "y",
        [
          ["i", 4],
          ["j", 256 * vector],
        ],
        (i, j) => cast(dtype, f(cast("float32", at(x, i, j)))),
      ),
    ],
  );
}

function byVectors(graph: Graph, vector = 8): Schedule {
  const s = createSchedule(graph);
  const [i, j] = s.axes(s.stage("y")) as [LoopRef, LoopRef];
  s.bind(i, "blockIdx.x");
  const [thread, lane] = s.split(j, [null, vector]) as [LoopRef, LoopRef];
  s.bind(thread, "threadIdx.x");
  s.vectorize(lane);
  return s;
}

function textOf(s: Schedule): string {
  const inferred = infer(s.state);
  if (!inferred.ok) throw inferred.error;
  const func = inferred.value.func();
  const kernels = lowerFunc(func, target);
  expect(verifyKernels(kernels, target)).toEqual([]);
  return emit(kernels, func.params, target, { graph: s.graph }).text;
}

describe("exponentials and quotients", () => {
  const swish = (x: Value) => div(x, add(1, exp(x)));
  it.each(["float16", "bfloat16"] as const)("are the machine's own where results are %s", (dtype) => {
    const text = textOf(byVectors(mapped(dtype, swish)));
    expect(text).toMatch(/coarse_div\(.*coarse_exp\(/);
    expect(text).not.toMatch(/expf\(| \/ \(/);
  });
  it("are exact where a result is float32", () => {
    const text = textOf(byVectors(mapped("float32", swish), 4));
    expect(text).not.toMatch(/coarse/);
    // A function is called for each lane of what is moved as a vector.
    expect(text.match(/r\.lane\[\d\] = .*expf\(v\d\.lane\[\d\]\)/g)).toHaveLength(4);
    expect(text).toMatch(/\*\(f32x4 \*\)\(y .*\) = r;/);
  });
  it.each(["float16", "float32"] as const)("maxima and minima are the machine's own where results are %s", (dtype) => {
    const text = textOf(byVectors(mapped(dtype, (x) => minimum(maximum(x, 0.5), 2))));
    expect(text).toMatch(/min_f32\(max_f32\(/);
    expect(text).toMatch(/max_f32\(float a, float b\) \{ return fmaxf\(a, b\); \}/);
  });
  it.each([
    ["rounded", (x: Value) => floor(div(x, 3.5))],
    ["compared", (x: Value) => select(greaterEqual(div(x, 3), 2), exp(x), 1)],
    ["made an integer", (x: Value) => cast("float32", cast("int32", div(x, 7)))],
  ])("are exact where a computed float is %s", (_, f) => {
    expect(textOf(byVectors(mapped("float16", f)))).not.toMatch(/coarse/);
  });
});

it("coarse quotients are right up to the largest divisors, where __fdividef is 0", (ctx) => {
  needs(ctx, "c++");
  const pairs = [
    [3, 7],
    [-5e-20, 3e-12],
    [1e38, 3e38],
    [3.4e38, 1.8e38],
    [2 ** 100, 2 ** 127],
  ].map(([a, b]) => [Math.fround(a as number), Math.fround(b as number)] as const);
  // CUDA C++ Programming Guide, "Intrinsic Functions", __fdividef.
  const source = `#include <cmath>
#include <cstdio>
#define __device__
#define __forceinline__ inline
static float __fdividef(float a, float b) { return std::fabs(b) > 0x1p126f ? 0.0f : a / b; }
using std::fabs;
${coarseHelper("coarse_div")?.text}
int main() { ${pairs.map(([a, b]) => `std::printf("%.9g\\n", coarse_div(${a.toExponential()}f, ${b.toExponential()}f));`).join(" ")} }`;
  const program = join(mkdtempSync(join(tmpdir(), "warpfarm-coarse-")), "run");
  execFileSync("c++", ["-x", "c++", "-o", program, "-"], { input: source });
  const found = execFileSync(program, { encoding: "utf8" }).trim().split("\n").map(Number);
  for (const [i, [a, b]] of pairs.entries()) expect(Math.abs((found[i] as number) / (a / b) - 1)).toBeLessThan(2 ** -20);
});

it("16 bytes of halves are one vector, whatever is computed with them", () => {
  const text = textOf(byVectors(mapped("float16", (x) => add(x, 1))));
  expect(text).toMatch(/const f16x8 v0 = \*\(const f16x8 \*\)\(x/);
  expect(text).toMatch(/\*\(f16x8 \*\)\(y .*\) = r;/);
});

it("halves that are only moved into registers are not converted there and back", () => {
  const s = byVectors(mapped("float16", (x) => add(x, 1)));
  const y = s.stage("y");
  const kept = s.cacheRead(s.graph.inputs[0] as Buffer, "local", [y]);
  s.computeAt(kept, y, s.leaves(y)[1] as LoopRef);
  s.vectorize(s.axes(kept)[1] as LoopRef);
  const text = textOf(s);
  expect(text).toMatch(/x_local\[0\] = \(unsigned short\)v0\.word\[0\];/);
  expect(text).not.toMatch(/f32_to_f16\(f16_to_f32/);
});
