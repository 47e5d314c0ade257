/**
 * The rows that shapes.mjs measures: a task, the library's operator of the same computation (interleaved.py), how long to search and what is
 * wanted, as a share of the library's time or in microseconds.
 */
const conv7 = { N: 1, H: 7, W: 7, CO: 512, CI: 512, KH: 3, KW: 3, stride: 1, padding: 1 };
const hwcn = { batch: 256, height: 14, width: 14, in_channels: 256, out_channels: 512, kernel: 3, stride: 1, padding: 1 };
const cube = { M: 4096, N: 4096, K: 4096 };

const sgemm = (layout, wanted) => ({
  template: "matmul_simt",
  args: { ...cube, layout },
  library: { op: "matmul", args: { ...cube, layout, dtype: "float32" } },
  trials: 300,
  seeds: [1],
  wanted,
});

export const rows = {
  conv7: {
    template: "conv2d_splitk",
    args: conv7,
    library: { op: "conv2d_nchw", args: { ...conv7, dtype: "float32" } },
    trials: 200,
    seeds: [1, 2, 3, 4, 5],
    wanted: "9.7 us, median of seeds 10.5 us",
  },
  hwcn: {
    template: "conv2d_hwcn_direct",
    args: hwcn,
    library: { op: "conv2d_hwcn", args: { ...hwcn, dtype: "float32" } },
    trials: 300,
    seeds: [1],
    wanted: "2100 us; 2000 us if it can be had",
  },
  "sgemm-nn": sgemm("NN", "1.03 of the library's time; 1.00 if it can be had"),
  "sgemm-tn": sgemm("TN", "1.03 of the library's time; 1.00 if it can be had"),
};
