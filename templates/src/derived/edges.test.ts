/**
 * Computations at which rules could take the wrong stages: extents are equal everywhere, so that indices alone tell them apart.
 */
import { Random } from "@warpfarm/common";
import { evaluate } from "@warpfarm/compiler";
import {
  add,
  addTensors,
  at,
  type Buffer,
  compute,
  exp,
  floorDiv,
  floorMod,
  type Graph,
  graphOf,
  groupNorm,
  matmul,
  maxOf,
  mul,
  placeholder,
  reduceAxis,
  relu,
  sub,
  sum,
} from "@warpfarm/compiler/language";
import { expect, it } from "vitest";
import { dataOf, faultIn, outputsOf } from "./check.testing.ts";
import { derive } from "./derive.ts";

const n = 20;
const square = (name: string): Buffer => placeholder(name, [n, n]);
const rows = [["i", n]] as const;
const both = [...rows, ["j", n]] as const;
const k = () => reduceAxis("k", n);

function ofRows(x: Buffer): Buffer {
  const along = k();
  return compute("s", rows, (i) => sum(at(x, i, along.loopVar), [along]));
}

const graphs: Readonly<Record<string, () => readonly [Graph, Readonly<Record<string, string>>]>> = {
  "a product read at exchanged indices is no epilogue": () => {
    const [a, b] = [square("A"), square("B")];
    const c = matmul(a, b, { name: "C" });
    return [graphOf([a, b], [compute("out", both, (i, j) => add(at(c, j, i), 1))]), { C: "product of tiles", out: "map" }];
  },
  "a part of a product is no epilogue": () => {
    const [a, b] = [square("A"), square("B")];
    const c = matmul(a, b, { name: "C" });
    const part = [["i", 12] as const, ["j", n] as const];
    return [graphOf([a, b], [compute("out", part, (i, j) => add(at(c, i, j), 1))]), { C: "product of tiles", out: "map" }];
  },
  "an output ends a nest": () => {
    const [a, b] = [square("A"), square("B")];
    const c = matmul(a, b, { name: "C" });
    return [graphOf([a, b], [c, relu(c, { name: "r" })]), { C: "product of tiles", r: "map" }];
  },
  "columns are no rows": () => {
    const x = square("x");
    const along = k();
    const top = compute("top", [["j", n]], (j) => maxOf(at(x, along.loopVar, j), [along]));
    return [
      graphOf([x], [compute("out", both, (i, j) => exp(sub(at(x, i, j), at(top, j))))]),
      { top: "sums by columns", out: "map" },
    ];
  },
  "sums of rows read along columns are no rows": () => {
    const x = square("x");
    const s = ofRows(x);
    return [graphOf([x], [compute("out", both, (i, j) => sub(at(x, i, j), at(s, j)))]), { s: "sums by threads", out: "map" }];
  },
  "sums of rows read along rows and along columns are no rows": () => {
    const x = square("x");
    const s = ofRows(x);
    return [
      graphOf([x], [compute("out", both, (i, j) => sub(mul(at(x, i, j), at(s, i)), at(s, j)))]),
      { s: "sums by threads", out: "map" },
    ];
  },
  "a mean that is an output too has a nest of its own": () => {
    const x = square("x");
    const s = ofRows(x);
    return [graphOf([x], [compute("out", both, (i, j) => sub(at(x, i, j), at(s, i))), s]), { s: "sums by threads", out: "map" }];
  },
  "rows of two lengths": () => {
    const [x, whole, half] = [placeholder("x", [2, 12]), reduceAxis("k", 12), reduceAxis("k", 6)];
    const s = compute("s", [["i", 2]], (i) => sum(at(x, i, whole.loopVar), [whole]));
    const halves = [["i", 2] as const, ["h", 2] as const];
    const t = compute("t", halves, (i, h) => sum(at(x, i, add(mul(h, 6), half.loopVar)), [half]));
    const axes = [["i", 2] as const, ["j", 12] as const];
    const out = compute("out", axes, (i, j) => sub(sub(at(x, i, j), at(s, i)), at(t, i, floorDiv(j, 6))));
    return [graphOf([x], [out]), { out: "rows" }];
  },
  "rows that end within an axis that they do not divide": () => {
    const [x, along] = [placeholder("x", [2, 6]), reduceAxis("k", 4)];
    const s = compute("s", [["r", 3]], (r) => {
      const place = add(mul(r, 4), along.loopVar);
      return sum(at(x, floorDiv(place, 6), floorMod(place, 6)), [along]);
    });
    const axes = [["i", 2] as const, ["j", 6] as const];
    const out = compute("out", axes, (i, j) => sub(at(x, i, j), at(s, floorDiv(add(mul(i, 6), j), 4))));
    return [graphOf([x], [out]), { s: "sums by threads", out: "map" }];
  },
  "an operand that one stage of rows reads backwards": () => {
    const x = square("x");
    const s = ofRows(x);
    const out = compute("out", both, (i, j) => sub(at(x, i, sub(n - 1, j)), at(s, i)));
    return [graphOf([x], [out]), { s: "rows", out: "rows" }];
  },
  "a factor of both sides is no product of tiles": () => {
    const [x, y, z] = [square("x"), square("y"), placeholder("z", [2 * n])];
    const along = k();
    const body = (i: Parameters<typeof add>[0], j: Parameters<typeof add>[0]) =>
      sum(mul(mul(at(x, i, along.loopVar), at(y, j, along.loopVar)), at(z, add(i, j))), [along]);
    return [graphOf([x, y, z], [compute("out", both, body)]), { out: "sums by threads" }];
  },
  "the largest of products is no product of tiles": () => {
    const [a, b, along] = [square("A"), square("B"), k()];
    const out = compute("out", both, (i, j) => maxOf(mul(at(a, i, along.loopVar), at(b, along.loopVar, j)), [along]));
    return [graphOf([a, b], [out]), { out: "sums by columns" }];
  },
  "an axis that two factors divide differently": () => {
    const [x, along] = [placeholder("x", [12, n]), k()];
    const [fours, sixes] = [placeholder("fours", [3, n]), placeholder("sixes", [2, n, n])];
    const out = compute("out", [["i", 12] as const, ["j", n] as const], (i, j) => {
      const left = mul(at(x, i, along.loopVar), at(fours, floorDiv(i, 4), along.loopVar));
      return sum(mul(left, at(sixes, floorDiv(i, 6), along.loopVar, j)), [along]);
    });
    return [graphOf([x, fours, sixes], [out]), { out: "sums by columns" }];
  },
  "two products and what both need": () => {
    const [a, b, w] = [square("A"), square("B"), square("W")];
    const c = matmul(a, b, { name: "C" });
    const d = matmul(relu(addTensors(c, a, { name: "ca" }), { name: "rc" }), w, { name: "D" });
    const rules = { C: "product of tiles", ca: "inline", rc: "inline", D: "product of tiles", out: "product of tiles" };
    return [graphOf([a, b, w], [addTensors(d, c, { name: "out" })]), rules];
  },
  "whole numbers": () => {
    const [a, b] = [placeholder("A", [n, n], "int8"), placeholder("B", [n, n], "int8")];
    return [graphOf([a, b], [matmul(a, b, { name: "C", outDtype: "int32" })]), { C: "product of tiles" }];
  },
};

