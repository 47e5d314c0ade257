/**
 * The groups of rows that shapes.mjs measures. A row: a task by one template or several, the library's operator of the same
 * computation (interleaved.py), how many trials a search has and which seeds, and what is wanted.
 */
import { engineGroups } from "./conv-rows.mjs";
import { groupedRows } from "./grouped-rows.mjs";
import { w4Rows } from "./w4-rows.mjs";

/**
 * @typedef {[M: number, N: number, K: number, layout: string]} ProductShape
 */
const conv7 = { N: 1, H: 7, W: 7, CO: 512, CI: 512, KH: 3, KW: 3, stride: 1, padding: 1 };
const hwcn = { N: 256, H: 14, W: 14, CO: 512, CI: 256, KH: 3, KW: 3, stride: 1, padding: 1 };
const cube = { M: 4096, N: 4096, K: 4096 };

/**
 * The best configs of matmul_simt, NN and TN, with lanes in squares and with A transposed before, each alone and together.
 */
const simtTiles = {
  tall: { thread_rows: 8, thread_cols: 8, row_warps: 4, col_warps: 2, lane_rows: 2, group: 16 },
  square: { thread_rows: 8, thread_cols: 8, row_warps: 2, col_warps: 4, lane_rows: 8, group: 8 },
};
const simtNamed = (tile, interleaved, turned) => {
  const { group, ...block } = simtTiles[tile];
  const values = { ...block, chunk: 32, stages: 2, min_blocks: 2, group, along_k: 0, interleaved, turned };
  return { template: "matmul_simt", values };
};

const sgemm = (layout) => ({
  templates: ["matmul_simt"],
  args: { ...cube, layout },
  library: { op: "matmul", args: { ...cube, layout, dtype: "float32" } },
  trials: 300,
  seeds: [1],
  wanted: "1.03 of the library's time; 1.00 if it can be had",
  named: Object.keys(simtTiles).flatMap((tile) =>
    [0, 1].flatMap((interleaved) => (layout === "NN" ? [0, 1] : [0]).map((turned) => simtNamed(tile, interleaved, turned))),
  ),
});

/** @type {(shape: ProductShape, templates: string[], trials: number, wanted: string) => [string, object]} */
const product = ([M, N, K, layout], templates, trials, wanted) => {
  const dtype = templates.includes("matmul_simt") ? "float32" : "float16";
  const args = { M, N, K, layout };
  const own = dtype === "float16" ? { ...args, dtype } : args;
  const row = { templates, args: own, library: { op: "matmul", args: { ...args, dtype } }, trials, seeds: [1], wanted };
  return [`${M}x${N}x${K} ${layout} ${dtype === "float16" ? "fp16" : "fp32"}`, row];
};

/**
 * Tensor cores at full load hold the card at its power limit, where the clock moves and one config looks slower than another:
 * short turns with idle time between them keep the clock up.
 */
const pace = { measure: "repeat=5,min_repeat=4ms,cooldown=15ms" };

/** @type {(shape: ProductShape, dtype: string) => [string, object]} */
const hopper = ([M, N, K, layout], dtype) => {
  const args = { M, N, K, layout, dtype };
  const wanted = M === 8192 ? "1.00 of the library's speed" : "0.98 of the library's speed; 1.00 if it can be had";
  const row = { templates: ["matmul_tma"], args, library: { op: "matmul", args }, trials: 300, seeds: [1], wanted, pace };
  return [`${M}x${N}x${K} ${layout} ${dtype}`, row];
};
const hopperRows = ["float16", "bfloat16"].flatMap((dtype) =>
  ["NN", "NT"].map((layout) => hopper([4096, 4096, 4096, layout], dtype)),
);

/** float32 as the sum of three products of tf32, beside cuBLAS in float32. */
/** @type {(shape: ProductShape, wanted: string) => [string, object]} */
const threeTf32 = ([M, N, K, layout], wanted) => {
  const args = { M, N, K, layout };
  const library = { op: "matmul", args: { ...args, dtype: "float32" } };
  return [
    `${M}x${N}x${K} ${layout} 3xtf32`,
    { templates: ["matmul_3xtf32"], args, library, trials: 60, seeds: [1], wanted, pace },
  ];
};
const threeTf32Rows = [
  threeTf32([4096, 4096, 4096, "NN"], "2.0 of the library's speed, error 2e-6"),
  threeTf32([4096, 4096, 4096, "NT"], "2.0 of the library's speed, error 2e-6"),
  threeTf32([1000, 1503, 1041, "TN"], "error 2e-6; the ratio is stated"),
];

