/**
 * Scans and sums with a decay, derived for both targets and run by the interpreter, against loops written by hand. Sizes are odd
 * and unequal, so that no dimension passes for another.
 */
import { Random } from "@warpfarm/common";
import { evaluate } from "@warpfarm/compiler";
import {
  add,
  at,
  type Buffer,
  compute,
  constant,
  div,
  type Expr,
  exp2,
  floorDiv,
  type Graph,
  graphOf,
  greater,
  maximum,
  maxOf,
  mul,
  placeholder,
  reduceAxis,
  scan,
  select,
  sub,
  sum,
} from "@warpfarm/compiler/language";
import { describe, expect, it } from "vitest";
import { dataOf, faultIn, outputsOf } from "./check.testing.ts";
import { derive } from "./derive.ts";

type Read = (input: number, ...index: readonly number[]) => number;
interface Recurrence {
  readonly graph: Graph;
  /** The output by loops, row-major. */
  readonly byHand: (read: Read) => readonly number[];
}

const range = (n: number): readonly number[] => Array.from({ length: n }, (_, i) => i);
const zero = () => constant(0, "float32");
const of = (...shapes: readonly (readonly number[])[]): readonly Buffer[] =>
  shapes.map((shape, i) => placeholder(`in${i}`, shape));

/** Sums of all before an element of [3, 5, 7], along one of the dimensions. */
const total = (along: 0 | 1 | 2): Recurrence => {
  const [x] = of([3, 5, 7]) as [Buffer];
  const names = ["a", "b", "c"] as const;
  const axes = names.map((name, d) => [name, x.shape[d] as number] as const);
  return {
    graph: graphOf([x], [scan("out", axes, names[along], zero, (before, ...index) => add(before, at(x, ...index)))]),
    byHand: (read) => {
      const out: number[] = [];
      const from = [35, 7, 1][along] as number;
      for (let a = 0; a < 3; a++)
        for (let b = 0; b < 5; b++)
          for (let c = 0; c < 7; c++)
            out.push(([a, b, c][along] === 0 ? 0 : (out[out.length - from] as number)) + read(0, a, b, c));
      return out;
    },
  };
};

/** An online softmax of blocks, as in attention: maxima before, decays, and two decayed sums (Milakov and Gimelshein, 2018). */
function attention(queries: number, blocks: number, block: number, width: number): Recurrence {
  const [q, k, v] = of([queries, 3], [blocks * block, 3], [blocks * block, width]) as [Buffer, Buffer, Buffer];
  const d = reduceAxis("d", 3);
  const scores = compute(
    "scores",
    [
      ["i", queries],
      ["j", blocks * block],
    ],
    (i, j) => sum(mul(at(q, i, d.loopVar), at(k, j, d.loopVar)), [d]),
  );
  const [inBlock, ofL, ofO] = ["jm", "jl", "jo"].map((name) => reduceAxis(name, block)) as [typeof d, typeof d, typeof d];
  const place = (b: Expr, j: Expr) => add(mul(b, block), j);
  const most = compute(
    "most",
    [
      ["i", queries],
      ["b", blocks],
    ],
    (i, b) => maxOf(at(scores, i, place(b, inBlock.loopVar)), [inBlock]),
  );
  const rows = [
    ["i", queries],
    ["b", blocks],
  ] as const;
  const m = scan(
    "m",
    rows,
    "b",
    () => constant(-Infinity, "float32"),
    (before, i, b) => maximum(before, at(most, i, b)),
  );
  const decay = compute("decay", rows, (i, b) => select(greater(b, 0), exp2(sub(at(m, i, sub(b, 1)), at(m, i, b))), 0));
  const p = compute(
    "p",
    [
      ["i", queries],
      ["j", blocks * block],
    ],
    (i, j) => exp2(sub(at(scores, i, j), at(m, i, floorDiv(j, block)))),
  );
  const [bl, bo] = [reduceAxis("bl", blocks), reduceAxis("bo", blocks)];
  const l = compute("l", [["i", queries]], (i) =>
    sum(at(p, i, place(bl.loopVar, ofL.loopVar)), [bl, ofL], { decay: at(decay, i, bl.loopVar) }),
  );
  const o = compute(
    "o",
    [
      ["i", queries],
      ["e", width],
    ],
    (i, e) =>
      sum(mul(at(p, i, place(bo.loopVar, ofO.loopVar)), at(v, place(bo.loopVar, ofO.loopVar), e)), [bo, ofO], {
        decay: at(decay, i, bo.loopVar),
      }),
  );
  const out = compute(
    "out",
    [
      ["i", queries],
      ["e", width],
    ],
    (i, e) => div(at(o, i, e), at(l, i)),
  );
  return {
    graph: graphOf([q, k, v], [out]),
    byHand: (read) => {
      const keys = range(blocks * block);
      return range(queries).flatMap((i) => {
        const s = keys.map((j) => range(3).reduce((a, e) => a + read(0, i, e) * read(1, j, e), 0));
        const top = Math.max(...s);
        const weights = s.map((x) => 2 ** (x - top));
        const all = weights.reduce((a, w) => a + w, 0);
        return range(width).map((e) => keys.reduce((a, j) => a + (weights[j] as number) * read(2, j, e), 0) / all);
      });
    },
  };
}

