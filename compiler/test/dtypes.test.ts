/**
 * Every element type on every way: C compiled here, CUDA text run as C++ on this processor (no GPU is needed for integers), and
 * the interpreter. Integers are compared bit for bit with BigInt arithmetic that shares nothing with the compiler; casts with a
 * table of what CUDA does.
 */
import { type DType, isFloat, Random } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { some } from "../../test-support/campaign.ts";
import { needs } from "../../test-support/needs.ts";
import { compileCubin } from "../../test-support/nvcc.ts";
import { runC, runCudaOnHost } from "../../test-support/run-c.ts";
import { compileProgram } from "../src/compile.ts";
import { evaluate } from "../src/interp/evaluate.ts";
import { createData, type TensorData } from "../src/ir/numeric.ts";
import { createSchedule, type Schedule } from "../src/schedule/schedule.ts";
import type { LoopRef } from "../src/schedule/state.ts";
import { defaultSchedule } from "../src/target/default-schedule.ts";
import type { DeviceText } from "../src/target/index.ts";
import { compute, placeholder, reduceAxis, sum } from "../src/te/compute.ts";
import * as te from "../src/te/expr.ts";
import type { Graph } from "../src/te/graph.ts";
import { graphOf } from "../src/te/graph-of.ts";
import { matmul } from "../src/te/ops/matmul.ts";

function textOf(schedule: Schedule, target: string): DeviceText {
  const made = compileProgram({ version: 1, kind: "schedule", target, graph: schedule.graph, trace: schedule.trace });
  if (!made.ok) throw new Error(made.error.message);
  return made.value;
}
const c = "cpu/x86-64-v1";
const cuda = "cuda/sm_90";

const ranges = {
  int8: [-128, 127],
  uint8: [0, 255],
  int32: [-(2 ** 31), 2 ** 31 - 1],
  int4: [-8, 7],
  int1: [0, 1],
} as const;
type Integer = keyof typeof ranges;
const integers = Object.keys(ranges) as Integer[];

const wrap = (dtype: Integer, x: bigint): number => {
  if (dtype === "uint8") return Number(BigInt.asUintN(8, x));
  if (dtype === "int1") return Number(BigInt.asUintN(1, x));
  return Number(BigInt.asIntN({ int8: 8, int32: 32, int4: 4 }[dtype], x));
};

const random = new Random(17);
function full(dtype: Integer, length: number): TensorData {
  const [least, most] = ranges[dtype];
  const data = createData(dtype, length);
  for (let i = 0; i < length; i++) data[i] = i === 0 ? least : i === 1 ? most : least + random.below(most - least + 1);
  return data;
}
/** A signed overflow, which C leaves undefined, ends the program. */
const noOverflow = ["-fsanitize=signed-integer-overflow", "-fsanitize-undefined-trap-on-error"];
const runs = [
  [
    "C",
    "cc",
    (graph: Graph, inputs: ReadonlyMap<string, TensorData>) => runC(textOf(defaultSchedule(graph, c), c), inputs, noOverflow),
  ],
  [
    "CUDA text",
    "c++",
    (graph: Graph, inputs: ReadonlyMap<string, TensorData>) =>
      runCudaOnHost(textOf(defaultSchedule(graph, cuda), cuda), inputs, noOverflow),
  ],
  ["the interpreter", undefined, (graph: Graph, inputs: ReadonlyMap<string, TensorData>) => evaluate(graph, inputs)],
] as const;

/** What a graph of all cases has of one: its tensors have names of their own. */
interface Case {
  readonly given: readonly (readonly [Tensor, TensorData])[];
  readonly outputs: Parameters<typeof graphOf>[1];
  readonly check: (got: (name: string) => number[], way: string) => void;
}
type Tensor = ReturnType<typeof placeholder>;

