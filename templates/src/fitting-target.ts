import { formatTarget, meets, parseTarget, type TargetNeed, targetsOn } from "@warpfarm/common";

/**
 * The build target for devices of that key, by the first need that one meets whose code runs there: the key itself, or else
 * another. If nothing does, the key, whose refusal says what is needed.
 */
export function fittingTarget(needs: readonly TargetNeed[], key: string): string {
  for (const need of needs) {
    const found = [...targetsOn(key), key].findLast((target) => meets(parseTarget(target), need));
    if (found !== undefined) return found;
  }
  return key;
}

/** For a device of any key: the usual device's target, otherwise the least that is needed. */
export function usualTarget(needs: readonly TargetNeed[], usual: string): string {
  const target = fittingTarget(needs, usual);
  const [need] = needs;
  if (need?.from === undefined || needs.some((one) => meets(parseTarget(target), one))) return target;
  return formatTarget({ kind: need.kind, level: need.from, features: new Set(need.features) });
}
