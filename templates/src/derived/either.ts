/**
 * Several ways to compute one group as one part: the knob `knob` chooses, and those of the other ways keep their first values.
 * Configs from before the knob are of the first way.
 */
import type { Json } from "@warpfarm/common";
import { choiceKnob } from "@warpfarm/compiler/language";
import type { Outline } from "../outline.ts";
import type { Part, Values } from "./part.ts";
import { startOf } from "./start.ts";

/** Requires `ways`, by the knob's words, without a common knob. `preferred` is begun with, else the way of the best score. */
export function eitherPart(rule: string, knob: string, ways: Readonly<Record<string, Part>>, preferred?: string): Part {
  const words = Object.keys(ways);
  const [first] = words as [string];
  const all = Object.entries(ways).map(([word, way]) => ({ word, way }));
  const chosen = (values: Values): Part => ways[values.get(knob) as string] as Part;
  const score = (values: Values): number => (values.get(knob) === preferred ? 1e6 : 0) + chosen(values).score(values);
  const firsts = all.flatMap(({ way }) => way.knobs.map(({ name, values: [value] }) => [name, value as Json] as const));
  return {
    rule,
    knobs: [
      choiceKnob(knob, words, { absent: first }),
      ...all.flatMap(({ word, way }) =>
        way.knobs.map((own) => (word === first ? own : { ...own, absent: own.absent ?? (own.values[0] as Json) })),
      ),
    ],
    constraints: all.flatMap(({ word, way }) => [
      ...way.constraints.map((text) => `${knob} != '${word}' or (${text})`),
      ...way.knobs
        .filter(({ size }) => size > 1)
        .map(({ name, values: [value] }) => `${knob} == '${word}' or ${name} == ${JSON.stringify(value)}`),
    ]),
    // Each way's own space is small beside that of all.
    start: () =>
      all
        .map(({ word, way }) => new Map<string, Json>([...firsts, ...startOf(way), [knob, word]]))
        .reduce((a, b) => (score(b) > score(a) ? b : a)),
    score,
    apply: (schedule, values) => chosen(values).apply(schedule, values),
    ...(all.every(({ way }) => way.outline) && { outline: (values: Values) => chosen(values).outline?.(values) as Outline }),
  };
}