function wholeRange(dtype: Integer): Case {
  const n = 75;
  const [a, b] = [full(dtype, n), full(dtype, n)];
  const [x, y] = [placeholder(`${dtype}_a`, [n], dtype), placeholder(`${dtype}_b`, [n], dtype)];
  const of = (name: string, f: (p: te.Operand, q: te.Operand) => ReturnType<typeof te.add>) =>
    compute(`${dtype}_${name}`, [["i", n]], (i) => f(te.at(x, i), te.at(y, i)));
  return {
    given: [
      [x, a],
      [y, b],
    ],
    outputs: [of("s", te.add), of("d", te.sub), of("p", te.mul), of("least", te.minimum), of("most", te.maximum)],
    check: (got) => {
      const expected = (f: (p: bigint, q: bigint) => bigint) =>
        [...a].map((p, i) => wrap(dtype, f(BigInt(p), BigInt(b[i] as number))));
      expect(got(`${dtype}_s`)).toEqual(expected((p, q) => p + q));
      expect(got(`${dtype}_d`)).toEqual(expected((p, q) => p - q));
      expect(got(`${dtype}_p`)).toEqual(expected((p, q) => p * q));
      expect(got(`${dtype}_least`)).toEqual(expected((p, q) => (p < q ? p : q)));
      expect(got(`${dtype}_most`)).toEqual(expected((p, q) => (p > q ? p : q)));
    },
  };
}

function accumulations(): Case {
  const n = 24;
  const [a, b, c8] = [full("int32", n), full("int32", n), full("int8", n)];
  const [x, y, z] = [placeholder("a", [n], "int32"), placeholder("b", [n], "int32"), placeholder("c", [n], "int8")];
  const r = reduceAxis("r", n);
  const dot = compute("dot", [["i", 2]], () => sum(te.mul(te.at(x, r.loopVar), te.at(y, r.loopVar)), [r]));
  const wide = (i: te.Operand) => te.cast("int32", te.at(z, i));
  const cube = compute("cube", [["i", n]], (i) => te.sub(te.mul(te.mul(wide(i), wide(i)), te.at(x, i)), te.add(i, 7)));
  return {
    given: [
      [x, a],
      [y, b],
      [z, c8],
    ],
    outputs: [dot, cube],
    check: (got) => {
      const at = (data: TensorData, i: number) => BigInt(data[i] as number);
      let total = 0n;
      for (let i = 0; i < n; i++) total += at(a, i) * at(b, i);
      expect(got("dot")).toEqual([wrap("int32", total), wrap("int32", total)]);
      const cubes = Array.from({ length: n }, (_, i) => wrap("int32", at(c8, i) * at(c8, i) * at(a, i) - BigInt(i + 7)));
      expect(got("cube")).toEqual(cubes);
    },
  };
}

function casts(): Case {
  const n = 41;
  const wide = full("int32", n);
  const floats = Float32Array.from({ length: n }, (_, i) => ((i * 37) % 41) * 0.75 - 12.3);
  floats.set([Number.NaN, Infinity, -Infinity, 1e20, -1e20, 127.9, -128.9, 255.5, 2 ** 31, -(2 ** 31), 7.99, -8.99, 1.5, -0.5]);
  const byte = full("int8", n);
  const [w, s, f] = [placeholder("w", [n], "int32"), placeholder("s8", [n], "int8"), placeholder("f", [n])];
  const cast = (name: string, from: typeof w, dtype: DType) => compute(name, [["i", n]], (i) => te.cast(dtype, te.at(from, i)));
  return {
    given: [
      [w, wide],
      [s, byte],
      [f, floats],
    ],
    outputs: integers.flatMap((dtype) => [
      ...(dtype === "int32" ? [] : [cast(`w_${dtype}`, w, dtype)]),
      ...(dtype === "int8" ? [] : [cast(`s_${dtype}`, s, dtype)]),
      cast(`f_${dtype}`, f, dtype),
    ]),
    check: (got, way) => {
      for (const dtype of integers) {
        const [least, most] = ranges[dtype];
        if (dtype !== "int32") expect(got(`w_${dtype}`)).toEqual([...wide].map((x) => wrap(dtype, BigInt(x))));
        if (dtype !== "int8") expect(got(`s_${dtype}`)).toEqual([...byte].map((x) => wrap(dtype, BigInt(x))));
        // On the device cvt.rzi saturates by itself; a plain cast does not here.
        if (way === "CUDA text" && dtype === "int32") continue;
        const saturated = [...floats].map((x) => (Number.isNaN(x) ? 0 : Math.trunc(Math.max(least, Math.min(most, x))) + 0));
        expect(got(`f_${dtype}`), dtype).toEqual(saturated);
      }
    },
  };
}

