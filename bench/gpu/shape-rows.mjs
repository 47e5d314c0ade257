/**
 * The groups of rows that shapes.mjs measures. A row: a task by one template or several, the library's operator of the same
 * computation (interleaved.py), how many trials a search has and which seeds, and what is wanted.
 */
const conv7 = { N: 1, H: 7, W: 7, CO: 512, CI: 512, KH: 3, KW: 3, stride: 1, padding: 1 };
const hwcn = { batch: 256, height: 14, width: 14, in_channels: 256, out_channels: 512, kernel: 3, stride: 1, padding: 1 };
const cube = { M: 4096, N: 4096, K: 4096 };

const sgemm = (layout) => ({
  templates: ["matmul_simt"],
  args: { ...cube, layout },
  library: { op: "matmul", args: { ...cube, layout, dtype: "float32" } },
  trials: 300,
  seeds: [1],
  wanted: "1.03 of the library's time; 1.00 if it can be had",
});

/**
 * Side, input channels, output channels, kernel, stride: the distinct convolutions of ResNet-50 (v1.5: the 3x3 has the stride).
 */
const resnetShapes = [
  [224, 3, 64, 7, 2],
  [56, 64, 64, 1, 1],
  [56, 64, 64, 3, 1],
  [56, 64, 256, 1, 1],
  [56, 256, 64, 1, 1],
  [56, 256, 128, 1, 1],
  [56, 256, 512, 1, 2],
  [56, 128, 128, 3, 2],
  [28, 128, 512, 1, 1],
  [28, 512, 128, 1, 1],
  [28, 128, 128, 3, 1],
  [28, 512, 256, 1, 1],
  [28, 512, 1024, 1, 2],
  [28, 256, 256, 3, 2],
  [14, 256, 1024, 1, 1],
  [14, 1024, 256, 1, 1],
  [14, 256, 256, 3, 1],
  [14, 1024, 512, 1, 1],
  [14, 1024, 2048, 1, 2],
  [14, 512, 512, 3, 2],
  [7, 512, 2048, 1, 1],
  [7, 2048, 512, 1, 1],
  [7, 512, 512, 3, 1],
];

const resnet = ([side, CI, CO, kernel, stride]) => {
  const args = { N: 1, H: side, W: side, CO, CI, KH: kernel, KW: kernel, stride, padding: kernel >> 1 };
  return [
    `${side}x${side} ${CI}-${CO} ${kernel}x${kernel}/${stride}`,
    {
      templates: ["conv2d_nchw_gemm", ...(kernel === 3 ? ["conv2d_splitk"] : [])],
      args,
      library: { op: "conv2d_nchw", args: { ...args, dtype: "float32" } },
      trials: 60,
      seeds: [1],
      wanted: "0.9 of the library's speed",
    },
  ];
};

export const groups = {
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
  resnet: Object.fromEntries(resnetShapes.map(resnet)),
};
