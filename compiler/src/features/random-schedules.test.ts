/**
 * Loop touches of random schedules, against definitions. For a touch with an affine index, the stride is the step of the flat
 * index, count is the product of the extents of inner loops that move it, and reuse that of the other loops.
 */
import { Random } from "@warpfarm/common";
import { expect, it } from "vitest";
import { Walk } from "../../../test-support/programs/generate.ts";
import { graphs } from "../../../test-support/programs/graphs.ts";
import { bufferStrides } from "../ir/buffer.ts";
import type { Expr, Load, Var } from "../ir/expr.ts";
import { isRemark } from "../ir/parts.ts";
import type { For, Stmt, Store } from "../ir/stmt.ts";
import { children } from "../ir/visit.ts";
import { infer } from "../schedule/infer.ts";
import { loopTouches, touchFields } from "./loop-touches.ts";

interface Access {
  readonly of: Store | Load;
  readonly loops: readonly For[];
}

/** Accesses in the order of the text, a store before what it stores; without the starts of reductions. */
function accessesOf(s: Stmt, loops: readonly For[], found: Access[]): Access[] {
  const loads = (e: Expr): void => {
    if (e.kind === "Load") found.push({ of: e, loops });
    children(e).forEach(loads);
  };
  if (s.kind === "For") accessesOf(s.body, [...loops, s], found);
  else if (isRemark(s) || s.kind === "Allocate") accessesOf(s.body, loops, found);
  else if (s.kind === "If") {
    loads(s.cond);
    accessesOf(s.body, loops, found);
  } else if (s.kind === "Seq") for (const part of s.stmts) accessesOf(part, loops, found);
  else if (s.kind === "Store" && !isStart(s)) {
    found.push({ of: s, loops });
    loads(s.value);
  }
  return found;
}

/** The graphs store literals nowhere else. */
const isStart = ({ value }: Store): boolean => value.kind === "FloatImm" || value.kind === "IntImm";

/** Undefined when the expression is not a sum of multiples of variables. */
function affine(e: Expr, at: ReadonlyMap<Var, number>): number | undefined {
  if (e.kind === "IntImm") return e.value;
  if (e.kind === "Var") return at.get(e) ?? 0;
  if (e.kind !== "Add" && e.kind !== "Sub" && e.kind !== "Mul") return undefined;
  const [a, b] = [affine(e.a, at), affine(e.b, at)];
  if (a === undefined || b === undefined) return undefined;
  if (e.kind === "Mul") return a * b;
  return e.kind === "Add" ? a + b : a - b;
}

function flat({ buffer, indices }: Store | Load, at: ReadonlyMap<Var, number>): number | undefined {
  const strides = bufferStrides(buffer);
  let sum = 0;
  for (const [d, index] of indices.entries()) {
    const value = affine(index, at);
    if (value === undefined) return undefined;
    sum += value * (strides[d] as number);
  }
  return sum;
}

it("100 random schedules: strides, counts and reuses are as defined", () => {
  const makers = Object.values(graphs);
  let [schedules, checked, skipped] = [0, 0, 0];
  for (let seed = 1; schedules < 100; seed++) {
    const random = new Random(seed);
    const graph = (makers[seed % makers.length] as () => ReturnType<(typeof makers)[number]>)();
    const schedule = new Walk(graph, random, random.below(2) === 0 ? "cuda" : "cpu", new Map()).run(4 + random.below(6));
    const inferred = schedule && infer(schedule.state);
    if (!inferred?.ok) continue;
    schedules++;
    const func = inferred.value.func();
    const { loops, names } = loopTouches(func);
    const accesses = accessesOf(func.body, [], []);
    expect(names).toHaveLength(accesses.length);
    for (const [touch, { of, loops: around }] of accesses.entries()) {
      const inside = loops.filter((l) => touch >= l.firstTouch && touch < l.firstTouch + l.touchCount);
      expect(inside.map((l) => l.extent)).toEqual(around.map((l) => l.extent));
      const origin = flat(of, new Map());
      if (origin === undefined) {
        skipped++;
        continue;
      }
      checked++;
      const moves = around.map((l) => (l.extent === 1 ? 0 : Math.abs((flat(of, new Map([[l.loopVar, 1]])) as number) - origin)));
      const made = inside.map((l) => {
        const from = (touch - l.firstTouch) * touchFields.length;
        const [stride, , count, reuse] = l.touches.slice(from, from + 4);
        return [stride, count, reuse];
      });
      const product = (i: number, moved: boolean) =>
        around.slice(i).reduce((p, l, k) => ((moves[i + k] !== 0) === moved ? p * l.extent : p), 1);
      expect(made).toEqual(around.map((_, i) => [moves[i], product(i, true), product(i, false)]));
    }
  }
  expect(checked).toBeGreaterThan(700);
  expect(checked).toBeGreaterThan(2 * skipped);
});
