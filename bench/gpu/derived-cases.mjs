/**
 * Computations without schedules (docs/deriving.md), and the operator of PyTorch for each (derived.py). Sizes of `cases` are
 * small: a kernel takes some microseconds, and its data stays in the second-level cache. Those of `large` move 64 MB or more, in
 * float32 and float16.
 */
import {
  add,
  addTensors,
  all,
  at,
  cast,
  castTensor,
  compute,
  conv2dNchw,
  div,
  equal,
  exp,
  floorDiv,
  floorMod,
  graphOf,
  greaterEqual,
  layerNorm as layerNormOf,
  less,
  matmul,
  maxOf,
  maxPool as maxPoolOf,
  meanOver,
  mul,
  pad,
  placeholder,
  reduceAxis,
  relu,
  select,
  softmax as softmaxOf,
  sqrt,
  sub,
  sum,
} from "../../index.js";

const inputs = (...shapes) => shapes.map((shape, i) => placeholder(`in${i}`, shape));
const taps = (...extents) => extents.map((extent, i) => reduceAxis(`k${i}`, extent));
const axesOf = (shape) => shape.map((extent, d) => [`i${d}`, extent]);

/**
 * A convolution of data padded on both sides, its taps `dilation` apart, its channels in groups.
 * @param {{ data: number[], kernel: number[], padding?: number, dilation?: number, groups?: number, widened?: (data: any) => any
 * }} shape
 */
function convolution({ data, kernel, padding = 0, dilation = 1, groups = 1, widened }) {
  const [d, w] = inputs(data, kernel);
  const place = data.slice(2);
  const padded = widened ? widened(d) : pad(d, { before: [0, 0, ...place.map(() => padding)] });
  const [perGroup, filters] = [kernel[1], kernel[0] / groups];
  const reduce = taps(perGroup, ...kernel.slice(2));
  const [c, ...tap] = reduce.map(({ loopVar }) => loopVar);
  const out = padded.shape.slice(2).map((extent, i) => extent - dilation * (kernel[2 + i] - 1));
  return graphOf(
    [d, w],
    [
      compute("conv", axesOf([data[0], kernel[0], ...out]), (n, f, ...at_) => {
        const channel = groups === 1 ? c : add(mul(floorDiv(f, filters), perGroup), c);
        const index = at_.map((x, i) => add(x, dilation === 1 ? tap[i] : mul(tap[i], dilation)));
        return sum(mul(at(padded, n, channel, ...index), at(w, f, c, ...tap)), reduce);
      }),
    ],
  );
}

/**
 * Zeros between and around the data: a transposed convolution of stride 2, with the kernel turned and its first axes exchanged.
 */
const widened = (d) => {
  const [, C, H] = d.shape;
  return compute("wide", axesOf([1, C, 2 * H + 3, 2 * H + 3]), (n, c, i, j) => {
    const inside = [i, j].flatMap((x) => [greaterEqual(x, 2), less(x, 2 * H + 2), equal(floorMod(x, 2), 0)]);
    return select(all(...inside), at(d, n, c, floorDiv(sub(i, 2), 2), floorDiv(sub(j, 2), 2)), 0);
  });
};

function product(M, N, K, dtype) {
  const [a, b] = [placeholder("in0", [M, K], dtype), placeholder("in1", [K, N], dtype)];
  if (dtype === "float32") return graphOf([a, b], [matmul(a, b, { name: "C" })]);
  return graphOf([a, b], [castTensor(matmul(a, b, { name: "sums", outDtype: "float32" }), dtype, { name: "C" })]);
}

function softmax(R, C) {
  const [x] = inputs([R, C]);
  const [k, l] = taps(C, C);
  const top = compute("top", axesOf([R]), (i) => maxOf(at(x, i, k.loopVar), [k]));
  const power = compute("power", axesOf([R, C]), (i, j) => exp(sub(at(x, i, j), at(top, i))));
  const total = compute("total", axesOf([R]), (i) => sum(at(power, i, l.loopVar), [l]));
  return graphOf([x], [compute("out", axesOf([R, C]), (i, j) => div(at(power, i, j), at(total, i)))]);
}

