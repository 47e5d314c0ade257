/** The trials of a run as the page holds them: typed columns that grow. */
import type { KnobInfo, RunDetail, RunSummary, TrialColumns } from "../../src/api.ts";

/** A growing array of numbers; its capacity doubles whenever it is full. */
export class Growing {
  #values: Float64Array<ArrayBuffer> = new Float64Array(1024);
  length = 0;

  push(values: readonly number[]): void {
    if (this.length + values.length > this.#values.length) {
      const wider = new Float64Array(Math.max(this.#values.length * 2, this.length + values.length));
      wider.set(this.#values);
      this.#values = wider;
    }
    this.#values.set(values, this.length);
    this.length += values.length;
  }
  /** A view that is valid until the next push. */
  get view(): Float64Array {
    return this.#values.subarray(0, this.length);
  }
  at(i: number): number {
    return i < this.length ? (this.#values[i] ?? Number.NaN) : Number.NaN;
  }
}

const columnNames = ["sequence", "seconds", "atLeast", "spread", "errorNo", "rule", "node", "atMs", "busyMs"] as const;
export type ColumnName = (typeof columnNames)[number];

export class RunData {
  readonly columns = Object.fromEntries(columnNames.map((name) => [name, new Growing()])) as Readonly<
    Record<ColumnName, Growing>
  >;
  /** For each knob, positions in its values; -1: unknown. */
  readonly config: Growing[] = [];
  readonly ids: string[] = [];
  rules: readonly string[] = [];
  nodes: readonly string[] = [];
  knobs: readonly KnobInfo[] = [];
  version = 0;

  get count(): number {
    return this.ids.length;
  }

  append(more: TrialColumns): void {
    const before = this.count;
    for (const name of columnNames) this.columns[name].push(more[name]);
    for (const id of more.id) this.ids.push(more.idPrefix + id);
    for (const [k, column] of more.config.entries()) {
      const own = this.config[k] ?? new Growing();
      this.config[k] = own;
      // A knob that appeared after the run began.
      if (own.length < before) own.push(new Array<number>(before - own.length).fill(-1));
      own.push(column);
    }
    this.rules = more.rules;
    this.nodes = more.nodes;
    this.knobs = more.knobs;
    this.version++;
  }

  knobText(knob: number, trial: number): string | undefined {
    return this.knobs[knob]?.values[this.config[knob]?.at(trial) ?? -1];
  }

  /** Whether it is a trial and not the default schedule. */
  isTrial(i: number): boolean {
    return this.columns.sequence.at(i) !== 0;
  }
  /** The places of all trials. */
  get trials(): readonly number[] {
    return this.ids.flatMap((_, i) => (this.isTrial(i) ? [i] : []));
  }
  get trialCount(): number {
    return this.count - this.columns.sequence.view.filter((sequence) => sequence === 0).length;
  }
  /** Without those that ended early. */
  get failedCount(): number {
    return this.columns.errorNo.view.filter((errorNo, i) => errorNo > 0 && this.isTrial(i)).length;
  }

  isTimed(trial: number): boolean {
    return this.columns.errorNo.at(trial) === 0;
  }
}

export interface Step {
  readonly trial: number;
  readonly seconds: number;
}

/** The run as its detail and the newest summary have it. */
export function runNow(detail: RunDetail, summary: RunSummary | undefined): RunDetail {
  if (!summary) return detail;
  // Without `paused` the session is not paused, even where an older detail says so; a best and its record come together. The best
  // of an ended run counts its finalists' rounds, which only its detail has.
  const { paused: _paused, best, bestId, ...rest } = detail;
  const ended =
    detail.state !== "ended" ? {} : { ...(best === undefined ? {} : { best }), ...(bestId === undefined ? {} : { bestId }) };
  return { ...rest, ...summary, ...ended };
}

/** Where the best so far changed: the trial and its time. The default schedule is no trial. */
export function bestSteps(data: RunData): readonly Step[] {
  const steps: Step[] = [];
  let best = Number.POSITIVE_INFINITY;
  const seconds = data.columns.seconds.view;
  for (let trial = 0; trial < seconds.length; trial++) {
    const value = seconds[trial] as number;
    if (value > 0 && value < best && data.isTrial(trial)) {
      best = value;
      steps.push({ trial, seconds: value });
    }
  }
  return steps;
}

/**
 * The trial of the run's best kernel, by the rule that gives its time, or the fastest where its record is not here yet; -1 while
 * there is none.
 */
export function bestTrial(data: RunData, { bestId }: Pick<RunDetail, "bestId">): number {
  const found = bestId === undefined ? -1 : data.ids.indexOf(bestId);
  return found >= 0 ? found : (bestSteps(data).at(-1)?.trial ?? -1);
}

/** X positions of a curve over trials: how many have ended with it, or the device seconds used up to the trial's end. */
export function positions(data: RunData, by: "trial" | "device-seconds"): Float64Array {
  const count = data.count;
  const at = new Float64Array(count);
  const busy = data.columns.busyMs.view;
  for (let i = 0, sum = 0, trials = 0; i < count; i++) {
    sum += (busy[i] as number) / 1000;
    if (data.isTrial(i)) trials++;
    at[i] = by === "trial" ? trials : sum;
  }
  return at;
}

/**
 * At most `most` of the trials, sorted, chosen so that a plot of them looks the same: the fastest and the slowest timed trial of
 * each stretch of positions.
 */
export function decimated(data: RunData, from: number, to: number, most: number): Int32Array {
  const seconds = data.columns.seconds.view;
  const count = to - from;
  const picked: number[] = [];
  const stretch = Math.max(1, Math.ceil((2 * count) / most));
  for (let start = from; start < to; start += stretch) {
    let [low, high] = [-1, -1];
    for (let i = start; i < Math.min(to, start + stretch); i++) {
      const value = seconds[i] as number;
      if (!(value > 0)) continue;
      if (low < 0 || value < (seconds[low] as number)) low = i;
      if (high < 0 || value > (seconds[high] as number)) high = i;
    }
    if (low >= 0) picked.push(Math.min(low, high));
    if (high >= 0 && high !== low) picked.push(Math.max(low, high));
  }
  return Int32Array.from(picked);
}

export interface Pace {
  /** Trials a second. */
  readonly rate: number;
  /** Share of the time in which a device was busy. */
  readonly busy?: number;
  readonly leftMs?: number;
}

/** The rate is over the last hundred trials, the share of device time over all results. */
export function paceOf(data: RunData, run: Pick<RunDetail, "trials" | "state" | "paused">): Pace | undefined {
  const at = data.columns.atMs.view;
  const ended = data.trials.map((i) => at[i] as number);
  const last = ended.slice(-100);
  if (last.length < 2) return undefined;
  const span = ((last.at(-1) as number) - (last[0] as number)) / 1000;
  const rate = span > 0 ? (last.length - 1) / span : 0;
  const busyMs = data.columns.busyMs.view.reduce((sum, ms) => sum + ms, 0);
  const whole = at.reduce((most, ms) => Math.max(most, ms), 0);
  const left =
    run.trials !== undefined && run.state === "open" && !run.paused && rate > 0
      ? ((run.trials - ended.length) / rate) * 1000
      : undefined;
  return {
    rate,
    // Others' logs do not tell how long a device was busy.
    ...(busyMs === 0 || whole === 0 ? {} : { busy: Math.min(1, busyMs / whole) }),
    ...(left === undefined ? {} : { leftMs: Math.max(0, left) }),
  };
}
