/**
 * Configs with which searches of a template begin, as rows of values in the order of its knobs. They are those that were together
 * best on the shapes of bench/results/logs: the first has the greatest mean share of a shape's best time, each next one raises the
 * mean of the best share so far the most. bench/starts.bench.mjs says what such lists bring on a shape that they did not see.
 */
import type { Json } from "@warpfarm/common";
import type { KnobValues } from "../starts.ts";

export const listed = (knobs: readonly string[], rows: readonly (readonly Json[])[]): readonly KnobValues[] =>
  rows.map((row) => Object.fromEntries(knobs.map((knob, i) => [knob, row[i] as Json])));
