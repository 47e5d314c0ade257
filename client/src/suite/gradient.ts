/**
 * What a task of a suite may still gain: seconds of the weighted sum of best times, per second of device time.
 *
 * The rule is that of Ansor's task scheduler (Zheng et al., Ansor: Generating High-Performance Tensor Programs for Deep Learning,
 * OSDI 2020, section 6 and appendix A; TVM's auto_scheduler/task_scheduler.py, strategy "gradient"), with its alpha = 0.2, beta =
 * 2 and window of 3 rounds. Gains are divided by device time, since a budget is spent in device time.
 *
 *   gain = weight * (alpha * backward + (1 - alpha) * forward) / deviceSeconds(round)
 *   backward = what each of the last 3 rounds brought
 *   forward  = max(g / rounds, g - beta * flops / bestSpeed), g the best time so far: as far as it came in all its rounds
 *              it may come again; or it may reach half the speed of the tasks like it
 *
 * A task that has had less than a round comes before all that had one.
 */
const alpha = 0.2;
const beta = 2;
const windowRounds = 3;
export const trialsPerRound = 8;

export interface TaskCourse {
  readonly weight: number;
  readonly flops: number;
  readonly told: number;
  readonly outstanding: number;
  readonly deviceSeconds: number;
  /** Best time after each trial, in the order of results; infinite before the first. */
  readonly bestAfter: ArrayLike<number>;
  readonly defaultSeconds: number | undefined;
}

/** `bestSpeed`: operations per second of the fastest of the tasks like it (operator and device), 0 = not known. */
export function gainOf(course: TaskCourse, bestSpeed: number): number {
  const { weight, flops, told, outstanding, deviceSeconds, bestAfter, defaultSeconds } = course;
  const asked = told + outstanding;
  if (asked < trialsPerRound) return Number.POSITIVE_INFINITY;
  const last = told === 0 ? Number.POSITIVE_INFINITY : (bestAfter[told - 1] as number);
  const best = Number.isFinite(last) ? last : (defaultSeconds ?? 0);
  const rounds = asked / trialsPerRound;
  const since = told - 1 - windowRounds * trialsPerRound;
  const before = since < 0 ? (defaultSeconds ?? best) : (bestAfter[since] as number);
  const span = Math.min(windowRounds, told / trialsPerRound);
  const backward = Number.isFinite(before) && span > 0 ? Math.max(0, before - best) / span : 0;
  const reachable = bestSpeed > 0 && flops > 0 ? best - (beta * flops) / bestSpeed : 0;
  const forward = Math.max(best / rounds, reachable);
  const secondsPerTrial = told > 0 && deviceSeconds > 0 ? deviceSeconds / told : 1e-3;
  return (weight * (alpha * backward + (1 - alpha) * forward)) / (secondsPerTrial * trialsPerRound);
}
