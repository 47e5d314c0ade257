/** Products of matrices: computation.testing.ts. */
import {
  add,
  addTensors,
  at,
  attention,
  cast,
  castTensor,
  compute,
  graphOf,
  matmul,
  mul,
  placeholder,
  reduceAxis,
  sum,
  tanh,
} from "@warpfarm/compiler/language";
import { type Computation, computation, i0, i1, i2, type Read, range, total } from "./computation.testing.ts";

/** The mean of the values of the first `keys`, weighted by the exponentials of their scores. */
function attended(keys: number, D: number, read: Read, [b, h, i, e]: readonly number[]): number {
  const scores = range(keys).map(
    (j) =>
      total(
        [D],
        (d) => read(0, b as number, h as number, i as number, d as number) * read(1, b as number, h as number, j, d as number),
      ) / Math.sqrt(D),
  );
  const weights = scores.map((score) => Math.exp(score - Math.max(...scores)));
  const all = weights.reduce((sum, w) => sum + w, 0);
  return weights.reduce((sum, w, j) => sum + w * read(2, b as number, h as number, j, e as number), 0) / all;
}

export const products = {
  matmul: computation(
    { M: 512, N: 512, K: 512 },
    { M: 17, N: 19, K: 71 },
    ({ M, N, K }) => {
      const [a, b] = [placeholder("A", [M, K]), placeholder("B", [K, N])];
      return graphOf([a, b], [matmul(a, b, { name: "C" })]);
    },
    ({ K }, read, index) => total([K], (k = 0) => read(0, i0(index), k) * read(1, k, i1(index))),
  ),
  matmul_nt: computation(
    { M: 512, N: 512, K: 512 },
    { M: 13, N: 23, K: 37 },
    ({ M, N, K }) => {
      const [a, b] = [placeholder("A", [M, K]), placeholder("B", [N, K])];
      return graphOf([a, b], [matmul(a, b, { layout: "TN", name: "C" })]);
    },
    ({ K }, read, index) => total([K], (k = 0) => read(0, i0(index), k) * read(1, i1(index), k)),
  ),
  batched_matmul: computation(
    { B: 8, M: 128 },
    { B: 3, M: 17 },
    ({ B, M }) => {
      const [a, b, k] = [placeholder("A", [B, M, M]), placeholder("B", [B, M, M]), reduceAxis("k", M)];
      return graphOf(
        [a, b],
        [
          compute(
            "C",
            [
              ["b", B],
              ["i", M],
              ["j", M],
            ],
            (n, i, j) => sum(mul(at(a, n, i, k.loopVar), at(b, n, k.loopVar, j)), [k]),
          ),
        ],
      );
    },
    ({ M }, read, index) => total([M], (k = 0) => read(0, i0(index), i1(index), k) * read(1, i0(index), k, i2(index))),
  ),
  matmul_gelu: computation(
    { M: 256, N: 256, K: 512 },
    { M: 9, N: 11, K: 30 },
    ({ M, N, K }) => {
      const [a, b, bias] = [placeholder("A", [M, K]), placeholder("B", [K, N]), placeholder("bias", [N])];
      const biased = addTensors(matmul(a, b, { name: "product" }), bias, { name: "biased" });
      const out = compute(
        "out",
        [
          ["i", M],
          ["j", N],
        ],
        (i, j) => {
          const v = at(biased, i, j);
          return mul(mul(0.5, v), add(1, tanh(mul(0.7978845608, add(v, mul(0.044715, mul(v, mul(v, v))))))));
        },
      );
      return graphOf([a, b, bias], [out]);
    },
    ({ K }, read, index) => {
      const v = total([K], (k = 0) => read(0, i0(index), k) * read(1, k, i1(index))) + read(2, i1(index));
      return 0.5 * v * (1 + Math.tanh(0.7978845608 * (v + 0.044715 * v ** 3)));
    },
  ),
  matmul_f16: computation(
    { M: 512, N: 512, K: 512 },
    { M: 33, N: 18, K: 37 },
    ({ M, N, K }) => {
      const [a, b] = [placeholder("A", [M, K], "float16"), placeholder("B", [K, N], "float16")];
      return graphOf([a, b], [castTensor(matmul(a, b, { name: "sums", outDtype: "float32" }), "float16", { name: "C" })]);
    },
    ({ K }, read, index) => total([K], (k = 0) => read(0, i0(index), k) * read(1, k, i1(index))),
  ),
  attention_f16: computation(
    { B: 8, T: 512, D: 64 },
    { B: 2, T: 19, D: 13 },
    ({ B, T, D }) => {
      const [q, k, d] = [placeholder("q", [B, T, D], "float16"), placeholder("k", [B, T, D], "float16"), reduceAxis("d", D)];
      return graphOf(
        [q, k],
        [
          compute(
            "scores",
            [
              ["b", B],
              ["i", T],
              ["j", T],
            ],
            (b, i, j) => sum(mul(cast("float32", at(q, b, i, d.loopVar)), cast("float32", at(k, b, j, d.loopVar))), [d]),
          ),
        ],
      );
    },
    ({ D }, read, index) => total([D], (d = 0) => read(0, i0(index), i1(index), d) * read(1, i0(index), i2(index), d)),
  ),
  attention: computation(
    { B: 1, H: 8, T: 512, S: 512, D: 64 },
    { B: 2, H: 1, T: 11, S: 13, D: 7 },
    ({ B, H, T, S, D }) => {
      const [q, k, v] = [placeholder("q", [B, H, T, D]), placeholder("k", [B, H, S, D]), placeholder("v", [B, H, S, D])];
      return graphOf([q, k, v], [attention(q, k, v)]);
    },
    ({ S, D }, read, index) => attended(S, D, read, index),
  ),
  attention_causal: computation(
    { B: 1, H: 8, T: 512, S: 512, D: 64 },
    { B: 1, H: 2, T: 9, S: 14, D: 8 },
    ({ B, H, T, S, D }) => {
      const [q, k, v] = [placeholder("q", [B, H, T, D]), placeholder("k", [B, H, S, D]), placeholder("v", [B, H, S, D])];
      return graphOf([q, k, v], [attention(q, k, v, { isCausal: true })]);
    },
    ({ S, D }, read, index) => attended(Math.min(S, i2(index) + 1), D, read, index),
  ),
  matvec: computation(
    { M: 2048, K: 2048 },
    { M: 37, K: 101 },
    ({ M, K }) => {
      const [a, x, k] = [placeholder("A", [M, K]), placeholder("x", [K]), reduceAxis("k", K)];
      return graphOf([a, x], [compute("y", [["i", M]], (i) => sum(mul(at(a, i, k.loopVar), at(x, k.loopVar)), [k]))]);
    },
    ({ K }, read, index) => total([K], (k = 0) => read(0, i0(index), k) * read(1, k)),
  ),
} satisfies Record<string, Computation>;
