/** A sample of random configs that pass the static check, and the check's verdict on the others. */
import { badInput, Random } from "@warpfarm/common";
import type { ConfigIndex, Limits } from "@warpfarm/compiler/language";
import type { Task } from "@warpfarm/templates";
import { withRule } from "../exit.ts";

/** Configs that one rule of the static check refuses: their number, and the first of them. */
export interface PassedOver {
  readonly rule: string;
  readonly count: number;
  readonly index: ConfigIndex;
  readonly message: string;
}

/**
 * Random configs that pass the static check, each once; fewer when hardly any pass. Also what the check says of the others, which
 * a search never tries.
 */
export function sampled(
  task: Task,
  limits: Limits,
  count: number,
): { readonly found: readonly ConfigIndex[]; readonly passedOver: readonly PassedOver[] } {
  const random = new Random(0);
  const seen = new Set<ConfigIndex>();
  const found: ConfigIndex[] = [];
  const passedOver = new Map<string, PassedOver>();
  for (let tries = 0; tries < 100 * count && found.length < count && seen.size < task.space.valid.count; tries++) {
    const index = task.space.random(random);
    if (seen.has(index)) continue;
    seen.add(index);
    const [violation] = task.validate(index, limits);
    if (violation === undefined) found.push(index);
    else {
      const { rule } = violation;
      const before = passedOver.get(rule) ?? { rule, count: 0, index, message: withRule(violation) };
      passedOver.set(rule, { ...before, count: before.count + 1 });
    }
  }
  const [first] = passedOver.values();
  if (found.length === 0)
    throw badInput(
      `none of ${seen.size} random configs of ${task.name} passes the static check; config ${first?.index}: ${first?.message}`,
    );
  return { found, passedOver: [...passedOver.values()] };
}
