/**
 * Orders of grids of every size: each place once; groups by their definition; Hilbert's curve by its definition on squares of
 * powers of two, and by its purpose on all others.
 */
import { describe, expect, it } from "vitest";
import { curveTable, mostPlaces } from "./curves.ts";

const sizes = Array.from({ length: 15 }, (_, i) => i + 1);
const grids = sizes.flatMap((rows) => sizes.map((columns) => [rows, columns] as const));
const orderOf = (order: "group" | "hilbert", group: number, rows: number, columns: number) => {
  const values = curveTable({ order, group }, rows, columns)?.values ?? [];
  return values.map((place) => [Math.floor(place / columns), place % columns] as const);
};
const ascending = (values: readonly number[]) => [...values].sort((x, y) => x - y);

it("go through each place once, whatever the grid's sides", () => {
  for (const [rows, columns] of grids)
    for (const [order, group] of [
      ["hilbert", 1],
      ["reverse", 1],
      ["group", 1],
      ["group", 3],
      ["group", 20],
    ] as const) {
      const table = curveTable({ order, group }, rows, columns);
      expect(ascending(table?.values ?? []), table?.name).toEqual(Array.from({ length: rows * columns }, (_, i) => i));
    }
});

it("groups: by group, then column, then row; the last group has what is left", () => {
  for (const [rows, columns] of grids)
    for (const group of [1, 2, 3, 8]) {
      const places = Array.from({ length: rows * columns }, (_, i) => [Math.floor(i / columns), i % columns] as const);
      const key = ([row, column]: readonly [number, number]) =>
        (Math.floor(row / group) * columns + column) * group + (row % group);
      expect(orderOf("group", group, rows, columns)).toEqual(places.sort((x, y) => key(x) - key(y)));
    }
});

it("reverse: from the last place to the first", () => {
  for (const [rows, columns] of grids)
    expect(
      curveTable({ order: "reverse", group: 1 }, rows, columns)?.values.every((place, i) => place === rows * columns - 1 - i),
    ).toBe(true);
});

describe("Hilbert's curve", () => {
  /** Where it is after `d` of the steps of a square of side n, a power of two: by digits of d, as it is defined. */
  function definition(n: number, d: number): readonly [number, number] {
    let [x, y, rest] = [0, 0, d];
    for (let side = 1; side < n; side *= 2) {
      const right = Math.floor(rest / 2) % 2;
      const up = (rest ^ right) % 2;
      if (up === 0) {
        if (right === 1) [x, y] = [side - 1 - x, side - 1 - y];
        [x, y] = [y, x];
      }
      x += side * right;
      y += side * up;
      rest = Math.floor(rest / 4);
    }
    return [x, y];
  }

  it.each([1, 2, 4, 8, 16, 32])("is the curve of a square of side %i, from one corner or mirrored", (n) => {
    const found = orderOf("hilbert", 1, n, n);
    const wanted = Array.from({ length: n * n }, (_, d) => definition(n, d));
    expect([wanted, wanted.map(([x, y]) => [y, x])]).toContainEqual(found);
  });

  it("goes to a neighbour in every step, but for one diagonal step where a side is odd", () => {
    for (const [rows, columns] of grids) {
      const order = orderOf("hilbert", 1, rows, columns);
      const steps = order.slice(1).map(([row, column], i) => {
        const [fromRow, fromColumn] = order[i] as readonly [number, number];
        return [Math.abs(row - fromRow), Math.abs(column - fromColumn)];
      });
      const diagonal = steps.filter(([down, right]) => down === 1 && right === 1);
      expect(steps.every(([down = 9, right = 9]) => down + right === 1 || (down === 1 && right === 1))).toBe(true);
      expect(diagonal.length).toBeLessThanOrEqual(1);
    }
  });

  it("has blocks of one wave read less than row by row: 132 of 32 x 32 tiles", () => {
    const most = (order: readonly (readonly [number, number])[]) => {
      let sides = 0;
      for (let from = 0; from + 132 <= order.length; from += 132) {
        const wave = order.slice(from, from + 132);
        sides = Math.max(sides, new Set(wave.map(([row]) => row)).size + new Set(wave.map(([, column]) => column)).size);
      }
      return sides;
    };
    const rows = Array.from({ length: 1024 }, (_, i) => [Math.floor(i / 32), i % 32] as const);
    expect(most(rows)).toBe(32 + 5);
    // 12 + 11 is the least that 132 tiles can do.
    expect(most(orderOf("hilbert", 1, 32, 32))).toBe(32);
  });
});

it("are none for a grid beyond a table", () => {
  expect(curveTable({ order: "hilbert", group: 1 }, mostPlaces / 8, 8)?.values).toHaveLength(mostPlaces);
  expect(curveTable({ order: "hilbert", group: 1 }, mostPlaces / 8 + 1, 8)).toBeUndefined();
});
