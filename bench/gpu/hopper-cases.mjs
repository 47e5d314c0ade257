/** What hopper.mjs runs: shapes, and entries of matmul_tma's knobs; a knob that is not named has its first choice. */
const of = (M, N, K, layout, dtype, entries) => ({ args: { M, N, K, dtype, layout }, entries });

/** Compared only. */
export const odd = [
  of(64, 64, 64, "NT", "float16", {}),
  of(64, 64, 1024, "NN", "float16", { producer: 40 }),
  of(128, 128, 192, "NN", "bfloat16", { consumers: 2, columns: 128, stages: 3, producer: 24 }),
  of(192, 192, 320, "TN", "float16", { consumers: 3, columns: 192, stages: 4, producer: 24 }),
  of(256, 256, 512, "TT", "bfloat16", { consumers: 2, columns: 256, stages: 4, group: 2, producer: 40 }),
  of(1000, 520, 328, "NN", "float16", { consumers: 2, columns: 64, stages: 5, group: 4, producer: 40 }),
  of(77, 33, 72, "NT", "bfloat16", { stages: 4, producer: 24 }),
  of(2048, 1024, 448, "NT", "float16", { consumers: 2, columns: 128, stages: 5, group: 8, blocks: 128, producer: 40 }),
];

const best = { consumers: 2, columns: 256, stages: 4, group: 8, blocks: 128, producer: 40 };
const at = (side, layout, other = {}, dtype = "float16") => of(side, side, side, layout, dtype, { ...best, ...other });
/** Compared and timed. */
export const timed = [
  at(4096, "NN"),
  at(4096, "NN", { producer: 0, blocks: 0 }),
  at(4096, "NN", { producer: 24 }),
  at(4096, "NN", { blocks: 0 }),
  at(4096, "NN", { group: 4 }),
  at(4096, "NN", { group: 16 }),
  at(4096, "NN", { group: 32 }),
  at(4096, "NN", { stages: 3 }),
  at(4096, "NN", { columns: 128, stages: 6 }),
  at(4096, "NN", { consumers: 1, columns: 256, stages: 5 }),
  at(4096, "NN", { consumers: 4, columns: 128, stages: 4, producer: 24 }),
  at(4096, "NN", {}, "bfloat16"),
  at(4096, "NT"),
  at(4096, "NT", { group: 4 }),
  at(4096, "NT", { group: 16 }),
  at(4096, "NT", { stages: 3, producer: 24 }),
  at(4096, "TN"),
  at(4096, "TT"),
  at(8192, "NN"),
  at(8192, "NN", { group: 16 }),
];
