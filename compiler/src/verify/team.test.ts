/** Which expressions have one value in all lanes of a warp. */
import { expect, it } from "vitest";
import { Analyzer } from "../arith/analyzer.ts";
import * as b from "../ir/build.ts";
import { lin, n, v } from "../lower/ir.testing.ts";
import { Uniformity } from "./team.ts";

const [x, y, k] = [v("x"), v("y"), v("k")];
const analyzer = new Analyzer([
  [y, 12],
  [x, 8],
  [k, 5],
]);
const threads = [
  { loopVar: y, extent: 12 },
  { loopVar: x, extent: 8 },
].map((loop) => ({ kind: "For", forKind: "bound", body: b.seq([]), ...loop }) as const);
/** Rows of 8 threads: a warp has four values of y. */
const warps = new Uniformity(analyzer, threads, 32);

it.each([
  ["a loop's variable", k, true],
  ["the number of a warp", b.floorDiv(y, n(4)), true],
  ["half of it, and what is added to it", b.add(b.floorDiv(y, n(8)), k), true],
  ["the same of a place that begins with a warp", b.floorDiv(b.add(y, n(4)), n(8)), true],
  ["a thread", x, false],
  ["a row of threads", y, false],
  ["runs of rows that a warp's four are not whole parts of", b.floorDiv(y, n(6)), false],
  ["runs that begin within a warp", b.floorDiv(b.add(y, n(2)), n(4)), false],
  ["runs of other numbers", b.floorDiv(lin(y, 3), n(4)), false],
  ["what lies in a run", b.floorModulo(y, n(4)), false],
])("%s", (_, e, isUniform) => {
  expect(warps.expr(e)).toBe(isUniform);
  // Against all threads.
  const values = Array.from({ length: 96 }, (_, t) => {
    const at = new Map([
      [y, Math.floor(t / 8)],
      [x, t % 8],
      [k, 3],
    ]);
    const value = (part: typeof e): number => {
      if (part.kind === "Var") return at.get(part) ?? 0;
      if (part.kind === "IntImm") return part.value;
      if (!("a" in part)) throw new Error(part.kind);
      const [p, q] = [value(part.a), value(part.b)];
      if (part.kind === "Add") return p + q;
      if (part.kind === "Mul") return p * q;
      return part.kind === "FloorDiv" ? Math.floor(p / q) : p % q;
    };
    return value(e);
  });
  expect(values.every((one, t) => one === values[t - (t % 32)])).toBe(isUniform);
});
