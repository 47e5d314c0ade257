/** Several ways to compute one nest as one part: a knob chooses, and those of the other ways keep their first values. */
import type { Json } from "@warpfarm/common";
import { choiceKnob } from "@warpfarm/compiler/language";
import type { Part, Values } from "../part.ts";
import { startOf } from "../start.ts";

type Way = Part & Required<Pick<Part, "outline">>;

/** `ways` by the knob's words. Requires that they have no knob in common. */
export function eitherPart(rule: string, knob: string, ways: Readonly<Record<string, Way>>): Way {
  const words = Object.keys(ways);
  const chosen = (values: Values): Way => ways[values.get(knob) as string] as Way;
  return {
    rule,
    knobs: [choiceKnob(knob, words), ...Object.values(ways).flatMap(({ knobs }) => knobs)],
    constraints: Object.entries(ways).flatMap(([word, { knobs, constraints }]) => [
      ...constraints.map((text) => `${knob} != '${word}' or (${text})`),
      ...knobs
        .filter(({ size }) => size > 1)
        .map(({ name, values: [value] }) => `${knob} == '${word}' or ${name} == ${JSON.stringify(value)}`),
    ]),
    // Each way's own space is small beside that of all.
    start() {
      const starts = Object.entries(ways).map(([word, way]) => ({ word, way, values: startOf(way) }));
      const scored = starts.map((one) => ({ ...one, score: one.way.score(one.values) }));
      const best = scored.reduce((a, b) => (b.score > a.score ? b : a));
      const firsts = Object.values(ways).flatMap(({ knobs }) =>
        knobs.map((each) => [each.name, each.values[0] as Json] as const),
      );
      return new Map<string, Json>([...firsts, ...best.values, [knob, best.word]]);
    },
    score: (values) => chosen(values).score(values),
    apply: (schedule, values) => chosen(values).apply(schedule, values),
    outline: (values) => chosen(values).outline(values),
  };
}
