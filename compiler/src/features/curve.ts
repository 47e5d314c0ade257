/**
 * AutoTVM's relation vector (TVM 0.17 `GetCurveSampleFeatureFlatten`; Chen et al. 2018, §3.1), whose length does not depend on
 * the shape of the nest: for each buffer touched in a deepest loop, four relations between how much is touched (count), how often
 * again (reuse) and how many iterations that takes (top-down), each sampled at powers of two:
 *
 *   count -> reuse, reuse -> count, count -> top-down, top-down -> count        i = 0 .. points-1:  (y of the last knot x <= i, i - x)
 *
 * Knots are log2 over the loops around the touch, begun with (0, 0), and each coordinate is sorted on its own.
 *
 * Of several touches of one tensor (its caches count as it) AutoTVM keeps the last in hash order; here it is the last by name.
 */
import type { PrimFunc } from "../ir/prim-func.ts";
import type { Inferred } from "../schedule/infer.ts";
import { byName } from "./itervar.ts";
import { type LoopTouches, loopTouches, type NestTouches, touchFields } from "./loop-touches.ts";

const defaultPoints = 20;

export interface CurveOptions {
  /** Samples a relation; 20 when absent. */
  readonly points?: number;
}

export function curveFeatures(
  nest: Inferred | PrimFunc<"scheduled">,
  { points = defaultPoints }: CurveOptions = {},
): Float32Array {
  const found = loopTouches("dialect" in nest ? nest : nest.func());
  const touches = innermost(found);
  const made = new Float32Array(touches.length * 8 * points);
  touches.forEach((touch, i) => {
    const around = found.loops.filter((loop) => holds(loop, touch));
    const field = (name: "count" | "reuse") =>
      curve(
        around.map((loop) => loop.touches[(touch - loop.firstTouch) * touchFields.length + touchFields.indexOf(name)] as number),
      );
    const [count, reuse, topDown] = [field("count"), field("reuse"), curve(around.map((loop) => loop.topDown))];
    const relations = [
      [count, reuse],
      [reuse, count],
      [count, topDown],
      [topDown, count],
    ] as const;
    relations.forEach(([x, y], k) => {
      sample(made, (i * 4 + k) * 2 * points, points, x, y);
    });
  });
  return made;
}

const holds = (loop: LoopTouches, touch: number): boolean =>
  touch >= loop.firstTouch && touch < loop.firstTouch + loop.touchCount;

const curve = (values: readonly number[]): number[] => [0, ...values.map(Math.log2)].sort((a, b) => a - b);

function sample(made: Float32Array, at: number, points: number, x: readonly number[], y: readonly number[]): void {
  for (let i = 0; i < points; i++) {
    const knot = x.findLastIndex((value) => value < i + 1e-6);
    made[at + 2 * i] = y[knot] as number;
    made[at + 2 * i + 1] = i - (x[knot] as number);
  }
}

const tensorOf = (touch: string): string => touch.slice(0, touch.lastIndexOf("_")).split(".", 1)[0] as string;

function innermost({ loops, names }: NestTouches): number[] {
  const depth = loops.reduce((most, loop) => Math.max(most, loop.nestLevel), 0);
  const order = byName(names);
  const chosen = new Map<string, number>();
  for (const loop of loops.toReversed()) {
    if (loop.nestLevel !== depth) continue;
    for (const touch of order.toReversed()) {
      if (!holds(loop, touch)) continue;
      const tensor = tensorOf(names[touch] as string);
      if (!chosen.has(tensor)) chosen.set(tensor, touch);
    }
  }
  const kept = new Set(chosen.values());
  return order.filter((touch) => kept.has(touch));
}
