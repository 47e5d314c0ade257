/** Compares two sets of repeats: the ratio of their medians with a 95 % interval, and the conclusion that it allows. */

/** Mulberry32, a small generator with the same numbers on every machine, so a verdict does not change when it is drawn again. */
function draws(seed: number): () => number {
  let a = seed;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? (sorted[half] as number) : ((sorted[half - 1] as number) + (sorted[half] as number)) / 2;
}

export interface Verdict {
  /** b's time divided by a's. */
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
  readonly words: string;
}

const rounds = 1000;
const leastRepeats = 3;

/** Percentile bootstrap (Efron, 1979) over the repeats of one measurement. It does not include variation between days. */
export function compareRepeats(a: readonly number[], b: readonly number[]): Verdict {
  const random = draws(1);
  const pick = (values: readonly number[]) => values.map(() => values[Math.floor(random() * values.length)] as number);
  const ratios = Array.from({ length: rounds }, () => median(pick(b)) / median(pick(a))).sort((x, y) => x - y);
  const [low, high] = [ratios[Math.floor(0.025 * rounds)] as number, ratios[Math.ceil(0.975 * rounds) - 1] as number];
  const ratio = median(b) / median(a);
  return { ratio, low, high, words: verdictWords(low, high, Math.min(a.length, b.length)) };
}

function verdictWords(low: number, high: number, repeats: number): string {
  if (repeats < leastRepeats) return `too few repeats for a verdict: at least ${leastRepeats}`;
  if (low <= 1 && high >= 1) return "as fast as the first within noise";
  const [least, most] = high < 1 ? [1 - high, 1 - low] : [low - 1, high - 1];
  return `${(100 * least).toFixed(1)} to ${(100 * most).toFixed(1)} % ${high < 1 ? "faster" : "slower"}`;
}