/** h = h * a + x, from a given state, and what is read from all states. */
function linear(): Recurrence {
  const [a, x, h0] = of([7, 5], [7, 5], [5]) as [Buffer, Buffer, Buffer];
  const h = scan(
    "h",
    [
      ["t", 7],
      ["c", 5],
    ],
    "t",
    (_, c) => at(h0, c),
    (before, t, c) => add(mul(before, at(a, t, c)), at(x, t, c)),
  );
  const out = compute(
    "out",
    [
      ["t", 7],
      ["c", 5],
    ],
    (t, c) => mul(at(h, t, c), at(x, t, c)),
  );
  return {
    graph: graphOf([a, x, h0], [out]),
    byHand: (read) => {
      const h = range(5).map((c) => read(2, c));
      return range(7).flatMap((t) =>
        range(5).map((c) => {
          h[c] = (h[c] as number) * read(0, t, c) + read(1, t, c);
          return (h[c] as number) * read(1, t, c);
        }),
      );
    },
  };
}

/** A decay without other reduce axes, and an epilogue. */
function faded(): Recurrence {
  const [a, x] = of([6, 3], [6, 3, 5]) as [Buffer, Buffer];
  const t = reduceAxis("t", 6);
  const s = compute(
    "s",
    [
      ["r", 3],
      ["c", 5],
    ],
    (r, c) => sum(at(x, t.loopVar, r, c), [t], { decay: at(a, t.loopVar, r) }),
  );
  return {
    graph: graphOf(
      [a, x],
      [
        compute(
          "out",
          [
            ["r", 3],
            ["c", 5],
          ],
          (r, c) => add(mul(at(s, r, c), 2), 1),
        ),
      ],
    ),
    byHand: (read) =>
      range(3).flatMap((r) => range(5).map((c) => range(6).reduce((s, t) => s * read(0, t, r) + read(1, t, r, c), 0) * 2 + 1)),
  };
}

const recurrences: Readonly<Record<string, () => Recurrence>> = {
  "totals along the first dimension": () => total(0),
  "totals along a middle dimension": () => total(1),
  "totals along the last dimension": () => total(2),
  "totals of a vector": () => {
    const [x] = of([13]) as [Buffer];
    return {
      graph: graphOf([x], [scan("out", [["i", 13]], "i", zero, (before, i) => add(before, at(x, i)))]),
      byHand: (read) => range(13).map((i) => range(i + 1).reduce((s, j) => s + read(0, j), 0)),
    };
  },
  "a linear recurrence from a given state": linear,
  "a decayed sum with an epilogue": faded,
  "attention by blocks": () => attention(5, 3, 7, 9),
};

describe.each(Object.entries(recurrences))("%s", (_, make) => {
  const { graph, byHand } = make();
  const data = dataOf(graph, new Random(7));
  const read: Read = (input, ...index) => {
    const { name, shape } = graph.inputs[input] as Buffer;
    return Number((data.get(name) as ArrayLike<number>)[index.reduce((place, i, d) => place * (shape[d] as number) + i, 0)]);
  };
  const expected = byHand(read);
  it("by its definition", () => {
    const got = evaluate(graph, data).get("out") as ArrayLike<number>;
    for (const [i, value] of expected.entries()) expect(got[i]).toBeCloseTo(value, 4);
  });
  it.each(["cpu/x86-64-v3", "cuda/sm_90"])("schedules for %s", (target) => {
    const derived = derive(graph, target);
    const random = new Random(11);
    for (const index of [derived.start, ...range(4).map(() => derived.space.toIndex(random.below(derived.space.size)))]) {
      const run = outputsOf(derived, index, target, data);
      expect(run && faultIn(graph, run, () => expected)).toBeUndefined();
    }
  });
});
