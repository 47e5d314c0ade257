/** The cases of hopper.mjs: shapes, and values of matmul_tma's knobs; a knob that is not named has its first choice. */
const of = (M, N, K, layout, dtype, entries) => ({ args: { M, N, K, dtype, layout }, entries });

export const odd = [
  of(64, 64, 64, "NT", "float16", {}),
  of(64, 64, 1024, "NN", "float16", { producer: 40 }),
  of(128, 128, 192, "NN", "bfloat16", { consumers: 2, columns: 128, stages: 3, producer: 24 }),
  of(192, 192, 320, "TN", "float16", { consumers: 3, columns: 192, stages: 4, producer: 24 }),
  of(256, 256, 512, "TT", "bfloat16", { consumers: 2, columns: 256, stages: 4, group: 2, producer: 40 }),
  of(1000, 520, 328, "NN", "float16", { consumers: 2, columns: 64, stages: 5, group: 4, producer: 40 }),
  of(1000, 520, 328, "NT", "float16", { consumers: 2, columns: 64, stages: 4, waves: 2, producer: 40, epilogue: "tma" }),
  of(1024, 512, 200, "TN", "bfloat16", { consumers: 2, columns: 128, stages: 3, waves: 8, producer: 24, epilogue: "tma" }),
  of(77, 33, 72, "NT", "bfloat16", { stages: 4, producer: 24 }),
  of(2048, 1024, 448, "NT", "float16", { consumers: 2, columns: 128, stages: 5, group: 8, waves: 2, producer: 40 }),
  // Pairs of blocks: shared rows and columns, transposed and plain operands, no producer, odd numbers of tiles, parts of the
  // reduction.
  of(128, 64, 192, "NT", "float16", { cluster: "2m" }),
  of(64, 256, 448, "NN", "bfloat16", { columns: 128, stages: 3, cluster: "2n", producer: 24 }),
  of(256, 192, 320, "NN", "float16", { columns: 192, stages: 4, cluster: "2m", producer: 40 }),
  of(512, 512, 512, "TT", "bfloat16", { consumers: 2, columns: 256, stages: 3, group: 2, cluster: "2n", producer: 40 }),
  of(1000, 520, 328, "NN", "float16", { consumers: 2, columns: 64, stages: 5, group: 4, cluster: "2m", producer: 40 }),
  of(1000, 520, 328, "NT", "float16", { consumers: 2, stages: 4, waves: 2, cluster: "2m", producer: 40, epilogue: "tma" }),
  of(1600, 1024, 200, "TN", "bfloat16", {
    consumers: 2,
    columns: 128,
    stages: 3,
    waves: 0,
    cluster: "2m",
    producer: 24,
    epilogue: "tma",
  }),
  of(192, 256, 2048, "NN", "float16", { columns: 128, stages: 4, cluster: "2m", producer: 40, epilogue: 4 }),
  // Columns stored in parts: with and without a producer, by pairs, beyond the end.
  of(256, 256, 512, "NT", "bfloat16", { consumers: 2, columns: 256, stages: 4, producer: 40, epilogue: "tma", parts: 2 }),
  of(64, 128, 192, "NN", "float16", { columns: 128, stages: 3, epilogue: "tma", parts: 2 }),
  of(1000, 504, 328, "TN", "float16", {
    consumers: 2,
    columns: 256,
    stages: 4,
    waves: 2,
    cluster: "2m",
    producer: 24,
    epilogue: "tma",
    parts: 4,
  }),
];

const best = { consumers: 2, columns: 256, stages: 4, group: 8, waves: 4, producer: 40 };
const stored = { stages: 3, epilogue: "tma" };
const at = (side, layout, other = {}, dtype = "float16") => of(side, side, side, layout, dtype, { ...best, ...other });
/** With all that an epilogue can have: the residual by plain loads, and in slots of the ring. */
const layer = (layout, entries, side = 4096) => {
  const { args, entries: all } = at(side, layout, { epilogue: "tma", waves: 0, cluster: "2m", parts: 2, ...entries });
  return { args: { ...args, epilogue: ["bias", "residual", "relu"] }, entries: all };
};
export const layers = [
  layer("NN", { residual: "ring", stages: 3, consumers: 1, columns: 64, parts: 1, cluster: 1 }, 512),
  layer("TN", { residual: "ring", stages: 3, consumers: 3, columns: 128, producer: 24, cluster: 1 }, 1536),
  ...["NN", "NT"].flatMap((layout) => [
    layer(layout, {}),
    layer(layout, { residual: "ring" }),
    layer(layout, { residual: "ring", parts: 4 }),
    layer(layout, { residual: "ring", cluster: 1 }),
  ]),
];

const published = /** @type {const} */ ("published");
export const large = at(8192, "NN", { ...stored, waves: 0, cluster: "2n" });
const inParts = { epilogue: "tma", cluster: "2m", parts: 4 };
/** Products of different shapes, layouts and types, with one config each. */
const products = [
  at(4096, "NN", inParts),
  at(4096, "NN", stored, "bfloat16"),
  at(4096, "NT", inParts),
  at(4096, "TN", stored),
  at(4096, "TT", stored),
  large,
];
const square = { M: 4096, N: 4096, K: 4096 };
/** Ten kernels that are bound by power or nearly so, each with a config that is known to be fast. */
export const powerBound = [
  ...products.map(({ args, entries }) => ({ task: "matmul_tma", args, config: entries })),
  { task: "matmul_tma", args: { M: 2048, N: 2048, K: 2048, dtype: "float16", layout: "NN" }, config: products[0].entries },
  { task: "matmul_mma", args: square, config: published },
  { task: "matmul_simt", args: square, config: published },
  { task: "conv2d_nhwc_mma", config: published },
];
