/** Rows, windows, means and elementwise chains: computation.testing.ts. */
import {
  add,
  addTensors,
  all,
  at,
  type Buffer,
  compute,
  div,
  exp,
  graphOf,
  greaterEqual,
  less,
  maxOf,
  mul,
  placeholder,
  reduceAxis,
  relu,
  select,
  sqrt,
  sub,
  sum,
} from "@warpfarm/compiler/language";
import { type At, type Computation, computation, range, total } from "./computation.testing.ts";

function softmaxOf(x: Buffer, rows: At, columns: number): Buffer {
  const axes = rows.map((extent, d) => [`r${d}`, extent] as const);
  const [k, l] = [reduceAxis("k", columns), reduceAxis("l", columns)];
  const top = compute("top", axes, (...r) => maxOf(at(x, ...r, k.loopVar), [k]));
  const power = compute("power", [...axes, ["c", columns]], (...r) => exp(sub(at(x, ...r), at(top, ...r.slice(0, -1)))));
  const whole = compute("total", axes, (...r) => sum(at(power, ...r, l.loopVar), [l]));
  return compute("out", [...axes, ["c", columns]], (...r) => div(at(power, ...r), at(whole, ...r.slice(0, -1))));
}
const softmaxAt = (row: readonly number[], c: number): number => {
  const top = Math.max(...row);
  return Math.exp((row[c] as number) - top) / row.reduce((n, x) => n + Math.exp(x - top), 0);
};

export const rows = {
  softmax: computation(
    { R: 512, C: 1024 },
    { R: 7, C: 127 },
    ({ R, C }) => {
      const x = placeholder("x", [R, C]);
      return graphOf([x], [softmaxOf(x, [R], C)]);
    },
    ({ C }, read, [r = 0, c = 0]) =>
      softmaxAt(
        range(C).map((j) => read(0, r, j)),
        c,
      ),
  ),
  layer_norm: computation(
    { R: 512, C: 1024 },
    { R: 5, C: 101 },
    ({ R, C }) => {
      const [x, g, b] = [placeholder("x", [R, C]), placeholder("gamma", [C]), placeholder("beta", [C])];
      const [k, l] = [reduceAxis("k", C), reduceAxis("l", C)];
      const whole = compute("total", [["i", R]], (i) => sum(at(x, i, k.loopVar), [k]));
      const mean = compute("mean", [["i", R]], (i) => div(at(whole, i), C));
      const centred = compute(
        "centred",
        [
          ["i", R],
          ["j", C],
        ],
        (i, j) => sub(at(x, i, j), at(mean, i)),
      );
      const squares = compute("squares", [["i", R]], (i) => sum(mul(at(centred, i, l.loopVar), at(centred, i, l.loopVar)), [l]));
      const out = compute(
        "out",
        [
          ["i", R],
          ["j", C],
        ],
        (i, j) => add(mul(div(at(centred, i, j), sqrt(add(div(at(squares, i), C), 1e-5))), at(g, j)), at(b, j)),
      );
      return graphOf([x, g, b], [out]);
    },
    ({ C }, read, [r = 0, c = 0]) => {
      const mean = total([C], (j = 0) => read(0, r, j)) / C;
      const variance = total([C], (j = 0) => (read(0, r, j) - mean) ** 2) / C;
      return ((read(0, r, c) - mean) / Math.sqrt(variance + 1e-5)) * read(1, c) + read(2, c);
    },
  ),
  max_pool: computation(
    { C: 64, H: 112 },
    { C: 3, H: 7 },
    ({ C, H }) => {
      const x = placeholder("x", [1, C, H, H]);
      const [E, O] = [H + 2, Math.floor((H - 1) / 2) + 1];
      const padded = compute(
        "padded",
        [
          ["n", 1],
          ["c", C],
          ["y", E],
          ["x", E],
        ],
        (n, c, i, j) =>
          select(
            all(greaterEqual(i, 1), less(i, H + 1), greaterEqual(j, 1), less(j, H + 1)),
            at(x, n, c, sub(i, 1), sub(j, 1)),
            -3e38,
          ),
      );
      const [ry, rx] = [reduceAxis("ry", 3), reduceAxis("rx", 3)];
      return graphOf(
        [x],
        [
          compute(
            "pool",
            [
              ["n", 1],
              ["c", C],
              ["y", O],
              ["x", O],
            ],
            (n, c, i, j) => maxOf(at(padded, n, c, add(mul(i, 2), ry.loopVar), add(mul(j, 2), rx.loopVar)), [ry, rx]),
          ),
        ],
      );
    },
    ({ H }, read, [, c = 0, y = 0, x = 0]) => {
      const within = (i: number) => i >= 0 && i < H;
      const window = range(9).map((t) => [2 * y - 1 + Math.floor(t / 3), 2 * x - 1 + (t % 3)] as const);
      return Math.max(...window.filter(([i, j]) => within(i) && within(j)).map(([i, j]) => read(0, 0, c, i, j)));
    },
  ),
  global_avg_pool: computation(
    { N: 8, C: 512, H: 7 },
    { N: 2, C: 5, H: 9 },
    ({ N, C, H }) => {
      const [x, ry, rx] = [placeholder("x", [N, C, H, H]), reduceAxis("ry", H), reduceAxis("rx", H)];
      const whole = compute(
        "total",
        [
          ["n", N],
          ["c", C],
        ],
        (n, c) => sum(at(x, n, c, ry.loopVar, rx.loopVar), [ry, rx]),
      );
      return graphOf(
        [x],
        [
          compute(
            "out",
            [
              ["n", N],
              ["c", C],
            ],
            (n, c) => div(at(whole, n, c), H * H),
          ),
        ],
      );
    },
    ({ H }, read, [n = 0, c = 0]) => total([H, H], (y = 0, x = 0) => read(0, n, c, y, x)) / (H * H),
  ),
  elementwise_chain: computation(
    { R: 1024, C: 1024 },
    { R: 7, C: 13 },
    ({ R, C }) => {
      const [x, y, b] = [placeholder("x", [R, C]), placeholder("y", [R, C]), placeholder("b", [C])];
      return graphOf([x, y, b], [addTensors(relu(addTensors(x, b, { name: "shifted" }), { name: "r" }), y, { name: "out" })]);
    },
    (_, read, [r = 0, c = 0]) => Math.max(0, read(0, r, c) + read(2, c)) + read(1, r, c),
  ),
  attention_scores: computation(
    { B: 8, T: 128, D: 64 },
    { B: 2, T: 23, D: 7 },
    ({ B, T, D }) => {
      const [q, k, d] = [placeholder("q", [B, T, D]), placeholder("k", [B, T, D]), reduceAxis("d", D)];
      const axes = [
        ["b", B],
        ["i", T],
        ["j", T],
      ] as const;
      const scores = compute("scores", axes, (b, i, j) => sum(mul(at(q, b, i, d.loopVar), at(k, b, j, d.loopVar)), [d]));
      const scaled = compute("scaled", axes, (b, i, j) => mul(at(scores, b, i, j), 0.25));
      return graphOf([q, k], [softmaxOf(scaled, [B, T], T)]);
    },
    ({ T, D }, read, [b = 0, i = 0, c = 0]) =>
      softmaxAt(
        range(T).map((j) => 0.25 * total([D], (d = 0) => read(0, b, i, d) * read(1, b, j, d))),
        c,
      ),
  ),
} satisfies Record<string, Computation>;
