/** A config of a part without measuring: the best score of some spread over the part's space, then better neighbours. */
import { invariant } from "@warpfarm/common";
import { type ConfigIndex, constrainedSpace, expressionConstraint } from "@warpfarm/compiler/language";
import type { Part, Values } from "./part.ts";

const spread = 64;

export function startOf(part: Part): Values {
  const found = part.start ? part.start() : bestOf(part);
  invariant(found, `the rule "${part.rule}" has no valid config: ${part.constraints.join("; ")}`);
  return found;
}

/** The same by the score alone; undefined where no config is valid. */
export function bestOf(part: Pick<Part, "rule" | "knobs" | "constraints" | "score">): Values | undefined {
  const constraints = part.constraints.map((text) => {
    const constraint = expressionConstraint(
      text,
      part.knobs.map(({ name }) => name),
    );
    invariant(constraint.ok, constraint.ok ? "" : `${part.rule}: ${constraint.error}`);
    return constraint.value;
  });
  const space = constrainedSpace(part.knobs, constraints);
  const { count } = space.valid;
  if (count === 0) return undefined;
  const scores = new Map<ConfigIndex, number>();
  const scoreOf = (index: ConfigIndex): number => {
    const known = scores.get(index) ?? part.score(space.get(index).values);
    scores.set(index, known);
    return known;
  };
  const better = (best: ConfigIndex, index: ConfigIndex): ConfigIndex => (scoreOf(index) > scoreOf(best) ? index : best);
  const many = Math.min(count, spread);
  const tried = Array.from({ length: many }, (_, i) => space.toIndex(space.valid.nth(Math.floor((i * count) / many))));
  let best = tried.reduce(better);
  for (;;) {
    const next = space
      .neighbours(best)
      .filter((index) => space.valid.has(index))
      .reduce(better, best);
    if (next === best) return space.get(best).values;
    best = next;
  }
}
