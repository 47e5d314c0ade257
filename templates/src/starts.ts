/** The configs that a search of a template measures first when nothing is known. */
import type { Json } from "@warpfarm/common";
import { type ConfigIndex, type ConfigSpace, configWith } from "@warpfarm/compiler/language";
import { TemplateRefusal } from "./template-refusal.ts";

/** The values of a config's knobs by name. */
export type KnobValues = Readonly<Record<string, Json>>;

const mostStarts = 8;

interface Wanted {
  readonly own: readonly KnobValues[];
  readonly published: ConfigIndex | undefined;
}

/**
 * Those that the space has, the published one among them. Throws TemplateRefusal for more than eight, and for a knob that the
 * space does not have.
 */
export function startsIn(name: string, space: ConfigSpace, { own, published }: Wanted): readonly ConfigIndex[] {
  const knobs = new Set(space.knobs.map((knob) => knob.name));
  const found = own.flatMap((values, i) => {
    const strange = Object.keys(values).find((knob) => !knobs.has(knob));
    if (strange !== undefined)
      throw new TemplateRefusal(name, {
        it: `has no knob ${JSON.stringify(strange)}, which starts[${i}] gives; its knobs are ${[...knobs].join(", ")}`,
      });
    const config = configWith(space, values);
    return config.ok && space.valid.has(config.value) ? [config.value] : [];
  });
  const starts = [...new Set([...found, ...(published === undefined ? [] : [published])])];
  if (own.length <= mostStarts && starts.length <= mostStarts) return starts;
  throw new TemplateRefusal(name, {
    it: `has ${Math.max(own.length, starts.length)} starts; it takes at most ${mostStarts}, the published one among them`,
  });
}

/**
 * Starts as rows of values in the order of the knobs. Lists of built-in templates are those that were together best on the shapes
 * of bench/results/logs: the first has the greatest mean share of a shape's best time, each next one raises the mean of the best
 * share so far the most. bench/starts.bench.mjs says what such lists bring on a shape that they did not see.
 */
export const listed = (knobs: readonly string[], rows: readonly (readonly Json[])[]): readonly KnobValues[] =>
  rows.map((row) => Object.fromEntries(knobs.map((knob, i) => [knob, row[i] as Json])));
