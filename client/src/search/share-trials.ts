/**
 * Divides the trials of an operator among its templates, each of which is searched by a tuner of its own: rounds of doubling
 * length for those that are left, and after each round those stay that are at most `margin` slower than the leader. One that
 * could never win costs its starts.
 *
 * This is successive halving (Karnin, Koren, Somekh, Almost Optimal Exploration in Multi-Armed Bandits, ICML 2013; for budgets of
 * training Jamieson and Talwalkar, AISTATS 2016) with a margin in place of the half, because a half is of few templates too many:
 * of 17 shapes with two recorded searches each (bench templates) 64 trials find 0.985 of what 60 trials of both find, those of
 * equal shares 0.962. What is next follows from the results so far alone, so a search that was interrupted goes on as it would
 * have.
 */
export const margin = 1.2;
/** Trials of the first round: as many as a template may name starts. */
const firstRound = 8;

/** A template's search so far. */
export interface Course {
  /** The best time after each of its trials; Infinity while there is none. */
  readonly bestAfter: readonly number[];
  /** It has nothing more to try, or its own rules ended it. */
  readonly isOver: boolean;
}

/** How many trials each search is to have before anything else is decided. Undefined when all trials are spent. */
export function nextShare(courses: readonly Course[], trials: number): readonly number[] | undefined {
  const told = courses.map(() => 0);
  let left = courses.map((_, at) => at);
  for (let round = firstRound; left.length > 0; round *= 2) {
    let room = trials - told.reduce((sum, n) => sum + n, 0);
    if (room <= 0) return undefined;
    const each = left.length === 1 ? room : Math.max(1, Math.min(round, Math.floor(room / left.length)));
    for (const at of left) {
      const { bestAfter, isOver } = courses[at] as Course;
      const share = Math.min(each, room);
      told[at] = isOver ? Math.min(bestAfter.length, (told[at] ?? 0) + share) : (told[at] ?? 0) + share;
      room = trials - told.reduce((sum, n) => sum + n, 0);
    }
    const isDue = left.some((at) => !courses[at]?.isOver && (courses[at]?.bestAfter.length ?? 0) < (told[at] ?? 0));
    if (isDue) return told;
    const best = (at: number) => courses[at]?.bestAfter[(told[at] ?? 0) - 1] ?? Number.POSITIVE_INFINITY;
    const leader = Math.min(...left.map(best));
    left = left.filter((at) => best(at) <= leader * margin && !isSpent(courses[at] as Course, told[at] ?? 0));
  }
  return undefined;
}

const isSpent = ({ bestAfter, isOver }: Course, told: number): boolean => isOver && bestAfter.length <= told;

/** The best time after each trial. */
export function bestAfterEach(seconds: readonly (number | undefined)[]): readonly number[] {
  let best = Number.POSITIVE_INFINITY;
  return seconds.map((each) => {
    best = Math.min(best, each ?? Number.POSITIVE_INFINITY);
    return best;
  });
}
