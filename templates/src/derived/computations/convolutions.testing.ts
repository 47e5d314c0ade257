/** Convolutions of all kinds: computation.testing.ts. */
import {
  add,
  addTensors,
  all,
  at,
  type Buffer,
  cast,
  castTensor,
  compute,
  conv2dNchw,
  equal,
  floorDiv,
  floorMod,
  graphOf,
  greaterEqual,
  less,
  mul,
  pad,
  placeholder,
  reduceAxis,
  relu,
  select,
  sub,
  sum,
} from "@warpfarm/compiler/language";
import { type At, type Computation, computation, i0, i1, i2, i3, type Read, range, total } from "./computation.testing.ts";

/** A convolution of images of any rank: each of `taps` dimensions has its kernel, stride, dilation and padding. */
const convolved = (
  read: Read,
  [n, f, ...place]: At,
  channels: At,
  kernel: At,
  { stride = 1, dilation = 1, padding = 0 } = {},
): number =>
  total(
    [channels.length, ...kernel],
    (c = 0, ...tap) =>
      read(0, n as number, channels[c] as number, ...place.map((x, d) => x * stride + (tap[d] as number) * dilation - padding)) *
      read(1, f as number, c, ...tap),
  );

const convolution = (
  sizes: { F: number; C: number },
  place: At,
  kernel: At,
  tap: (x: Buffer) => Buffer,
  inputs: readonly [At, At],
) => {
  const [d, w] = [placeholder("data", inputs[0] as number[]), placeholder("kernel", inputs[1] as number[])];
  return { d, w, padded: tap(d), taps: [sizes.C, ...kernel].map((extent, i) => reduceAxis(`k${i}`, extent)), place };
};

