import { canonicalJson, digestOf, type Json, jsonDepth } from "@warpfarm/common";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { float, int } from "../ir/build.ts";
import type { Expr, Var } from "../ir/expr.ts";
import { compute, maxOf, minOf, placeholder, reduceAxis } from "../te/compute.ts";
import * as te from "../te/expr.ts";
import { fills } from "../te/fill.ts";
import type { Graph } from "../te/graph.ts";
import { graphOf } from "../te/graph-of.ts";
import { conv2dNchw } from "../te/ops/conv2d-nchw.ts";
import type { CudaSourceProgram } from "./cuda-source-json.ts";
import { decodeProgram, encodeDocument, encodeProgram, type Program, type TraceStep } from "./program.ts";

const target = "cpu/x86-64-v3";
const trace: TraceStep[] = [
  { op: "split", in: ["l3"], args: { factors: [null, 8] }, out: ["l9", "l10"] },
  { op: "pragma", in: ["l9"], args: { key: "auto_unroll_max_step", value: 512 }, out: [] },
];

function convGraph(): Graph {
  const data = placeholder("data", [1, 4, 7, 7]);
  const kernel = placeholder("kernel", [8, 4, 3, 3]);
  return graphOf([data, kernel], [conv2dNchw(data, kernel, { stride: 1, padding: 1 })]);
}

/** Every kind of expression, several dtypes, three combiners. */
function richGraph(): Graph {
  const a = placeholder("a", [5, 7]);
  const h = placeholder("h", [5], "float16");
  const q = placeholder("q", [7], "int8");
  const k = reduceAxis("k", 7);
  const m = reduceAxis("k", 7);
  const x = compute("x", [["i", 5]], (i) => maxOf(te.mul(te.at(a, i, k.loopVar), te.cast("float32", te.at(q, k.loopVar))), [k]));
  const y = compute("y", [["i", 5]], (i) => minOf(te.exp(te.sqrt(te.abs(te.at(a, i, m.loopVar)))), [m]));
  const z = compute(
    "z",
    [
      ["i", 5],
      ["j", 3],
    ],
    (i, j) =>
      te.select(
        te.any(te.all(te.greaterEqual(i, 1), te.not(te.less(j, 2))), te.notEqual(te.floorMod(te.add(i, j), 3), 0)),
        te.maximum(te.at(x, i), te.div(te.tanh(te.at(y, te.floorDiv(i, 2))), 0.1)),
        te.minimum(te.log(te.cast("float32", te.at(h, i))), float(-Infinity)),
      ),
  );
  const w = compute("w", [["i", 7]], (i) => te.sub(te.at(q, i), int(-128, "int8")));
  return graphOf([a, h, q], [z, w]);
}

const cudaSource: Program = {
  version: 1,
  kind: "cuda_source",
  target: "cuda/sm_90",
  files: { "k.cu": 'extern "C" __global__ void k(float* a) { a[0] = W; }\n', "w.cuh": "// ünïcode\n" },
  kernels: [{ entry: "k", grid: [4, 1, 1], block: [32, 2, 1], shared_bytes: 0, cluster: [1, 1, 1] }],
  defines: { W: "1.5f", EMPTY: "" },
  flags: ["-use_fast_math", "--fmad=false", "-O3", "--maxrregcount=128", "-lineinfo", "--extra-device-vectorization"],
  args: [{ name: "a", dtype: "float32", shape: [4], role: "out", fill: "zeros" }],
};

const documents: Record<string, Uint8Array> = {
  conv: encodeProgram(convGraph(), trace, target).bytes,
  rich: encodeProgram(richGraph(), [], "cuda/sm_90a").bytes,
  cuda: encodeDocument(cudaSource).bytes,
  filled: encodeProgram(filledGraph(), [], target).bytes,
  filledCuda: encodeDocument({
    ...cudaSource,
    args: [
      { ...cudaSource.args[0], fill: fills.constant(2), tolerance: { atol: "0", rtol: "0.5" } } as CudaSourceProgram["args"][0],
    ],
  }).bytes,
};

