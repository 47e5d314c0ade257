/** Several ways to compute one nest as one part: a knob chooses, and those of the other ways keep their first values. */
import { choiceKnob } from "@warpfarm/compiler/language";
import type { Part, Values } from "../part.ts";

/** `ways` by the knob's words. Requires that they have no knob in common. */
export function eitherPart(rule: string, knob: string, ways: Readonly<Record<string, Required<Part>>>): Required<Part> {
  const words = Object.keys(ways);
  const chosen = (values: Values): Required<Part> => ways[values.get(knob) as string] as Required<Part>;
  return {
    rule,
    knobs: [choiceKnob(knob, words), ...Object.values(ways).flatMap(({ knobs }) => knobs)],
    constraints: Object.entries(ways).flatMap(([word, { knobs, constraints }]) => [
      ...constraints.map((text) => `${knob} != '${word}' or (${text})`),
      ...knobs
        .filter(({ size }) => size > 1)
        .map(({ name, values: [value] }) => `${knob} == '${word}' or ${name} == ${JSON.stringify(value)}`),
    ]),
    score: (values) => chosen(values).score(values),
    apply: (schedule, values) => chosen(values).apply(schedule, values),
    outline: (values) => chosen(values).outline(values),
  };
}
