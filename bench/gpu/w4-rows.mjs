/**
 * Rows of shapes.mjs: linear layers of few rows with weights of 4 bits (ADR 123), and the same of float16 by our own template.
 * Weights come from memory, as those of a network do. Both rows have one library: their ratio is that of our kernels.
 */
const cold = { pace: { measure: "repeat=21,l2=flushed" }, seeds: [1] };
/** @type {(M: number) => [string, object][]} */
const fewRows = (M) => {
  const sizes = { M, N: 4096, K: 4096 };
  const halves = { ...sizes, dtype: "float16", layout: "NT" };
  const wanted = `3.0 of the speed of fp16 ${M}x4096x4096`;
  return [
    [
      `w4 ${M}x4096x4096`,
      { ...cold, templates: ["linear_w4"], args: sizes, trials: 60, library: { op: "w4", args: sizes, cold: true }, wanted },
    ],
    [
      `fp16 ${M}x4096x4096`,
      {
        ...{ ...cold, templates: ["matmul_latency"], args: halves, trials: 60, wanted: "stated" },
        library: { op: "matmul", args: halves, cold: true },
      },
    ],
  ];
};
export const w4Rows = [1, 8, 16].flatMap(fewRows);
