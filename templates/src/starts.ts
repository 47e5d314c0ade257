/** The configs that a search of a template measures first when nothing is known. */
import type { Json } from "@warpfarm/common";
import { type ConfigIndex, type ConfigSpace, configWith } from "@warpfarm/compiler/language";
import { TemplateRefusal } from "./template-refusal.ts";

/** The values of a config's knobs by name. */
export type KnobValues = Readonly<Record<string, Json>>;

const mostStarts = 8;
const allowed = "starts gives a list of configs, each an object of knobs and values";

interface Wanted {
  readonly own: readonly KnobValues[];
  readonly published: ConfigIndex | undefined;
}

export interface Starts {
  readonly configs: readonly ConfigIndex[];
  /** The others, each with the reason: `starts[1]: tile is 7; it takes 1, 2, 4`. */
  readonly left: readonly string[];
}

/**
 * Those that the space has, the published one among them. `refusal`: why the schedule takes a config not. Throws TemplateRefusal
 * for more than eight, for a knob that the space does not have, and for what is no list of configs.
 */
export function startsIn(
  name: string,
  space: ConfigSpace,
  { own, published }: Wanted,
  refusal: (index: ConfigIndex) => string | undefined,
): Starts {
  const all: unknown = own;
  if (!Array.isArray(all)) throw new TemplateRefusal(name, { it: `has starts that give ${JSON.stringify(all)}; ${allowed}` });
  const knobs = new Set(space.knobs.map((knob) => knob.name));
  const left: string[] = [];
  const found = own.flatMap((values, i) => {
    if (typeof values !== "object" || values === null || Array.isArray(values))
      throw new TemplateRefusal(name, { it: `has ${JSON.stringify(values)} as starts[${i}]; ${allowed}` });
    const strange = Object.keys(values).find((knob) => !knobs.has(knob));
    if (strange !== undefined)
      throw new TemplateRefusal(name, {
        it: `has no knob ${JSON.stringify(strange)}, which starts[${i}] gives; its knobs are ${[...knobs].join(", ")}`,
      });
    const config = configWith(space, values);
    const why = !config.ok
      ? config.error
      : space.valid.has(config.value)
        ? refusal(config.value)
        : "the space's constraints exclude it";
    if (why !== undefined) left.push(`starts[${i}]: ${why}`);
    return config.ok && why === undefined ? [config.value] : [];
  });
  const isMade = published !== undefined && refusal(published) === undefined;
  const configs = [...new Set([...found, ...(isMade ? [published] : [])])];
  if (own.length <= mostStarts && configs.length <= mostStarts) return { configs, left };
  throw new TemplateRefusal(name, {
    it: `has ${Math.max(own.length, configs.length)} starts; it takes at most ${mostStarts}, the published one among them`,
  });
}

/**
 * Starts as rows of values in the order of the knobs. Lists of built-in templates are those that were together best on the shapes
 * of bench/results/logs: the first has the greatest mean share of a shape's best time, each next one raises the mean of the best
 * share so far the most. bench/starts.bench.mjs says what such lists bring on a shape that they did not see.
 */
export const listed = (knobs: readonly string[], rows: readonly (readonly Json[])[]): readonly KnobValues[] =>
  rows.map((row) => Object.fromEntries(knobs.map((knob, i) => [knob, row[i] as Json])));