/** What only version 2 can say. */
function filledGraph(): Graph {
  const x = placeholder("x", [4, 8], "float32", fills.range(0.5, 2));
  const index = placeholder("index", [4], "int32", fills.below(4));
  const axes = [
    ["i", 4],
    ["j", 8],
  ] as const;
  const out = compute("out", axes, (i, j) => te.at(x, te.at(index, i), j));
  return graphOf([x, index], [out], { tolerance: { out: { rtol: 0.25 } } });
}

const bytesOf = (json: unknown): Uint8Array => new TextEncoder().encode(canonicalJson(json));
const jsonOf = (bytes: Uint8Array): Json => JSON.parse(new TextDecoder().decode(bytes)) as Json;

/** The property of the format: refused with a path, or understood so well that it is written back byte for byte. */
function refusal(bytes: Uint8Array): string | undefined {
  const result = decodeProgram(bytes);
  if (!result.ok) {
    if (!/^[\w.[\]]+: ./s.test(result.error.message)) throw new Error(`no path in: ${result.error.message}`);
    return result.error.message;
  }
  const again = encodeDocument(result.value);
  if (again.digest !== digestOf(bytes)) throw new Error(`read as something else: ${new TextDecoder().decode(bytes)}`);
  return undefined;
}

describe("a program and its bytes", () => {
  it.each(Object.entries(documents))("%s: decodes and encodes to the same bytes", (_, bytes) => {
    expect(refusal(bytes)).toBeUndefined();
  });

  it("has the form that docs/contracts.md shows", () => {
    const text = new TextDecoder().decode(documents.conv);
    const pixel = `["load","pad_temp",["n","rc",["add","y","ry"],["add","x","rx"]]]`;
    expect(text).toContain(`"body":["sum",["mul",${pixel},["load","kernel",["f","rc","ry","rx"]]]]`);
    expect(text).toContain(
      `"intrinsics":[],"kind":"schedule","target":"cpu/x86-64-v3","trace":[{"args":{"factors":[null,8]},"in":["l3"],"op":"split","out":["l9","l10"]}`,
    );
    expect(new TextDecoder().decode(documents.rich)).toContain(`["float","float32","-inf"]`);
  });

  it("keeps the order of ops and the trace", () => {
    const result = decodeProgram(documents.conv as Uint8Array);
    expect(result.ok && result.value.kind === "schedule" && result.value.graph.ops.map((op) => op.output.name)).toEqual([
      "pad_temp",
      "conv",
    ]);
    expect(result.ok && result.value.kind === "schedule" && result.value.trace).toEqual(trace);
  });
});

/** Random well-typed bodies over axes i, j and the tensor a, made by the same constructors a user has. */
interface Env {
  readonly i: Var;
  readonly j: Var;
  readonly a: Parameters<typeof te.at>[0];
}
type Make = (env: Env) => Expr;
const both =
  (f: (x: Expr, y: Expr) => Expr) =>
  (pair: readonly [Make, Make]): Make =>
  (env) =>
    f(pair[0](env), pair[1](env));
const { body } = fc.letrec<{ index: Make; cond: Make; body: Make }>((tie) => ({
  index: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<Make>(
      (env) => env.i,
      (env) => env.j,
    ),
    fc.integer({ min: -1000, max: 1000 }).map(
      (v): Make =>
        () =>
          int(v),
    ),
    ...[te.add, te.sub, te.mul, te.minimum, te.maximum].map((f) => fc.tuple(tie("index"), tie("index")).map(both(f))),
    fc.tuple(tie("index"), fc.integer({ min: 1, max: 9 })).map(
      ([x, c]): Make =>
        (env) =>
          te.floorMod(te.floorDiv(x(env), c), c),
    ),
  ),
  cond: fc.oneof(
    { maxDepth: 3 },
    ...[te.less, te.lessEqual, te.equal, te.notEqual, te.greater].map((f) => fc.tuple(tie("index"), tie("index")).map(both(f))),
    ...[te.all, te.any].map((f) => fc.tuple(tie("cond"), tie("cond")).map(both(f))),
    tie("cond").map(
      (c): Make =>
        (env) =>
          te.not(c(env)),
    ),
  ),
  body: fc.oneof(
    { maxDepth: 4 },
    fc.double().map(
      (v): Make =>
        () =>
          float(v),
    ),
    fc.tuple(tie("index"), tie("index")).map(
      ([x, y]): Make =>
        (env) =>
          // An index that always strays is no body.
          te.at(env.a, te.floorMod(x(env), 5), te.floorMod(y(env), 7)),
    ),
    ...[te.add, te.sub, te.mul, te.div, te.maximum].map((f) => fc.tuple(tie("body"), tie("body")).map(both(f))),
    fc.tuple(tie("cond"), tie("body"), tie("body")).map(
      ([c, x, y]): Make =>
        (env) =>
          te.select(c(env), x(env), y(env)),
    ),
    tie("body").map(
      (x): Make =>
        (env) =>
          te.cast("float32", te.cast("float16", te.exp(x(env)))),
    ),
    tie("index").map(
      (x): Make =>
        (env) =>
          te.cast("float32", te.cast("int8", x(env))),
    ),
  ),
}));

