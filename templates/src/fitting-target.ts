import { formatTarget, meets, parseTarget, type TargetNeed, targetsOn } from "@warpfarm/common";

/**
 * The build target for devices of that key: the key itself if it meets one of the needs, otherwise another target whose code runs
 * there. If nothing does, the key, whose refusal says what is needed.
 */
export function fittingTarget(needs: readonly TargetNeed[], key: string): string {
  const fits = (target: string) => needs.some((need) => meets(parseTarget(target), need));
  return fits(key) ? key : (targetsOn(key).findLast(fits) ?? key);
}

/** For a device of any key: the usual device's target, otherwise the least that is needed. */
export function usualTarget(needs: readonly TargetNeed[], usual: string): string {
  const target = fittingTarget(needs, usual);
  const [need] = needs;
  if (need?.from === undefined || needs.some((one) => meets(parseTarget(target), one))) return target;
  return formatTarget({ kind: need.kind, level: need.from, features: new Set(need.features) });
}
