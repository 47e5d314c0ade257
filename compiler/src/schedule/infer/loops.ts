/**
 * Loops of one stage, from its region: extents from the root loops down through split and fuse, then values from the leaves back
 * up.
 *   split  parent = sum of part * (product of the extents of later parts)
 *   fuse   part k = floor(fused / stride k) mod extent k; of a curve, of the place that a table has for fused
 */

import type { Refusal } from "@warpfarm/common";
import { type Linear, zero } from "../../arith/linear.ts";
import { type LoopRef, loopOf, partExtents, type Relation, type Stage } from "../state.ts";
import { curveTable, mostPlaces } from "./curves.ts";
import type { Plan } from "./plan.ts";

export const isRefusal = <T extends object>(x: T | Refusal): x is Refusal => "rule" in x;
export const refuseAt = (rule: string, at: number, message: string): Refusal => ({ rule, message, at });

const product = (numbers: readonly number[]): number => numbers.reduce((a, b) => a * b, 1);

function extentsDown(plan: Plan, stage: Stage, relation: Relation): Refusal | undefined {
  const { extents, state } = plan;
  if (relation.kind === "fuse") {
    const sides = relation.parts.map((part) => extents[part] as number);
    extents[relation.fused] = product(sides);
    if (!relation.curve || product(sides) <= mostPlaces) return undefined;
    return refuseAt(
      "curve.places",
      relation.step,
      `curve: loop "${loopOf(state, relation.fused).name}" of "${stage.name}" goes through ${sides.join(" x ")} places; at most ${mostPlaces}: split or fuse the loops`,
    );
  }
  const parent = extents[relation.parent] as number;
  const parts = partExtents(parent, relation.factors);
  relation.parts.forEach((part, i) => {
    extents[part] = parts[i] as number;
  });
  if (product(parts) >= parent) return undefined;
  const name = loopOf(state, relation.parent).name;
  return refuseAt(
    "split.cover",
    relation.step,
    `split: factors ${relation.factors.join("*")} do not cover loop "${name}" of "${stage.name}", of extent ${parent} where it is computed`,
  );
}

function placeOf({ analyzer, extents, values }: Plan, { parts, fused, curve }: Extract<Relation, { kind: "fuse" }>): Linear {
  const value = values[fused] as Linear;
  const [rows, columns] = parts.map((part) => extents[part] as number) as [number, number];
  const table = curve && curveTable(curve, rows, columns);
  return table ? analyzer.lookup(table, value) : value;
}

function valuesUp(plan: Plan, relation: Relation): void {
  const { analyzer, extents, values } = plan;
  let stride = 1;
  if (relation.kind === "split") {
    let value: Linear = zero;
    for (let i = relation.parts.length - 1; i >= 0; i--) {
      const part = relation.parts[i] as LoopRef;
      value = analyzer.sum(value, values[part] as Linear, stride);
      stride *= extents[part] as number;
    }
    values[relation.parent] = value;
    return;
  }
  const fused = placeOf(plan, relation);
  const total = extents[relation.fused] as number;
  for (let i = relation.parts.length - 1; i >= 0; i--) {
    const part = relation.parts[i] as LoopRef;
    const next = stride * (extents[part] as number);
    // The leading digit needs no remainder, because guards keep the fused loop below its extent.
    values[part] = stride === next ? zero : analyzer.split(fused, stride, next === total ? Infinity : next);
    stride = next;
  }
}

export function inferLoops(plan: Plan, stage: Stage, dimensions: readonly number[]): Refusal | undefined {
  const { state, extents, values, analyzer } = plan;
  stage.spatial.forEach((loop, d) => {
    extents[loop] = dimensions[d] as number;
  });
  for (const loop of stage.reduction) extents[loop] = loopOf(state, loop).extent;
  for (const relation of stage.relations) {
    const found = extentsDown(plan, stage, relation);
    if (found) return found;
  }
  for (const leaf of stage.leaves) {
    const { loopVar } = loopOf(state, leaf);
    plan.declare(leaf, loopVar, extents[leaf] as number);
    values[leaf] = analyzer.value(loopVar);
  }
  for (let i = stage.relations.length - 1; i >= 0; i--) valuesUp(plan, stage.relations[i] as Relation);
  return undefined;
}