it("property: any body goes there and back byte for byte", () => {
  fc.assert(
    fc.property(body, (make) => {
      const a = placeholder("a", [5, 7]);
      const c = compute(
        "c",
        [
          ["i", 4],
          ["j", 6],
        ],
        (i, j) => te.add(te.at(a, i, j), make({ i, j, a })),
      );
      expect(refusal(encodeProgram(graphOf([a], [c]), trace, target).bytes)).toBeUndefined();
    }),
    { numRuns: 500, seed: 42 },
  );
});

/** Every document that differs from `json` in one place. */
function* corrupted(json: Json): Generator<Json> {
  const odd: Json[] = [
    null,
    true,
    -1,
    0,
    1,
    1.5,
    2 ** 31,
    1e300,
    "",
    "x",
    "s0",
    "sum",
    "__proto__",
    "float16",
    [],
    {},
    [0],
    { x: 1 },
  ];
  yield* odd;
  if (typeof json === "number") yield* [json + 1, json - 1, 0 - json, String(json)];
  if (typeof json === "string") yield* [`${json}x`, json.slice(1), json.toUpperCase(), `${json} `];
  if (Array.isArray(json)) {
    yield [...json, ...json.slice(-1)];
    yield [...json].reverse();
    for (const [i, item] of json.entries()) {
      yield json.toSpliced(i, 1);
      for (const bad of corrupted(item)) yield json.with(i, bad);
    }
  } else if (typeof json === "object" && json !== null) {
    yield { ...json, extra: 0 };
    for (const [key, item] of Object.entries(json)) {
      const { [key]: _, ...rest } = json as { [key: string]: Json };
      yield rest;
      yield { ...rest, [`${key}x`]: item };
      for (const bad of corrupted(item)) yield { ...json, [key]: bad };
    }
  }
}