/** Operands of 8 bits, both along the reduction; of int8 the result is exact in int32. */
/** @type {(shape: [M: number, N: number, K: number], dtype: string, trials: number, wanted: string) => [string, object]} */
const narrow = ([M, N, K], dtype, trials, wanted) => {
  const args = { M, N, K, dtype, layout: "NT" };
  const row = { templates: ["matmul_tma"], args, library: { op: "matmul", args }, trials, seeds: [1], wanted, pace };
  return [`${M}x${N}x${K} NT ${dtype}`, row];
};
/** @type {(row: [string, object], values: Record<string, any>[]) => [string, object]} */
const withNamed = ([name, row], values) => [
  name,
  { ...row, named: values.map((each) => ({ template: "matmul_tma", values: each })) },
];
/** Sums of one level and of two, the rest alike. */
const twoLevels = [0, 4, 16].map((chunk) => ({
  ...{ consumers: 2, columns: 128, stages: 4, group: 8, waves: 0, producer: 40, epilogue: "tma", cluster: "2m", order: "rows" },
  ...{ parts: 1, chunk },
}));
const narrowRows = [
  narrow([4096, 4096, 4096], "int8", 100, "1.4 of the library's speed, error 0"),
  narrow([1000, 1504, 1040], "int8", 40, "error 0; the ratio is stated"),
  narrow([2048, 12288, 4096], "int8", 40, "error 0; the ratio is stated"),
  withNamed(narrow([4096, 4096, 4096], "float8_e4m3fn", 100, "1.0 of the library's speed"), twoLevels),
  narrow([4096, 16384, 7168], "float8_e4m3fn", 60, "1.0 of the library's speed"),
  narrow([1000, 1504, 1040], "float8_e5m2", 40, "right; the ratio is stated"),
];

/**
 * Products of transformers of 7 and 70 billion parameters, weights as they are stored: rows of a prompt, then of a step of
 * decoding, then reductions that 64 does not divide.
 */
/** @type {[M: number, N: number, K: number][]} */
const prefill = [
  [2048, 4096, 4096],
  [2048, 12288, 4096],
  [2048, 11008, 4096],
  [2048, 4096, 11008],
  [4096, 22016, 4096],
  [8192, 4096, 4096],
  [2048, 10240, 8192],
  [4096, 8192, 8192],
  [8192, 10240, 8192],
  [2048, 8192, 28672],
  [2048, 4096, 4072],
];
/** @type {[M: number, N: number, K: number][]} */
const decode = [
  [1, 4096, 4096],
  [8, 12288, 4096],
  [16, 4096, 11008],
  [32, 11008, 4096],
  [64, 4096, 4096],
  [64, 10240, 8192],
  [32, 8192, 28672],
  [64, 57344, 8192],
  [64, 4096, 1096],
];
const transformers = [
  ...prefill.map((shape) => ({ shape, templates: ["matmul_tma"] })),
  ...decode.map((shape) => ({ shape, templates: ["matmul_latency", "matmul_tma"] })),
].map(({ shape, templates }) => {
  const [name, row] = product([...shape, "NT"], templates, 60, "0.8 of the library's speed");
  return [name, shape[0] >= 2048 ? { ...row, pace } : row];
});

/**
 * Products that no list above has: tall, wide, of few rows, with columns and sums that 64 does not divide; the last has rows of
 * an odd number of elements, which the copy engine cannot bring.
 */
/** @type {ProductShape[]} */
const fresh = [
  [65536, 128, 512, "NT"],
  [12288, 384, 2048, "NN"],
  [384, 20480, 1024, "NT"],
  [1000, 50264, 768, "NT"],
  [3000, 3000, 3000, "NN"],
  [1736, 2056, 3080, "NT"],
  [4104, 1032, 520, "NN"],
  [512, 7168, 2048, "NN"],
  [200, 10000, 1000, "NT"],
  [48, 3072, 8200, "NT"],
  [24, 5120, 5120, "NT"],
  [1555, 2111, 999, "NN"],
];
const freshRows = fresh.map((shape) => {
  const templates = shape[2] % 8 > 0 ? ["matmul_mma"] : [...(shape[0] < 64 ? ["matmul_latency"] : []), "matmul_tma"];
  return product(shape, templates, 60, "geometric mean 1.02 of the library's speed, none below 0.88");
});

export const groups = {
  hopper: Object.fromEntries([...hopperRows, hopper([8192, 8192, 8192, "NN"], "float16")]),
  narrow: Object.fromEntries(narrowRows),
  "3xtf32": Object.fromEntries(threeTf32Rows),
  grouped: Object.fromEntries(groupedRows),
  w4: Object.fromEntries(w4Rows),
  transformers: Object.fromEntries(transformers),
  fresh: Object.fromEntries(freshRows),
  conv7: {
    conv7: {
      templates: ["conv2d_splitk"],
      args: conv7,
      library: { op: "conv2d_nchw", args: { ...conv7, dtype: "float32" } },
      trials: 200,
      seeds: [1, 2, 3, 4, 5],
      wanted: "9.7 us, median of seeds 10.5 us",
    },
  },
  hwcn: {
    hwcn: {
      templates: ["conv2d_hwcn_direct"],
      args: hwcn,
      library: { op: "conv2d_hwcn", args: { ...hwcn, dtype: "float32" } },
      trials: 300,
      seeds: [1],
      wanted: "2100 us; 2000 us if it can be had",
    },
  },
  sgemm: { "sgemm-nn": sgemm("NN"), "sgemm-tn": sgemm("TN") },
  ...engineGroups,
};