function packedProduct(dtype: "int4" | "int1"): Case {
  const [n, l, m] = [3, 64, 5];
  const [a, b] = [full(dtype, n * l), full(dtype, m * l)];
  const [x, y] = [placeholder(`${dtype}_A`, [n, l], dtype), placeholder(`${dtype}_B`, [m, l], dtype)];
  return {
    given: [
      [x, a],
      [y, b],
    ],
    outputs: [matmul(x, y, { layout: "TN", outDtype: "int32", name: `${dtype}_C` })],
    check: (got) => {
      const expected: number[] = [];
      for (let i = 0; i < n; i++)
        for (let j = 0; j < m; j++) {
          let sum = 0;
          for (let k = 0; k < l; k++) sum += (a[i * l + k] as number) * (b[j * l + k] as number);
          expected.push(sum);
        }
      expect(got(`${dtype}_C`)).toEqual(expected);
    },
  };
}

const cases: readonly (readonly [what: string, Case])[] = [
  ...integers.map(
    (dtype) =>
      [
        `${dtype}: sums, products, minima and remainders over the full range wrap as two's complement`,
        wholeRange(dtype),
      ] as const,
  ),
  ["int32 accumulations wrap, products of narrow integers are whole", accumulations()],
  ["integers cast to each other keep their low bits; floats become integers towards zero, saturating, NaN as 0", casts()],
  ...(["int4", "int1"] as const).map(
    (dtype) => [`${dtype} matmul TN from packed operands is the sum of products`, packedProduct(dtype)] as const,
  ),
];

describe.each(runs)("%s", (name, need, run) => {
  // One graph of all, because a compiler takes longer to start than for its text.
  let all: ReadonlyMap<string, TensorData> | undefined;
  const result = () => {
    const given = cases.flatMap(([, one]) => one.given);
    all ??= run(
      graphOf(
        given.map(([tensor]) => tensor),
        cases.flatMap(([, { outputs }]) => outputs),
      ),
      new Map(given.map(([tensor, data]) => [tensor.name, data])),
    );
    return all;
  };

  it.for(cases)("%s", ([, { check }], ctx) => {
    if (need) needs(ctx, need);
    check((tensor) => [...(result().get(tensor) as TensorData)], name);
  });
});