function layerNorm(R, C) {
  const [x, g, b] = inputs([R, C], [C], [C]);
  const [k, l] = taps(C, C);
  const total = compute("total", axesOf([R]), (i) => sum(at(x, i, k.loopVar), [k]));
  const centred = compute("centred", axesOf([R, C]), (i, j) => sub(at(x, i, j), div(at(total, i), C)));
  const squares = compute("squares", axesOf([R]), (i) => sum(mul(at(centred, i, l.loopVar), at(centred, i, l.loopVar)), [l]));
  const scaled = (i, j) => div(at(centred, i, j), sqrt(add(div(at(squares, i), C), 1e-5)));
  return graphOf([x, g, b], [compute("out", axesOf([R, C]), (i, j) => add(mul(scaled(i, j), at(g, j)), at(b, j)))]);
}

function maxPool(C, H) {
  const [x] = inputs([1, C, H, H]);
  const [E, O] = [H + 2, Math.floor((H - 1) / 2) + 1];
  const within = (i) => [greaterEqual(i, 1), less(i, H + 1)];
  const padded = compute("padded", axesOf([1, C, E, E]), (n, c, i, j) =>
    select(all(...within(i), ...within(j)), at(x, n, c, sub(i, 1), sub(j, 1)), -3e38),
  );
  const reduce = taps(3, 3);
  const [y, z] = reduce.map(({ loopVar }) => loopVar);
  return graphOf(
    [x],
    [
      compute("pool", axesOf([1, C, O, O]), (n, c, i, j) =>
        maxOf(at(padded, n, c, add(mul(i, 2), y), add(mul(j, 2), z)), reduce),
      ),
    ],
  );
}

function mean(N, C, H) {
  const [x] = inputs([N, C, H, H]);
  const reduce = taps(H, H);
  const total = compute("total", axesOf([N, C]), (n, c) => sum(at(x, n, c, ...reduce.map(({ loopVar }) => loopVar)), reduce));
  return graphOf([x], [compute("out", axesOf([N, C]), (n, c) => div(at(total, n, c), H * H))]);
}

function batched(B, M) {
  const [a, b] = inputs([B, M, M], [B, M, M]);
  const [k] = taps(M);
  return graphOf(
    [a, b],
    [compute("C", axesOf([B, M, M]), (n, i, j) => sum(mul(at(a, n, i, k.loopVar), at(b, n, k.loopVar, j)), [k]))],
  );
}

function conv2d() {
  const [d, w] = inputs([1, 512, 7, 7], [512, 512, 3, 3]);
  return graphOf([d, w], [conv2dNchw(d, w, { stride: 1, padding: 1 })]);
}

function depthwise() {
  const [d, w] = inputs([1, 128, 56, 56], [128, 1, 3, 3]);
  return graphOf([d, w], [conv2dNchw(d, w, { name: "depthwise", padding: 1, groups: 128 })]);
}

function chain(R, C) {
  const [x, y, b] = inputs([R, C], [R, C], [C]);
  return graphOf([x, y, b], [addTensors(relu(addTensors(x, b, { name: "shifted" }), { name: "r" }), y, { name: "out" })]);
}

function vector(M, K) {
  const [a, x] = inputs([M, K], [K]);
  const [k] = taps(K);
  return graphOf([a, x], [compute("y", axesOf([M]), (i) => sum(mul(at(a, i, k.loopVar), at(x, k.loopVar)), [k]))]);
}

/** By name, which derived.py knows too. */
export const cases = {
  conv2d,
  conv2d_dilated: () => convolution({ data: [1, 64, 28, 28], kernel: [64, 64, 3, 3], padding: 2, dilation: 2 }),
  conv2d_grouped: () => convolution({ data: [1, 128, 28, 28], kernel: [128, 32, 3, 3], padding: 1, groups: 4 }),
  depthwise,
  conv1d: () => convolution({ data: [4, 64, 1024], kernel: [64, 64, 5], padding: 2 }),
  conv3d: () => convolution({ data: [1, 16, 8, 28, 28], kernel: [32, 16, 3, 3, 3], padding: 1 }),
  conv2d_transposed: () => convolution({ data: [1, 64, 14, 14], kernel: [32, 64, 4, 4], widened }),
  matmul: () => product(512, 512, 512, "float32"),
  batched_matmul: () => batched(8, 128),
  matmul_f16: () => product(512, 512, 512, "float16"),
  softmax: () => softmax(512, 1024),
  layer_norm: () => layerNorm(512, 1024),
  max_pool: () => maxPool(64, 112),
  mean: () => mean(8, 512, 7),
  elementwise_chain: () => chain(1024, 1024),
  matvec: () => vector(2048, 2048),
};