describe("corruption", () => {
  it.each(Object.entries(documents))("%s: every change in one place is refused, or understood byte for byte", (_, bytes) => {
    let refused = 0;
    let accepted = 0;
    for (const json of corrupted(jsonOf(bytes))) {
      if (refusal(bytesOf(json)) === undefined) accepted++;
      else refused++;
    }
    expect(refused).toBeGreaterThan(5 * accepted);
    expect(accepted).toBeGreaterThan(0);
  });

  it("cut short or with a flipped bit: refused, or understood byte for byte", () => {
    const bytes = documents.conv as Uint8Array;
    for (let n = 0; n < bytes.length; n++) expect(refusal(bytes.subarray(0, n))).toBeDefined();
    for (let n = 0; n < bytes.length * 8; n += 7) {
      const flipped = Uint8Array.from(bytes);
      flipped[n >> 3] = (flipped[n >> 3] as number) ^ (1 << (n & 7));
      refusal(flipped);
    }
  });

  const conv = () => jsonOf(documents.conv as Uint8Array) as Record<string, Json>;
  const graphWith = (change: (graph: Record<string, Json>) => Record<string, Json>): Uint8Array => {
    const doc = conv();
    return bytesOf({ ...doc, graph: { ...(doc.graph as Record<string, Json>), ...change(doc.graph as Record<string, Json>) } });
  };
  const op = (body: Json, reduce: Json = [], name = "c"): Json => ({
    name,
    axes: [{ name: "i", extent: 4 }],
    reduce,
    dtype: "float32",
    body,
  });
  const small = (body: Json, reduce: Json = []): Uint8Array =>
    bytesOf({
      ...conv(),
      trace: [],
      graph: { inputs: [{ name: "a", dtype: "float32", shape: [4] }], ops: [op(body, reduce)], outputs: ["c"] },
    });
  const cuda = (change: Record<string, Json>): Uint8Array =>
    bytesOf({ ...(jsonOf(documents.cuda as Uint8Array) as Record<string, Json>), ...change });
  const text = (t: string): Uint8Array => new TextEncoder().encode(t);
  let deep: Json = ["load", "a", ["i"]];
  for (let n = 0; n < 70; n++) deep = ["call", "exp", deep];

  it.each<[string, () => Uint8Array, RegExp]>([
    ["another version", () => bytesOf({ ...conv(), version: 3 }), /^version: 3; versions 1 and 2 are read here/],
    [
      "a fill in version 1",
      () => bytesOf({ ...(jsonOf(documents.filled as Uint8Array) as Record<string, Json>), version: 1 }),
      /^version: 1; what it says is version 2/,
    ],
    [
      "a fill that the dtype has not",
      () =>
        bytesOf({
          ...(jsonOf(documents.filled as Uint8Array) as Record<string, Json>),
          graph: {
            ...((jsonOf(documents.filled as Uint8Array) as Record<string, Json>).graph as Record<string, Json>),
            inputs: [
              { name: "x", dtype: "float32", shape: [4, 8], fill: { kind: "permutation" } },
              { name: "index", dtype: "int32", shape: [4] },
            ],
          },
        }),
      /^graph.inputs\[0\]: fill of "x": a permutation is of int32 or int64, not of float32/,
    ],
    ["a version higher than it needs", () => bytesOf({ ...conv(), version: 2 }), /^version: 2; what it says is version 1/],
    ["another kind", () => bytesOf({ ...conv(), kind: "ptx" }), /^kind: "ptx"; one of schedule, cuda_source/],
    ["an unknown field", () => bytesOf({ ...conv(), color: 1 }), /^program: unknown field "color"/],
    [
      "an unknown field deep inside",
      () => graphWith(() => ({ inputs: [{ name: "data", dtype: "float32", shape: [1], layout: "NCHW" }] })),
      /^graph.inputs\[0\]: unknown field "layout"/,
    ],
    ["a target that is none", () => bytesOf({ ...conv(), target: "cuda" }), /^target: "cuda" is not a target/],
    ["a name with a space", () => graphWith(() => ({ outputs: ["co nv"] })), /^graph.outputs\[0\]: "co nv" is not a name/],
    ["an intrinsic", () => bytesOf({ ...conv(), intrinsics: [{}] }), /^intrinsics\[0\]/],
    [
      "a float in a trace",
      () => bytesOf({ ...conv(), trace: [{ op: "split", in: [], args: { factors: [0.5] }, out: [] }] }),
      /^trace\[0\].args.factors\[0\]: 0.5/,
    ],
    ["not JSON", () => text("{"), /not JSON/],
    ["white space", () => text(JSON.stringify(conv(), null, 1)), /not canonical/],
    [
      "a duplicate key",
      () => text(new TextDecoder().decode(documents.conv).replace('"intrinsics"', '"graph":0,"intrinsics"')),
      /not canonical/,
    ],
    ["-0", () => text("[-0]"), /number 0|-0/],
    ["a lone surrogate", () => text('["\\ud800"]'), /surrogate/],
    ["bad UTF-8", () => Uint8Array.of(34, 0xff, 34), /not UTF-8/],
    ["a megabyte of brackets", () => text("[".repeat(2 ** 20)), /deeper than 64/],
    ["more than a mebibyte", () => text(`"${"x".repeat(2 ** 20)}"`), /1048578 bytes; at most 1048576/],
    ["a deep body", () => small(deep), /deeper than 64/],
    ["an unfolded constant", () => small(["load", "a", [["add", 1, 2]]]), /body\[2\]\[0\]: is not in normal form/],
    ["an identity", () => small(["load", "a", [["add", "i", 0]]]), /not in normal form/],
    ["a cast to the same dtype", () => small(["cast", "float32", ["load", "a", ["i"]]]), /not in normal form/],
    ["another spelling of a float", () => small(["float", "float32", "0.50"]), /not a number as ECMAScript prints it/],
    ["an unknown kind of expression", () => small(["gather", "a", "i"]), /unknown kind of expression "gather"/],
    ["a method name as kind", () => small(["constructor", "i", "i"]), /unknown kind of expression/],
    ["an unknown variable", () => small(["load", "a", ["j"]]), /unknown variable "j"; the axes are i/],
    ["an unknown tensor", () => small(["load", "b", ["i"]]), /no input or earlier op is named "b"/],
    ["itself", () => small(["load", "c", ["i"]]), /no input or earlier op is named "c"/],
    ["too many operands", () => small(["add", "i", "i", "i"]), /"add" takes 2 operands, here are 3/],
    ["mixed dtypes", () => small(["add", "i", ["load", "a", ["i"]]]), /add of int32 and float32/],
    ["a dtype the body does not give", () => small("i"), /dtype: is float32, but the body gives int32/],
    [
      "a reduction without a combiner",
      () => small(["load", "a", ["i"]], [{ name: "k", extent: 3 }]),
      /body\[0\]: "load"; one of sum, max, min/,
    ],
    ["an int out of range", () => small(["cast", "float32", ["int", "int8", 128]]), /128 is not a whole number from -128 to 127/],
    ["a division by zero", () => small(["cast", "float32", ["floor_div", "i", 0]]), /by 0/],
    [
      "an unused op",
      () => graphWith((g) => ({ ops: [...(g.ops as Json[]), op(["float", "float32", "1"], [], "z")] })),
      /graph.ops: are pad_temp, conv, z; the ops that the outputs need/,
    ],
    ["a foreign flag", () => cuda({ flags: ["-ccbin=/tmp/x"] }), /^flags\[0\]: "-ccbin=\/tmp\/x"; allowed are/],
    ["a path as file name", () => cuda({ files: { "../k.cu": "" } }), /^files: "..\/k.cu" is not a file name/],
    ["two translation units", () => cuda({ files: { "a.cu": "", "b.cu": "" } }), /holds 2 .cu files/],
    ["a define with shell text", () => cuda({ defines: { W: "1;rm" } }), /^defines.W/],
    [
      "a block of 2048",
      () => cuda({ kernels: [{ entry: "k", grid: [1, 1, 1], block: [2048, 1, 1], shared_bytes: 0, cluster: [1, 1, 1] }] }),
      /^kernels\[0\].block\[0\]: 2048/,
    ],
    ["CUDA source for a CPU", () => cuda({ target: "cpu/arm64" }), /accepted for cuda targets only/],
  ])("refuses %s", (_, make, message) => {
    const found = refusal(make());
    expect(found).toMatch(message);
  });
});

describe("encoding refuses what no document can be", () => {
  it("a target that is none", () => expect(() => encodeProgram(convGraph(), [], "gpu")).toThrow(/"gpu" is not a target/));
  it("a body that nests too deep", () => {
    const a = placeholder("a", [4]);
    const c = compute("c", [["i", 4]], (i) => Array.from({ length: 70 }).reduce<Expr>((e) => te.add(e, 1), te.at(a, i)));
    expect(() => encodeProgram(graphOf([a], [c]), [], target)).toThrow(/nests \d+ deep; at most 64/);
    expect(jsonDepth([[1]])).toBe(2);
  });
  it("a trace of more than a mebibyte", () => {
    const long = { op: "pragma", in: [], args: { value: "x".repeat(2 ** 20) }, out: [] };
    expect(() => encodeProgram(convGraph(), [long], target)).toThrow(/at most 1048576/);
  });
});
