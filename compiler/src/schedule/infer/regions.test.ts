/** Regions against enumeration: what a reader accesses inside one iteration of the loop at which its producer is computed. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as b from "../../ir/build.ts";
import type { Expr } from "../../ir/expr.ts";
import { compute, placeholder } from "../../te/compute.ts";
import { at } from "../../te/expr.ts";
import { graphOf } from "../../te/graph-of.ts";
import { infer } from "../infer.ts";
import { expectAgreement } from "../primitives/primitive.testing.ts";
import { createSchedule } from "../schedule.ts";
import type { LoopRef } from "../state.ts";

interface Read {
  readonly i: number;
  readonly j: number;
  readonly offset: number;
  readonly div: number;
  /** Read from the end: `most` less the quotient, so that it counts with a negative factor. */
  readonly isTurned: boolean;
}
/** No quotient of these reads is greater: 6 * 4 + 4 * 6 + 5. */
const most = 53;
const evaluate = (r: Read, i: number, j: number): number => {
  const quotient = Math.floor((r.i * i + r.j * j + r.offset) / r.div);
  return r.isTurned ? most - quotient : quotient;
};
const index = (r: Read, i: Expr, j: Expr): Expr => {
  const quotient = b.floorDiv(b.add(b.add(b.mul(i, b.int(r.i)), b.mul(j, b.int(r.j))), b.int(r.offset)), b.int(r.div));
  return r.isTurned ? b.sub(b.int(most), quotient) : quotient;
};

const read = (div: fc.Arbitrary<number>): fc.Arbitrary<Read> =>
  fc.record({
    ...{ i: fc.integer({ min: 0, max: 6 }), j: fc.integer({ min: 0, max: 4 }), offset: fc.nat(5), div },
    isTurned: fc.boolean(),
  });
const cases = (div: fc.Arbitrary<number>, reads: number) =>
  fc.record({
    rows: fc.integer({ min: 1, max: 5 }),
    columns: fc.integer({ min: 1, max: 7 }),
    factor: fc.integer({ min: 1, max: 8 }),
    reads: fc.array(read(div), { minLength: 1, maxLength: reads }),
  });

/**
 * p is computed at (i, j.outer) of r[i, j] = sum of p[read(i, j)]; the extent inferred for p and what each (i, j.outer) needs.
 */
function inferred({ rows, columns, factor, reads }: { rows: number; columns: number; factor: number; reads: readonly Read[] }) {
  const whole = Math.max(...reads.flatMap((r) => [evaluate(r, 0, 0), evaluate(r, rows - 1, columns - 1)])) + 1;
  const x = placeholder("x", [whole]);
  const p = compute("p", [["q", whole]], (q) => at(x, q));
  const r = compute(
    "r",
    [
      ["i", rows],
      ["j", columns],
    ],
    (i, j) => reads.map((one): Expr => at(p, index(one, i, j))).reduce((sum, e) => b.add(sum, e)),
  );
  const schedule = createSchedule(graphOf([x], [r]));
  const [, j] = schedule.axes(schedule.stage("r")) as [LoopRef, LoopRef];
  const [outer] = schedule.split(j, [null, factor]);
  schedule.computeAt(schedule.stage("p"), schedule.stage("r"), outer);
  const found = infer(schedule.state);
  if (!found.ok) throw found.error;
  const needed: number[] = [];
  for (let i = 0; i < rows; i++)
    for (let o = 0; o * factor < columns; o++) {
      const touched = reads.flatMap((one) => Array.from({ length: factor }, (_, inner) => evaluate(one, i, o * factor + inner)));
      needed.push(Math.max(...touched) - Math.min(...touched) + 1);
    }
  return { schedule, extent: found.value.allocations[0]?.buffer.shape[0] as number, needed: Math.max(...needed), whole };
}

describe("regions, against enumeration", () => {
  it("are exact for one affine read: as long as one iteration needs, or the whole tensor", () => {
    fc.assert(
      fc.property(cases(fc.constant(1), 1), (c) => {
        const { extent, needed, whole } = inferred(c);
        expect(extent).toBe(Math.min(needed, whole));
      }),
      { numRuns: 200 },
    );
  });
  it("cover every read, divided or not, of one reader or several", () => {
    fc.assert(
      fc.property(cases(fc.constantFrom(1, 2, 3, 7), 3), (c) => {
        const { schedule, extent, needed, whole } = inferred(c);
        expect(extent).toBeGreaterThanOrEqual(Math.min(needed, whole));
        expect(extent).toBeLessThanOrEqual(whole);
        expectAgreement(schedule);
      }),
      { numRuns: 100 },
    );
  });
});
