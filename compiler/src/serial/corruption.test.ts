import { digestOf, type Json } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { isFull } from "../../../test-support/campaign.ts";
import { bytesOf, documents, jsonOf, refusal } from "./program.testing.ts";

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
    let place = 0;
    for (const json of corrupted(jsonOf(bytes))) {
      // In npm test one change of five.
      if (!isFull && place++ % 5 > 0) continue;
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
  const entry = (name: string): Json => [{ entry: name, grid: [1, 1, 1], block: [1, 1, 1], shared_bytes: 0, cluster: [1, 1, 1] }];
  const tensor = { name: "a", dtype: "float32", shape: [4], role: "out", fill: "zeros" };
  const blob = { kind: "blob", digest: digestOf("x") };
  const brought = (kind: "ptx" | "cubin", change: Record<string, Json>): Uint8Array =>
    bytesOf({ ...(jsonOf(documents[kind] as Uint8Array) as Record<string, Json>), ...change });
  const text = (t: string): Uint8Array => new TextEncoder().encode(t);
  let deep: Json = ["load", "a", ["i"]];
  for (let n = 0; n < 70; n++) deep = ["call", "exp", deep];

  it.each<[string, () => Uint8Array, RegExp]>([
    ["version 2", () => bytesOf({ ...conv(), version: 2 }), /^version: 2; this compiler reads 1$/],
    ["a version in quotes", () => bytesOf({ ...conv(), version: "1" }), /^version: "1"; this compiler reads 1$/],
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
    ["another kind", () => bytesOf({ ...conv(), kind: "sass" }), /^kind: "sass"; one of schedule, cuda_source, ptx, cubin/],
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
      /body\[0\]: "load"; one of sum, prod, max, min/,
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
    ["an entry with a literal", () => cuda({ kernels: entry('f<"x">') }), /^kernels\[0\]\.entry: .*a C\+\+ name/],
    ["an entry of two lines", () => cuda({ kernels: entry("f<1>\n#include </etc/passwd>") }), /^kernels\[0\]\.entry/],
    ["ptxas's folder flag", () => cuda({ flags: ["--ptxas-options=-o=/tmp/x"] }), /^flags\[0\]/],
    [
      "a flag of nvcc for ptxas",
      () => brought("ptx", { flags: ["-use_fast_math"] }),
      /^flags\[0\]: "-use_fast_math"; allowed are -O0/,
    ],
    ["a compiler that is none", () => cuda({ compiler: "clang" }), /^compiler: "clang"/],
    [
      "a blob of an output",
      () => brought("ptx", { args: [{ ...tensor, fill: blob }] }),
      /^args\[0\]\.fill: an output cannot be filled/,
    ],
    [
      "a blob that is no digest",
      () => brought("ptx", { args: [{ ...tensor, role: "in", fill: { ...blob, digest: "sha256:0" } }] }),
      /^args\[0\]\.fill\.digest: "sha256:0" is not a digest/,
    ],
    ["PTX for a CPU", () => brought("ptx", { target: "cpu/arm64" }), /PTX is accepted for cuda targets only/],
    ["a symbol with a blank", () => brought("cubin", { kernels: entry("a b") }), /^kernels\[0\]\.entry: "a b" is not a symbol/],
    ["a cubin that is not base64", () => brought("cubin", { code: "f0VMRg=" }), /^code: is not base64/],
    ["CUDA source for a CPU", () => cuda({ target: "cpu/arm64" }), /accepted for cuda targets only/],
  ])("refuses %s", (_, make, message) => {
    const found = refusal(make());
    expect(found).toMatch(message);
  });
});