describe("packed copies in CUDA text", () => {
  /** out = a, through shared memory and registers, by one thread. */
  const staged = (dtype: DType, lanes: number, n = 256): Schedule => {
    const a = placeholder("a", [n], dtype);
    const schedule = createSchedule(graphOf([a], [compute("out", [["i", n]], (i) => te.at(a, i))]));
    const out = schedule.stage("out");
    const shared = schedule.cacheRead(a, "shared", [out]);
    const [block, rest] = schedule.split(schedule.axes(out)[0] as LoopRef, [null, 128]) as [LoopRef, LoopRef];
    schedule.bind(block, "blockIdx.x");
    const [thread, inner] = schedule.split(rest, [1, null]) as [LoopRef, LoopRef];
    schedule.bind(thread, "threadIdx.x");
    schedule.computeAt(shared, out, thread);
    for (const loop of [schedule.axes(shared)[0] as LoopRef, inner]) {
      const [, lane] = schedule.split(loop, [null, lanes]) as [LoopRef, LoopRef];
      schedule.vectorize(lane);
    }
    return schedule;
  };
  const packed = [
    ["int4", 2, "i4x2"],
    ["int4", 4, "i4x4"],
    ["int4", 8, "i4x8"],
    ["int4", 32, "i4x32"],
    ["int1", 8, "i1x8"],
    ["int1", 16, "i1x16"],
    ["int1", 32, "i1x32"],
    ["int1", 128, "i1x128"],
  ] as const;
  // In npm test the narrowest and the widest of each.
  it.for(some<(typeof packed)[number]>(packed, 0, 3, 4, 7))("%s by %i elements moves them whole and right", ([
    dtype,
    lanes,
    type,
  ], ctx) => {
    needs(ctx, "c++");
    const text = textOf(staged(dtype, lanes), cuda);
    expect(text.text).toContain(`*(const ${type} *)`);
    expect(text.text).not.toMatch(/store_i|load_i/);
    expect(text.buffers.map((b) => b.bytes)).toEqual(new Array(2).fill(dtype === "int4" ? 128 : 32));
    const a = full(dtype, 256);
    expect(runCudaOnHost(text, new Map([["a", a]])).get("out")).toEqual(a);
  });
  it("fewer bits than a byte are moved one by one", (ctx) => {
    needs(ctx, "c++");
    const text = textOf(staged("int1", 4), cuda);
    expect(text.text).toContain("store_i1");
    const a = full("int1", 256);
    expect(runCudaOnHost(text, new Map([["a", a]])).get("out")).toEqual(a);
  });
  it("nvcc takes every type and cast", (ctx) => {
    needs(ctx, "nvcc");
    const types = ["float16", "bfloat16", "float32", "float64", "int8", "uint8", "int32", "int4", "int1"] as const;
    const inputs = types.map((dtype) => placeholder(`in_${dtype}`, [64], dtype));
    const outputs = types.flatMap((dtype) =>
      inputs
        .filter((from) => from.dtype !== dtype)
        .map((from) => compute(`${from.dtype}_${dtype}`, [["i", 64]], (i) => te.add(te.cast(dtype, te.at(from, i)), 1))),
    );
    const text = textOf(defaultSchedule(graphOf(inputs, outputs), cuda), cuda).text;
    expect(Object.keys(compileCubin(text, "sm_75"))).toHaveLength(outputs.length);
    expect(outputs.filter((t) => isFloat(t.dtype))).toHaveLength(4 * 8);
  });
});

