/**
 * Convolutions NHWC in float16 by the copy engine (ADR 91) beside cuDNN: those of ResNet-50, of odd sizes, and gradients of data.
 */

/** @typedef {[side: number, inChannels: number, outChannels: number, kernel: number, stride: number]} ConvShape */

/**
 * Side, input channels, output channels, kernel, stride: the distinct convolutions of ResNet-50 (v1.5: the 3x3 has the stride).
 */
/** @type {ConvShape[]} */
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

const square = ([N, side, CI, CO, kernel, stride]) => ({
  ...{ N, H: side, W: side, CO, CI, KH: kernel, KW: kernel, stride: [stride, stride], padding: [kernel >> 1, kernel >> 1] },
});
const notBelow = "geometric mean 1.0 of the library's speed, none below 0.85";
/** @type {(args: Record<string, any>, wanted: string) => [string, object]} */
const engineConv = (args, wanted) => {
  const { N, H, W, CO, CI, KH, KW, stride, padding, dilation = [1, 1], groups = 1, gradient, epilogue } = args;
  const more = [
    padding.length > 2 ? ` padding ${padding.join("-")}` : "",
    dilation.some((d) => d > 1) ? ` dilation ${dilation.join("x")}` : "",
    groups > 1 ? ` groups ${groups}` : "",
    gradient ? ` gradient of ${gradient}` : "",
    epilogue ? ` ${epilogue.join(" ")}` : "",
  ];
  return [
    `${N}x${H}x${W} ${CI}-${CO} ${KH}x${KW}/${stride.join("x")}${more.join("")} fp16 tma`,
    {
      templates: ["conv2d_nhwc_tma"],
      args,
      library: { op: "conv2d_nhwc", args: { ...args, dtype: "float16" } },
      trials: 100,
      seeds: [1],
      wanted,
    },
  ];
};
const odd2d = (N, [H, W], [CI, CO], [KH, KW], more = {}) => ({
  ...{ N, H, W, CO, CI, KH, KW, stride: [1, 1], padding: [KH >> 1, KW >> 1], ...more },
});
const oddEngine = [
  odd2d(8, [17, 17], [768, 192], [1, 7]),
  odd2d(8, [17, 17], [192, 192], [7, 1]),
  odd2d(5, [35, 33], [64, 96], [3, 3]),
  odd2d(3, [149, 147], [32, 64], [3, 3], { padding: [0, 0] }),
  odd2d(7, [35, 35], [48, 64], [5, 5]),
  odd2d(16, [56, 56], [64, 64], [3, 3], { dilation: [2, 2], padding: [2, 2] }),
  odd2d(4, [65, 65], [256, 256], [3, 3], { dilation: [4, 4], padding: [4, 4] }),
  odd2d(4, [65, 65], [256, 256], [3, 3], { dilation: [2, 1], padding: [2, 1] }),
  odd2d(8, [112, 112], [32, 64], [3, 3], { stride: [2, 2], padding: [0, 0, 1, 1] }),
  odd2d(8, [57, 31], [128, 128], [3, 3], { stride: [2, 1], padding: [1, 0, 0, 2] }),
  odd2d(8, [30, 61], [72, 200], [3, 3]),
  odd2d(2, [100, 1], [80, 80], [9, 1]),
  odd2d(1, [7, 7], [512, 512], [3, 3]),
  odd2d(1, [224, 224], [64, 64], [3, 3]),
  odd2d(128, [4, 4], [1024, 1000], [1, 1]),
  odd2d(33, [13, 13], [384, 384], [3, 3]),
  odd2d(32, [28, 28], [256, 256], [3, 3], { groups: 4 }),
  odd2d(32, [14, 14], [512, 512], [3, 3], { groups: 32 }),
  odd2d(16, [27, 27], [96, 256], [5, 5], { groups: 2 }),
  odd2d(9, [63, 64], [40, 24], [3, 3], { stride: [3, 3] }),
];

/** Those of ResNet-50 whose pixels the copy engine can bring. */
const resnetOf = (N) => resnetShapes.filter(([, CI]) => CI >= 16).map((shape) => square([N, ...shape]));

/** With fp16 results as the library's. */
export const engineGroups = {
  "conv-tma": Object.fromEntries([
    ...[32, 256].flatMap((N) => resnetOf(N).map((args) => engineConv(args, notBelow))),
    engineConv(square([64, 7, 512, 512, 3, 1]), notBelow),
    engineConv(square([32, 64, 128, 256, 3, 1]), notBelow),
  ]),
  "conv-tma-relu": Object.fromEntries(
    [32, 256].flatMap((N) =>
      resnetOf(N).map((args) =>
        engineConv({ ...args, epilogue: ["bias", "relu"] }, "1.0 of the library's speed, fused or apart"),
      ),
    ),
  ),
  // Of the data, beside cuDNN's backward pass.
  "conv-tma-gradient": Object.fromEntries(
    [
      square([32, 56, 64, 64, 3, 1]),
      square([64, 7, 512, 512, 3, 1]),
      square([32, 28, 128, 512, 1, 1]),
      square([32, 14, 256, 256, 3, 1]),
    ].map((args) => engineConv({ ...args, gradient: "input" }, notBelow)),
  ),
  "conv-tma-odd": Object.fromEntries(oddEngine.map((args) => engineConv(args, "right; the ratio is stated"))),
};