/** Operands and result of a type, and arithmetic in float32. */
function typed(dtype, shapes, operator) {
  const given = shapes.map((shape, i) => placeholder(`in${i}`, shape, dtype));
  if (dtype === "float32") return graphOf(given, [operator(given)]);
  const wide = given.map((x, i) => castTensor(x, "float32", { name: `wide${i}` }));
  return graphOf(given, [castTensor(operator(wide), dtype, { name: "out" })]);
}

/** The same for sums of products, whose operands stay as they are. */
function typedProduct(dtype, shapes, operator) {
  const given = shapes.map((shape, i) => placeholder(`in${i}`, shape, dtype));
  const sums = operator(given);
  return graphOf(given, [dtype === "float32" ? sums : castTensor(sums, dtype, { name: "out" })]);
}

const columns = 4096;
const wide = (e) => (e.dtype === "float32" ? e : cast("float32", e));
/** @type {Readonly<Record<string, (dtype: any) => any>>} */
const operators = {
  softmax: (dtype) => typed(dtype, [[16384, columns]], ([x]) => softmaxOf(x)),
  layer_norm: (dtype) =>
    typed(dtype, [[16384, columns], [columns], [columns]], ([x, scale, bias]) => layerNormOf(x, { scale, bias })),
  elementwise_chain: (dtype) =>
    typed(dtype, [[8192, 8192], [8192, 8192], [8192]], ([x, y, b]) =>
      addTensors(relu(addTensors(x, b, { name: "shifted" }), { name: "r" }), y, { name: "sum" }),
    ),
  conv2d: (dtype) =>
    typedProduct(
      dtype,
      [
        [128, 64, 56, 56],
        [64, 64, 3, 3],
      ],
      ([d, w]) => conv2dNchw(d, w, { padding: 1, outDtype: "float32" }),
    ),
  depthwise: (dtype) =>
    typedProduct(
      dtype,
      [
        [1, 8192, 56, 56],
        [8192, 1, 3, 3],
      ],
      ([d, w]) => conv2dNchw(d, w, { name: "depthwise", padding: 1, groups: 8192, outDtype: "float32" }),
    ),
  matmul: (dtype) =>
    typedProduct(
      dtype,
      [
        [4096, 4096],
        [4096, 4096],
      ],
      ([a, b]) => matmul(a, b, { name: "sums", outDtype: "float32" }),
    ),
  max_pool: (dtype) => {
    const x = placeholder("in0", [1, 2048, 112, 112], dtype);
    return graphOf([x], [maxPoolOf(x, { size: [3, 3], stride: 2, padding: 1 })]);
  },
  mean: (dtype) => typed(dtype, [[512, 2048, 7, 7]], ([x]) => meanOver(x, [2, 3])),
  matvec: (dtype) =>
    typedProduct(dtype, [[16384, 8192], [8192]], ([a, x]) => {
      const [k] = taps(8192);
      return compute("y", axesOf([16384]), (i) => sum(mul(wide(at(a, i, k.loopVar)), wide(at(x, k.loopVar))), [k]));
    }),
};

const heads = (D, mask) => ({ B: 4, H: 16, M: 4096, N: 4096, D, mask });
/** Arguments of attention_tma, by names that derived.py knows too. */
export const attention = {
  attention_64_f16: heads(64, "full"),
  attention_128_f16: heads(128, "full"),
  attention_64_causal_f16: heads(64, "causal"),
  attention_128_causal_f16: heads(128, "causal"),
};

/** By name, which derived.py knows too. */
export const large = Object.fromEntries(
  Object.entries(operators).flatMap(([name, of]) => [
    [`large_${name}`, () => of("float32")],
    [`large_${name}_f16`, () => of("float16")],
  ]),
);
