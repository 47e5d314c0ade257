/** A part of a derived schedule: the knobs of one group of stages, and what their values do. */
import { defined, invariant, type Json } from "@warpfarm/common";
import { type ChoiceKnob, type ComputeOp, choiceKnob, type LoopRef, type Schedule } from "@warpfarm/compiler/language";
import type { Outline } from "../outline.ts";
import type { Group } from "./groups.ts";
import { rowEnd, sizeOf } from "./stages.ts";

/** Values of knobs, by name. */
export type Values = ReadonlyMap<string, Json>;

export interface Part {
  /** The rule that made it, as `space --explain` names it. */
  readonly rule: string;
  readonly knobs: readonly ChoiceKnob[];
  /** What the values must satisfy, as expressions over names of knobs (compiler/src/space/parse-expression.ts). */
  readonly constraints: readonly string[];
  /** Without measuring: greater is better. Compares configs of this part only. */
  score(values: Values): number;
  /** The config to begin with, where a part knows more than to search its space for the best score. */
  readonly start?: () => Values | undefined;
  apply(schedule: Schedule, values: Values): void;
  readonly outline?: (values: Values) => Outline;
}

type Several = readonly [Json, ...Json[]];
/**
 * Knobs of a stage with the values as a record of their short names; in spaces and logs they are named `stage.short_name`.
 * `absent`: of knobs that joined their part, the value of configs from before them, or from when they had one value alone.
 */
export function knobsOf<const V extends Readonly<Record<string, Several>>>(
  stage: string,
  lists: V,
  absent: { readonly [K in keyof V & string]?: V[K][number] } = {},
) {
  type Short = keyof V & string;
  const names = Object.fromEntries(Object.keys(lists).map((short) => [short, `${stage}.${short}`])) as Record<Short, string>;
  const entries = Object.entries(names) as [Short, string][];
  const knobs = entries.map(([short, name]) => choiceKnob(name, lists[short] as Several, defined({ absent: absent[short] })));
  return {
    knobs,
    names,
    of: (values: Values) => {
      const found: Record<string, Json | undefined> = {};
      for (const [short, name] of entries) found[short] = values.get(name);
      return found as { readonly [K in Short]: V[K][number] };
    },
  };
}

/** A list for a knob: those of `values` that hold, or the first. */
export function allowed<T extends Json>(values: readonly [T, ...T[]], holds: (value: T) => boolean): readonly [T, ...T[]] {
  const [first, ...rest] = values.filter(holds);
  return first === undefined ? [values[0]] : [first, ...rest];
}

/** The loops as one. Requires one or more, next to each other. */
export const fused = (schedule: Schedule, loops: readonly LoopRef[]): LoopRef =>
  loops.length > 1 ? schedule.fuse(loops) : (loops[0] as LoopRef);

/**
 * The stage that accumulates a reduction where another stage reads or stores its result: a cache of an output, the reduction's
 * own array otherwise. It is still to be computed at a loop.
 */
export function accumulator(schedule: Schedule, sum: ComputeOp, root: ComputeOp) {
  const stage = schedule.stage(sum.output.name);
  if (sum === root) return schedule.cacheWrite(stage, "local");
  schedule.setScope(stage, "local");
  return stage;
}

/** The loops of the root of rows: over the rows, and over the elements of one. */
export function rowLoops(
  schedule: Schedule,
  { root, sums: [sum] }: Pick<Group, "root" | "sums">,
): { readonly rows: LoopRef; readonly columns: LoopRef } {
  const axes = schedule.axes(schedule.stage(root.output.name));
  const end = rowEnd(root.axes, sizeOf((sum as ComputeOp).reduce));
  invariant(end !== undefined, "a row ends within the root");
  const [outer, inner] = schedule.split(axes[end.position] as LoopRef, [null, end.inside]);
  return {
    rows: fused(schedule, [...axes.slice(0, end.position), outer]),
    columns: fused(schedule, [inner, ...axes.slice(end.position + 1)]),
  };
}
