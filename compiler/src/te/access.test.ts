import { expect, it } from "vitest";
import * as b from "../ir/build.ts";
import type { Load } from "../ir/expr.ts";
import { grainOf } from "./access.ts";
import { placeholder } from "./compute.ts";
import { at } from "./expr.ts";

it("the grain of an axis divides all its divisors in a load", () => {
  const A = placeholder("A", [64, 64]);
  const [i, j] = [b.variable("i"), b.variable("j")];
  const [fourth, sixth] = [b.floorDiv(i, b.int(4)), b.floorDiv(i, b.int(6))];
  const grain = (...indices: Parameters<typeof at>[1][]) => grainOf(at(A, ...indices) as Load, i);
  expect([grain(fourth, j), grain(fourth, sixth), grain(fourth, i), grain(j, j)]).toEqual([4, 2, 1, 0]);
});