export const convolutions = {
  conv2d: computation(
    { N: 1, C: 512, H: 7, W: 7, F: 512, st: 1, p: 1 },
    { N: 2, C: 5, H: 5, W: 7, F: 13, st: 2, p: 1 },
    ({ N, C, H, W, F, st, p }) => {
      const [d, w] = [placeholder("data", [N, C, H, W]), placeholder("kernel", [F, C, 3, 3])];
      return graphOf([d, w], [conv2dNchw(d, w, { stride: st, padding: p })]);
    },
    ({ C, st, p }, read, index) => convolved(read, index, range(C), [3, 3], { stride: st, padding: p }),
  ),
  conv2d_bias_relu: computation(
    { C: 64, H: 56, F: 64 },
    { C: 3, H: 7, F: 6 },
    ({ C, H, F }) => {
      const [d, w, b] = [placeholder("data", [1, C, H, H]), placeholder("kernel", [F, C, 3, 3]), placeholder("bias", [F, 1, 1])];
      return graphOf(
        [d, w, b],
        [relu(addTensors(conv2dNchw(d, w, { stride: 1, padding: 1 }), b, { name: "biased" }), { name: "out" })],
      );
    },
    ({ C }, read, index) => Math.max(0, convolved(read, index, range(C), [3, 3], { padding: 1 }) + read(2, i1(index), 0, 0)),
  ),
  conv2d_dilated: computation(
    { C: 64, H: 28, F: 64 },
    { C: 3, H: 7, F: 5 },
    ({ C, H, F }) => {
      const { d, w, padded, taps } = convolution({ C, F }, [H, H], [3, 3], (x) => pad(x, { before: [0, 0, 2, 2] }), [
        [1, C, H, H],
        [F, C, 3, 3],
      ]);
      const [c, y, x] = taps.map(({ loopVar }) => loopVar) as [never, never, never];
      return graphOf(
        [d, w],
        [
          compute(
            "conv",
            [
              ["n", 1],
              ["f", F],
              ["y", H],
              ["x", H],
            ],
            (n, f, i, j) => sum(mul(at(padded, n, c, add(i, mul(y, 2)), add(j, mul(x, 2))), at(w, f, c, y, x)), taps),
          ),
        ],
      );
    },
    ({ C }, read, index) => convolved(read, index, range(C), [3, 3], { dilation: 2, padding: 2 }),
  ),
  conv2d_grouped: computation(
    { G: 4, C: 32, H: 28, F: 32 },
    { G: 3, C: 2, H: 5, F: 4 },
    ({ G, C, H, F }) => {
      const { d, w, padded, taps } = convolution({ C, F }, [H, H], [3, 3], (x) => pad(x, { before: [0, 0, 1, 1] }), [
        [1, G * C, H, H],
        [G * F, C, 3, 3],
      ]);
      const [c, y, x] = taps.map(({ loopVar }) => loopVar) as [never, never, never];
      return graphOf(
        [d, w],
        [
          compute(
            "conv",
            [
              ["n", 1],
              ["f", G * F],
              ["y", H],
              ["x", H],
            ],
            (n, f, i, j) =>
              sum(mul(at(padded, n, add(mul(floorDiv(f, F), C), c), add(i, y), add(j, x)), at(w, f, c, y, x)), taps),
          ),
        ],
      );
    },
    ({ C, F }, read, index) =>
      convolved(
        read,
        index,
        range(C).map((c) => Math.floor(i1(index) / F) * C + c),
        [3, 3],
        { padding: 1 },
      ),
  ),
  depthwise: computation(
    { C: 128, H: 56 },
    { C: 3, H: 7 },
    ({ C, H }) => {
      const [d, w] = [placeholder("data", [1, C, H, H]), placeholder("kernel", [C, 1, 3, 3])];
      return graphOf([d, w], [conv2dNchw(d, w, { name: "depthwise", padding: 1, groups: C })]);
    },
    (_, read, index) => convolved(read, index, [i1(index)], [3, 3], { padding: 1 }),
  ),
  conv1d: computation(
    { N: 4, C: 64, L: 1024, F: 64 },
    { N: 3, C: 3, L: 21, F: 5 },
    ({ N, C, L, F }) => {
      const { d, w, padded, taps } = convolution({ C, F }, [L], [5], (x) => pad(x, { before: [0, 0, 2] }), [
        [N, C, L],
        [F, C, 5],
      ]);
      const [c, x] = taps.map(({ loopVar }) => loopVar) as [never, never];
      return graphOf(
        [d, w],
        [
          compute(
            "conv",
            [
              ["n", N],
              ["f", F],
              ["x", L],
            ],
            (n, f, i) => sum(mul(at(padded, n, c, add(i, x)), at(w, f, c, x)), taps),
          ),
        ],
      );
    },
    ({ C }, read, index) => convolved(read, index, range(C), [5], { padding: 2 }),
  ),
  conv3d: computation(
    { C: 16, D: 8, H: 28, F: 32 },
    { C: 2, D: 3, H: 5, F: 3 },
    ({ C, D, H, F }) => {
      const { d, w, padded, taps } = convolution({ C, F }, [D, H, H], [3, 3, 3], (x) => pad(x, { before: [0, 0, 1, 1, 1] }), [
        [1, C, D, H, H],
        [F, C, 3, 3, 3],
      ]);
      const [c, z, y, x] = taps.map(({ loopVar }) => loopVar) as [never, never, never, never];
      return graphOf(
        [d, w],
        [
          compute(
            "conv",
            [
              ["n", 1],
              ["f", F],
              ["z", D],
              ["y", H],
              ["x", H],
            ],
            (n, f, h, i, j) => sum(mul(at(padded, n, c, add(h, z), add(i, y), add(j, x)), at(w, f, c, z, y, x)), taps),
          ),
        ],
      );
    },
    ({ C }, read, index) => convolved(read, index, range(C), [3, 3, 3], { padding: 1 }),
  ),
  // Stride 2, 4x4, padding 1: the data with zeros between and around, then a convolution with the turned kernel.
  conv2d_transposed: computation(
    { C: 64, H: 14, F: 32 },
    { C: 3, H: 3, F: 5 },
    ({ C, H, F }) => {
      const E = 2 * H + 3;
      const wide = (d: Buffer) =>
        compute(
          "wide",
          [
            ["n", 1],
            ["c", C],
            ["i", E],
            ["j", E],
          ],
          (n, c, i, j) => {
            const inside = [i, j].flatMap((x) => [greaterEqual(x, 2), less(x, 2 * H + 2), equal(floorMod(x, 2), 0)]);
            return select(all(...inside), at(d, n, c, floorDiv(sub(i, 2), 2), floorDiv(sub(j, 2), 2)), 0);
          },
        );
      const { d, w, padded, taps } = convolution({ C, F }, [H, H], [4, 4], wide, [
        [1, C, H, H],
        [C, F, 4, 4],
      ]);
      const [c, y, x] = taps.map(({ loopVar }) => loopVar) as [never, never, never];
      return graphOf(
        [d, w],
        [
          compute(
            "conv",
            [
              ["n", 1],
              ["f", F],
              ["y", 2 * H],
              ["x", 2 * H],
            ],
            (n, f, i, j) => sum(mul(at(padded, n, c, add(i, y), add(j, x)), at(w, c, f, sub(3, y), sub(3, x))), taps),
          ),
        ],
      );
    },
    ({ C, H }, read, [, f = 0, y = 0, x = 0]) =>
      total([C, H, H], (c = 0, i = 0, j = 0) => read(0, 0, c, i, j) * read(1, c, f, y - 2 * i + 1, x - 2 * j + 1)),
  ),
  conv2d_nhwc_f16: computation(
    { N: 8, H: 14, C: 64, F: 64 },
    { N: 1, H: 5, C: 6, F: 10 },
    ({ N, H, C, F }) => {
      const [x, w] = [placeholder("data", [N, H, H, C], "float16"), placeholder("kernel", [3, 3, C, F], "float16")];
      const padded = pad(x, { before: [0, 1, 1, 0] });
      const [ry, rx, rc] = [reduceAxis("ry", 3), reduceAxis("rx", 3), reduceAxis("rc", C)];
      const sums = compute(
        "sums",
        [
          ["n", N],
          ["y", H],
          ["x", H],
          ["f", F],
        ],
        (n, y, z, f) =>
          sum(
            mul(
              cast("float32", at(padded, n, add(y, ry.loopVar), add(z, rx.loopVar), rc.loopVar)),
              cast("float32", at(w, ry.loopVar, rx.loopVar, rc.loopVar, f)),
            ),
            [ry, rx, rc],
          ),
      );
      return graphOf([x, w], [castTensor(sums, "float16", { name: "conv" })]);
    },
    ({ C }, read, index) =>
      total(
        [3, 3, C],
        (ry = 0, rx = 0, c = 0) => read(0, i0(index), i1(index) + ry - 1, i2(index) + rx - 1, c) * read(1, ry, rx, c, i3(index)),
      ),
  ),
} satisfies Record<string, Computation>;
