/**
 * Strides as TVM's reader of indices takes them: left to right in the order of a canonical sum, each variable where it is first
 * met.
 */
import { expect, it } from "vitest";
import { Analyzer } from "../arith/analyzer.ts";
import { add, floorDiv, floorModulo, int, mul, sub, variable } from "../ir/build.ts";
import type { Expr } from "../ir/expr.ts";
import { FirstStrides } from "./first-strides.ts";

const [z, x, y] = [variable("z"), variable("x"), variable("y")];
const times = (e: Expr, n: number) => mul(e, int(n));
const over = (e: Expr, n: number) => floorDiv(e, int(n));
const modulo = (e: Expr, n: number) => floorModulo(e, int(n));
const line = (n: number) => add(times(x, n), y);

it.each<[string, Expr, Record<string, number>]>([
  ["x*6 + y in 9ths and their rest", add(times(over(line(6), 9), 81), modulo(line(6), 9)), { x: 6, y: 1, z: 0 }],
  [
    "z after a remainder, whose 31 is a 4",
    add(z, add(times(over(line(31), 27), 49), times(over(modulo(line(31), 27), 3), 7))),
    { x: 31, y: 1, z: 4 },
  ],
  ["z of coefficient 1 after a remainder of coefficient 9", add(z, times(modulo(line(31), 4), 9)), { x: 3, y: 1, z: 1 }],
  [
    "z of coefficient 1 after two remainders, of which the second leaves its multiplier",
    add(z, add(times(modulo(line(31), 16), 90), times(modulo(line(31), 4), 9))),
    { x: 15, y: 1, z: 3 },
  ],
  ["z of a larger coefficient before", add(times(z, 50), times(modulo(line(31), 4), 9)), { z: 50, x: 3, y: 1 }],
  ["x taken away", sub(add(z, y), times(x, 7)), { z: 1, y: 1, x: 7 }],
])("%s", (_, index, expected) => {
  const analyzer = new Analyzer([
    [z, 7],
    [x, 7],
    [y, 31],
  ]);
  const strides = new FirstStrides(analyzer).read(analyzer.linear(index));
  expect(Object.fromEntries([x, y, z].map((v) => [v.name, strides.get(v) ?? 0]))).toEqual(expected);
});
