import type { ConfigIndex } from "@warpfarm/compiler";

/**
 * Of candidates best first, `count` that differ (AutoTVM's submodular_pick with the score kept in): each pick adds the most of
 * its rank and of knob values that no pick has yet.
 */
export function diverse(
  ranked: readonly ConfigIndex[],
  count: number,
  digitsOf: (index: ConfigIndex) => readonly number[],
): readonly ConfigIndex[] {
  if (ranked.length <= count) return ranked;
  const seen: boolean[][] = [];
  const left = ranked.map((index, rank) => ({ index, worth: 1 - rank / ranked.length, digits: digitsOf(index) }));
  const picked: ConfigIndex[] = [];
  while (picked.length < count) {
    let bestAt = 0;
    let bestGain = Number.NEGATIVE_INFINITY;
    for (const [at, { worth, digits }] of left.entries()) {
      let unseen = 0;
      for (let knob = 0; knob < digits.length; knob++) if (!seen[knob]?.[digits[knob] as number]) unseen++;
      const fresh = unseen / digits.length;
      if (worth + fresh > bestGain) [bestGain, bestAt] = [worth + fresh, at];
    }
    const [pick] = left.splice(bestAt, 1);
    if (!pick) break;
    pick.digits.forEach((digit, knob) => {
      seen[knob] ??= [];
      (seen[knob] as boolean[])[digit] = true;
    });
    picked.push(pick.index);
  }
  return picked;
}