it("C and the interpreter round each operation alike, of each type of float", (ctx) => {
  needs(ctx, "cc");
  const n = 500;
  const wide = placeholder("wide", [n], "float64");
  const values = (dtype: DType): TensorData =>
    evaluate(
      graphOf([wide], [compute("v", [["i", n]], (i) => te.cast(dtype, te.at(wide, i)))]),
      new Map([["wide", Float64Array.from({ length: n }, () => (random.float() + 0.01) * 4 ** (random.below(9) - 4))]]),
    ).get("v") as TensorData;
  const floats = ["float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "float32", "float64"] as const;
  const parts = floats.map((dtype) => {
    const [x, y] = [placeholder(`${dtype}_a`, [n], dtype), placeholder(`${dtype}_b`, [n], dtype)];
    const of = (name: string, f: (p: ReturnType<typeof te.at>, q: ReturnType<typeof te.at>) => ReturnType<typeof te.at>) =>
      compute(`${dtype}_${name}`, [["i", n]], (i) => f(te.at(x, i), te.at(y, i)));
    const outputs = [of("s", te.add), of("d", te.sub), of("p", te.mul), of("q", te.div), of("r", te.sqrt), of("m", te.maximum)];
    const narrowed = of("n", (p) => te.cast(dtype, te.mul(te.cast("float64", p), 1.0003)));
    const casts = floats.flatMap((to) =>
      to === dtype ? [] : [compute(`${dtype}_${to}`, [["i", n]], (i) => te.cast(to, te.at(x, i)))],
    );
    return { inputs: [x, y], outputs: [...outputs, ...casts, ...(dtype === "float64" ? [] : [narrowed])] };
  });
  const inputs = parts.flatMap((part) => part.inputs);
  const graph = graphOf(
    inputs,
    parts.flatMap(({ outputs }) => outputs),
  );
  const given = new Map(inputs.map(({ name, dtype }) => [name, values(dtype)]));
  const got = runC(textOf(defaultSchedule(graph, c), c), given, ["-ffp-contract=off"]);
  const expected = evaluate(graph, given);
  expect(expected.size).toBe(6 * (6 + 5) + 5);
  for (const [name, data] of expected) expect(got.get(name), name).toEqual(data);
});

it.for(["cuda/sm_80", "cuda/sm_90a"])("floats of 8 bits are converted by what %s has", (target, ctx) => {
  needs(ctx, "nvcc");
  const x = placeholder("x", [64], "float32");
  const parts = (["float8_e4m3fn", "float8_e5m2"] as const).flatMap((dtype) => {
    const narrow = compute(`${dtype}_n`, [["i", 64]], (i) => te.cast(dtype, te.at(x, i)));
    return [narrow, compute(`${dtype}_w`, [["i", 64]], (i) => te.cast("float32", te.at(narrow, i)))];
  });
  const { text } = textOf(defaultSchedule(graphOf([x], parts), target), target);
  expect(text.includes("cvt.rn.satfinite.e4m3x2.f32")).toBe(target === "cuda/sm_90a");
  expect(Object.keys(compileCubin(text, target.slice(5)))).toHaveLength(4);
});

it("parallel loops on the CPU store packed elements of one word without losing any", (ctx) => {
  needs(ctx, "cc");
  const n = 4096;
  const a = placeholder("a", [n], "int4");
  const schedule = createSchedule(graphOf([a], [compute("out", [["i", n]], (i) => te.sub(te.at(a, i), 3))]));
  const [outer, inner] = schedule.split(schedule.axes(schedule.stage("out"))[0] as LoopRef, [null, 3]) as [LoopRef, LoopRef];
  schedule.reorder([inner, outer]);
  schedule.parallel(inner);
  const data = full("int4", n);
  const got = runC(textOf(schedule, c), new Map([["a", data]]));
  expect(got.get("out")).toEqual(data.map((x: number) => wrap("int4", BigInt(x - 3))));
});

it("vectors of int32 wrap", (ctx) => {
  needs(ctx, "cc");
  const n = 32;
  const [a, b] = [full("int32", n), full("int32", n)];
  const [x, y] = [placeholder("a", [n], "int32"), placeholder("b", [n], "int32")];
  const out = compute("out", [["i", n]], (i) => te.add(te.mul(te.at(x, i), te.at(y, i)), te.sub(te.at(x, i), te.at(y, i))));
  const schedule = createSchedule(graphOf([x, y], [out]));
  const [, inner] = schedule.split(schedule.axes(schedule.stage("out"))[0] as LoopRef, [null, 8]);
  schedule.vectorize(inner);
  const text = textOf(schedule, c);
  expect(text.text).toMatch(/sub_i32x4\(add_i32x4\(.*mul_i32x4\(/);
  const inputs = new Map([
    ["a", a],
    ["b", b],
  ]);
  const got = runC(text, inputs, noOverflow).get("out") as TensorData;
  const at = (data: TensorData, i: number) => BigInt(data[i] as number);
  const expected = (i: number) => wrap("int32", at(a, i) * at(b, i) + at(a, i) - at(b, i));
  expect([...got]).toEqual(Array.from({ length: n }, (_, i) => expected(i)));
});
