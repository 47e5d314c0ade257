/** Rows of shapes.mjs: products of groups of rows (layers of experts), and of a batch, in one launch. */
/** Layers of experts: [groups, tiles, rows of a tile], and whether all groups have as many rows (ADR 110). */
/** @type {(shape: [groups: number, tiles: number, tile: number], even: boolean) => [string, object]} */
const grouped = ([groups, tiles, tile], even) => {
  const args = { groups, tiles, tile, N: 4096, K: 7168, dtype: "bfloat16", layout: "NT" };
  const named = ["rows", "group"].flatMap((order) =>
    [1, "2n"].map((cluster) => ({
      template: "grouped_tma",
      values: {
        ...{ consumers: 2, columns: 256, stages: 4, group: 8, waves: 0, producer: 40, epilogue: "tma", cluster, order, parts: 2 },
        chunk: 0,
      },
    })),
  );
  const wanted = "1.5 times a loop of cuBLAS; 0.95 of `dense`";
  const row = {
    templates: ["grouped_tma"],
    args,
    named,
    library: { op: "grouped", args: { ...args, even } },
    trials: 30,
    seeds: [1],
    wanted,
  };
  return [`${groups} groups, ${tiles} tiles of ${tile} rows${even ? "" : ", uneven"}`, row];
};
/** @type {(batch: number, shape: [number, number, number, string]) => [string, object]} */
const batched = (batch, [M, N, K, layout]) => {
  const args = { M, N, K, layout, dtype: "float16", batch };
  const row = { templates: ["matmul_tma"], args, library: { op: "batched", args }, trials: 30, seeds: [1], wanted: "stated" };
  return [`${batch} x ${M}x${N}x${K} ${layout} fp16`, row];
};
export const groupedRows = [
  grouped([8, 32, 128], true),
  grouped([64, 64, 128], true),
  grouped([8, 40, 128], false),
  grouped([64, 96, 128], false),
  batched(96, [512, 512, 512, "NT"]),
];
