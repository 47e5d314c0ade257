/**
 * Computations to schedule at random: prime extents (and some last axes of 8 and 12, for vectors), padding, strides, halos,
 * diamonds, several dtypes, all three combiners, and small enough that a run costs a millisecond.
 */
import { constant } from "../../compiler/src/ir/build.ts";
import { compute, maxOf, minOf, placeholder, reduceAxis, scan, sum } from "../../compiler/src/te/compute.ts";
import { add, at, cast, equal, floorMod, maximum, mul, select, sub } from "../../compiler/src/te/expr.ts";
import type { Graph } from "../../compiler/src/te/graph.ts";
import { graphOf } from "../../compiler/src/te/graph-of.ts";
import { conv2dNchw } from "../../compiler/src/te/ops/conv2d.ts";
import { matmul } from "../../compiler/src/te/ops/matmul.ts";
import { pad } from "../../compiler/src/te/ops/pad.ts";

function conv(n: number, ci: number, h: number, w: number, co: number, stride: number, padding: number): Graph {
  const data = placeholder("data", [n, ci, h, w]);
  const kernel = placeholder("kernel", [co, ci, 3, 3]);
  return graphOf([data, kernel], [conv2dNchw(data, kernel, { stride, padding })]);
}

function product(layout: "NN" | "TT"): Graph {
  const a = placeholder("A", layout === "NN" ? [7, 5] : [5, 7]);
  const b = placeholder("B", layout === "NN" ? [5, 12] : [11, 5]);
  return graphOf([a, b], [matmul(a, b, { layout })]);
}

function elementwiseChain(): Graph {
  const a = placeholder("a", [11, 7]);
  const b = placeholder("b", [7, 11]);
  const t = compute(
    "t",
    [
      ["i", 11],
      ["j", 7],
    ],
    (i, j) => maximum(add(mul(at(a, i, j), 2), 1), 0),
  );
  const u = compute(
    "u",
    [
      ["i", 11],
      ["j", 7],
    ],
    (i, j) => select(equal(floorMod(add(i, j), 3), 0), sub(at(t, i, j), at(b, j, i)), at(t, sub(10, i), j)),
  );
  return graphOf([a, b], [u]);
}

/** max, then a stage that reads it by row, then sum: three ops, two of them reductions. */
function rowReductions(): Graph {
  const a = placeholder("a", [7, 13]);
  const k = reduceAxis("k", 13);
  const l = reduceAxis("l", 13);
  const m = compute("m", [["i", 7]], (i) => maxOf(at(a, i, k.loopVar), [k]));
  const e = compute(
    "e",
    [
      ["i", 7],
      ["j", 13],
    ],
    (i, j) => sub(at(a, i, j), at(m, i)),
  );
  const s = compute("s", [["i", 7]], (i) => sum(at(e, i, l.loopVar), [l]));
  return graphOf([a], [s]);
}

/** Overlapping regions at every stage: padding, a weighted sum of neighbours, a minimum over a 2x2 window at stride 2. */
function stencil(): Graph {
  const a = placeholder("a", [9, 11]);
  const p = pad(a, { name: "p", axes: ["i", "j"], before: [1, 2], after: [2, 0] });
  const q = compute(
    "q",
    [
      ["i", 11],
      ["j", 11],
    ],
    (i, j) => add(at(p, i, j), mul(at(p, add(i, 1), add(j, 2)), 3)),
  );
  const [r, c] = [reduceAxis("r", 2), reduceAxis("c", 2)];
  const w = compute(
    "w",
    [
      ["i", 5],
      ["j", 5],
    ],
    (i, j) => minOf(at(q, add(mul(i, 2), r.loopVar), add(mul(j, 2), c.loopVar)), [r, c]),
  );
  return graphOf([a], [w]);
}

/** int8 operands, int32 sums, then bias and relu. */
function quantized(): Graph {
  const a = placeholder("A", [5, 13], "int8");
  const b = placeholder("B", [13, 8], "int8");
  const bias = placeholder("bias", [8], "int32");
  const c = matmul(a, b, { outDtype: "int32" });
  const d = compute(
    "D",
    [
      ["i", 5],
      ["j", 7],
    ],
    (i, j) => maximum(add(at(c, i, j), at(bias, j)), 0),
  );
  return graphOf([a, b, bias], [d]);
}

/** One producer, two readers, two outputs. */
function diamond(): Graph {
  const a = placeholder("a", [5, 7]);
  const h = placeholder("h", [7], "float16");
  const x = compute(
    "x",
    [
      ["i", 5],
      ["j", 7],
    ],
    (i, j) => add(at(a, i, j), cast("float32", at(h, j))),
  );
  const y = compute(
    "y",
    [
      ["i", 5],
      ["j", 7],
    ],
    (i, j) => mul(at(x, i, j), 2),
  );
  const k = reduceAxis("k", 7);
  const z = compute("z", [["i", 5]], (i) => sum(mul(at(x, i, k.loopVar), at(y, sub(4, i), k.loopVar)), [k]));
  return graphOf([a, h], [y, z]);
}

/** A scan along the middle, its readers, and a sum with a decay. */
function recurrences(): Graph {
  const a = placeholder("a", [3, 5, 7]);
  const f = placeholder("f", [3, 5]);
  const axes = [
    ["i", 3],
    ["b", 5],
    ["j", 7],
  ] as const;
  const x = compute("x", axes, (i, b, j) => add(at(a, i, b, sub(6, j)), at(f, i, b)));
  const s = scan(
    "s",
    axes,
    "b",
    () => constant(1, "float32"),
    (before, i, b, j) => add(maximum(before, at(a, i, b, j)), at(x, i, b, j)),
  );
  const y = compute("y", axes, (i, b, j) => mul(at(s, i, b, j), add(at(s, i, sub(4, b), j), 1)));
  const [b, k] = [reduceAxis("b", 5), reduceAxis("k", 7)];
  const z = compute(
    "z",
    [
      ["i", 3],
      ["c", 4],
    ],
    (i, c) =>
      sum(mul(at(s, i, b.loopVar, k.loopVar), cast("float32", add(k.loopVar, c))), [b, k], { decay: at(f, i, b.loopVar) }),
  );
  return graphOf([a, f], [y, z]);
}

export const graphs: Readonly<Record<string, () => Graph>> = {
  conv: () => conv(1, 2, 5, 8, 3, 1, 1),
  conv_stride2: () => conv(2, 2, 7, 5, 3, 2, 1),
  matmul_nn: () => product("NN"),
  matmul_tt: () => product("TT"),
  elementwise_chain: elementwiseChain,
  row_reductions: rowReductions,
  stencil,
  quantized,
  diamond,
  recurrences,
};
