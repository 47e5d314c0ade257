/**
 * Orders in which a loop visits a grid of rows and columns: so that places close in the order are close in the grid, or from the
 * last to the first. A table has the place of each iteration: row * columns + column, each place once, for a grid of any size.
 */
import { invariant } from "@warpfarm/common";
import type { Table } from "../../ir/expr.ts";

export const curveOrders = ["group", "hilbert", "reverse"] as const;
type CurveOrder = (typeof curveOrders)[number];
/** `group`: rows that are visited together. */
export interface Curve {
  readonly order: CurveOrder;
  readonly group: number;
}

/** Each place takes two bytes of a device's constant memory of 64 KiB. */
export const mostPlaces = 2 ** 14;

type Step = readonly [row: number, column: number];
type Visit = (row: number, column: number) => void;

/** Column by column through `group` rows, then through the next group; the last may be smaller. */
function inGroups(rows: number, columns: number, group: number, visit: Visit): void {
  for (let first = 0; first < rows; first += group)
    for (let column = 0; column < columns; column++)
      for (let row = first; row < Math.min(rows, first + group); row++) visit(row, column);
}

const length = ([row, column]: Step): number => Math.abs(row + column);
const unit = ([row, column]: Step): Step => [Math.sign(row), Math.sign(column)];
const plus = (...steps: readonly Step[]): Step => [
  steps.reduce((sum, [row]) => sum + row, 0),
  steps.reduce((sum, [, c]) => sum + c, 0),
];
const minus = ([row, column]: Step): Step => [-row, -column];
/** Half of a side. An odd half would end a part on the wrong side, so it is made even if the side has room. */
function half(side: Step): Step {
  const whole: Step = [Math.floor(side[0] / 2), Math.floor(side[1] / 2)];
  return length(whole) % 2 === 1 && length(side) > 2 ? plus(whole, unit(side)) : whole;
}

/**
 * Hilbert's curve for a box of any sides (after J. Cerveny, "gilbert"): from the corner `at` along the side `main`, covering the
 * side `cross` on the way.
 */
function hilbert(at: Step, main: Step, cross: Step, visit: Visit): void {
  const [along, over] = [length(main), length(cross)];
  if (along === 1 || over === 1) {
    const step = over === 1 ? unit(main) : unit(cross);
    for (let i = 0, place = at; i < along * over; i++, place = plus(place, step)) visit(...place);
    return;
  }
  if (2 * along > 3 * over) {
    const first = half(main);
    hilbert(at, first, cross, visit);
    hilbert(plus(at, first), plus(main, minus(first)), cross, visit);
    return;
  }
  const first: Step = [Math.floor(main[0] / 2), Math.floor(main[1] / 2)];
  const side = half(cross);
  const [rest, last] = [plus(main, minus(first)), plus(cross, minus(side))];
  hilbert(at, side, first, visit);
  hilbert(plus(at, side), main, last, visit);
  hilbert(plus(at, main, minus(unit(main)), side, minus(unit(cross))), minus(side), minus(rest), visit);
}

const known = new Map<string, Table>();
const mostKnown = 256;

/** The order of a grid; undefined when the grid is too large for a table. */
export function curveTable({ order, group }: Curve, rows: number, columns: number): Table | undefined {
  if (rows * columns > mostPlaces) return undefined;
  const name = `${order === "group" ? `group${group}` : order}_of_${rows}x${columns}`;
  const made = known.get(name);
  if (made) return made;
  const values: number[] = [];
  const visit: Visit = (row, column) => void values.push(row * columns + column);
  if (order === "group") inGroups(rows, columns, group, visit);
  else if (order === "reverse") for (let row = rows - 1; row >= 0; row--) for (let c = columns - 1; c >= 0; c--) visit(row, c);
  else if (columns >= rows) hilbert([0, 0], [0, columns], [rows, 0], visit);
  else hilbert([0, 0], [rows, 0], [0, columns], visit);
  invariant(new Set(values).size === rows * columns && values.length === rows * columns, `${name} visits each place once`);
  if (known.size >= mostKnown) known.clear();
  const table: Table = { name, values };
  known.set(name, table);
  return table;
}
