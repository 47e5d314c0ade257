/** Programs that use everything that a document can express, and the refusal of one. */
import { canonicalJson, digestOf, type Json } from "@warpfarm/common";
import { float, int } from "../ir/build.ts";
import { compute, maxOf, minOf, placeholder, reduceAxis } from "../te/compute.ts";
import * as te from "../te/expr.ts";
import { fills } from "../te/fill.ts";
import type { Graph } from "../te/graph.ts";
import { graphOf } from "../te/graph-of.ts";
import { conv2dNchw } from "../te/ops/conv2d.ts";
import type { CudaSourceProgram } from "./cuda-source-json.ts";
import { decodeProgram, encodeDocument, encodeProgram, type Program, type TraceStep } from "./program.ts";

export const target = "cpu/x86-64-v3";
export const trace: TraceStep[] = [
  { op: "split", in: ["l3"], args: { factors: [null, 8] }, out: ["l9", "l10"] },
  { op: "pragma", in: ["l9"], args: { key: "auto_unroll_max_step", value: 512 }, out: [] },
];

export function convGraph(): Graph {
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

export const cudaSource: CudaSourceProgram = {
  version: 1,
  kind: "cuda_source",
  target: "cuda/sm_90",
  files: { "k.cu": 'extern "C" __global__ void k(float* a) { a[0] = W; }\n', "w.cuh": "// ünïcode\n" },
  kernels: [{ entry: "k", grid: [4, 1, 1], block: [32, 2, 1], shared_bytes: 0, cluster: [1, 1, 1] }],
  defines: { W: "1.5f", EMPTY: "" },
  flags: ["-use_fast_math", "--fmad=false", "-O3", "--maxrregcount=128", "-lineinfo", "--extra-device-vectorization"],
  args: [{ name: "a", dtype: "float32", shape: [4], role: "out", fill: "zeros" }],
};

const { kernels: launched, args: tensors } = cudaSource;
export const ptx: Program = {
  version: 1,
  kind: "ptx",
  target: "cuda/sm_90a",
  text: ".version 8.0\n",
  flags: ["-O1", "--maxrregcount=64", "--def-load-cache=cg", "--register-usage-level=10"],
  kernels: launched.map((kernel) => ({ ...kernel, entry: "_ZN3fooIiE3barEv$1" })),
  args: tensors,
};
export const cubin: Program = {
  version: 1,
  kind: "cubin",
  target: "cuda/sm_80",
  code: "f0VMRg==",
  kernels: launched,
  args: tensors,
};
export const instances: Program = {
  ...cudaSource,
  kernels: launched.map((kernel) => ({ ...kernel, entry: "ns::gemm<64, float, (1 + 2), -1>" })),
  flags: ["--std=c++20", "--ptxas-options=-O2", "--ptxas-options=--def-load-cache=ca", "--restrict", "--ftz=true"],
};

const blobDigest = digestOf("0123456789abcdef");

export const documents: Record<string, Uint8Array> = {
  conv: encodeProgram(convGraph(), trace, target).bytes,
  rich: encodeProgram(richGraph(), [], "cuda/sm_90a").bytes,
  cuda: encodeDocument(cudaSource).bytes,
  ptx: encodeDocument(ptx).bytes,
  cubin: encodeDocument(cubin).bytes,
  instances: encodeDocument(instances).bytes,
  compiler: encodeDocument({ ...cudaSource, compiler: "nvcc" }).bytes,
  blobs: encodeDocument({
    ...ptx,
    args: [...tensors, { name: "x", dtype: "float32", shape: [4], role: "in", fill: { kind: "blob", digest: blobDigest } }],
  }).bytes,
  filled: encodeProgram(filledGraph(), [], target).bytes,
  filledCuda: encodeDocument({
    ...cudaSource,
    args: [
      { ...cudaSource.args[0], fill: fills.constant(2), tolerance: { atol: "0", rtol: "0.5" } } as CudaSourceProgram["args"][0],
    ],
  }).bytes,
};

/** Fills and a tolerance. */
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

export const bytesOf = (json: unknown): Uint8Array => new TextEncoder().encode(canonicalJson(json));
export const jsonOf = (bytes: Uint8Array): Json => JSON.parse(new TextDecoder().decode(bytes)) as Json;

/** The property of the format: a document is refused with a path, or is written back byte for byte. */
export function refusal(bytes: Uint8Array): string | undefined {
  const result = decodeProgram(bytes);
  if (!result.ok) {
    if (!/^[\w.[\]]+: ./s.test(result.error.message)) throw new Error(`no path in: ${result.error.message}`);
    return result.error.message;
  }
  const again = encodeDocument(result.value);
  if (again.digest !== digestOf(bytes)) throw new Error(`read as something else: ${new TextDecoder().decode(bytes)}`);
  return undefined;
}