it.each(Object.entries(graphs))("%s", (_, make) => {
  const [graph, rules] = make();
  for (const target of ["cuda/sm_90", "cpu/x86-64-v3"]) {
    const derived = derive(graph, target);
    const known = derived.explained.filter(({ stage }) => stage in rules);
    const found = Object.fromEntries(
      known.map(({ stage, rule }) => [stage, rule.startsWith("sums by threads") ? "sums by threads" : rule]),
    );
    if (target.startsWith("cuda")) expect(found).toEqual(rules);
    expect(derived.explained.filter(({ why = "" }) => why.includes("refused"))).toEqual([]);
    const random = new Random(1);
    const data = dataOf(graph, random);
    const want = evaluate(graph, data);
    for (const index of [derived.start, derived.space.random(random)]) {
      const run = outputsOf(derived, index, target, data);
      expect(run && faultIn(graph, run, (name) => want.get(name) as never)).toBeUndefined();
    }
  }
});

it("every config of rows that end within an axis is right", () => {
  const x = placeholder("x", [1, 4, 6]);
  const graph = graphOf([x], [groupNorm(x, 2, { name: "out" })]);
  const derived = derive(graph, "cuda/sm_90");
  expect(derived.explained).toContainEqual(expect.objectContaining({ stage: "out", rule: "rows" }));
  const data = dataOf(graph, new Random(1));
  const want = evaluate(graph, data);
  const { valid } = derived.space;
  for (let nth = 0; nth < valid.count; nth++) {
    const run = outputsOf(derived, derived.space.toIndex(valid.nth(nth)), "cuda/sm_90", data);
    expect(run && faultIn(graph, run, (name) => want.get(name) as never)).toBeUndefined();
  }
});
