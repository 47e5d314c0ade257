/** The records of one run as columns. Records are only appended; entries that were sent never change. */
import { medianSeconds as median } from "@warpfarm/common";
import { bestOf, kindOf, ofOneKind, secondsOfRecord, type Timed, type TuningRecord, timedOf } from "@warpfarm/records";
import { endedEarly, type KnobInfo, type TrialColumns } from "../api.ts";

class Names {
  readonly names: string[] = [];
  readonly #positions = new Map<string, number>();

  of(name: string): number {
    const known = this.#positions.get(name);
    if (known !== undefined) return known;
    this.#positions.set(name, this.names.length);
    return this.names.push(name) - 1;
  }
}

interface BestOfRun {
  readonly record: TuningRecord;
  /** By the rounds that decided, or its kernel's median. */
  readonly seconds: number;
}

/** By the one rule (best.ts of records), of the kind of device with the most results. Undefined when nothing was timed. */
export function bestOfRun(timed: readonly Timed<TuningRecord>[]): BestOfRun | undefined {
  const found = bestOf(ofOneKind(timed, ({ of }) => kindOf(of)));
  return found && { record: found.best.nearest.of, seconds: found.rounds?.verdict.winner.seconds.estimate ?? found.best.seconds };
}

type Numbers = { -readonly [K in keyof TrialColumns as TrialColumns[K] extends readonly number[] ? K : never]: number[] };

/** As in columns of trials. */
export const outcomeNoOf = ({ result }: TuningRecord): number =>
  result.kind === "failed" ? result.errorNo : result.kind === "slower" ? endedEarly : 0;

/** A search on a farm measures the default schedule first, which is no trial of its own and has no config. */
export const isDefaultSchedule = ({ search, config, interleaved }: TuningRecord): boolean =>
  search?.tuner !== undefined && search.sequence === undefined && config === undefined && interleaved === undefined;

export class RunTrials {
  readonly #columns: Numbers = {
    sequence: [],
    seconds: [],
    spread: [],
    atLeast: [],
    errorNo: [],
    rule: [],
    node: [],
    atMs: [],
    busyMs: [],
  };
  readonly #ids: string[] = [];
  readonly #known = new Set<string>();
  readonly #rules = new Names();
  readonly #nodes = new Names();
  readonly #knobs = new Map<string, { readonly values: Names; readonly column: number[] }>();
  readonly #timed: Timed<TuningRecord>[] = [];
  #failed = 0;
  readonly #counts = { trials: 0, failed: 0 };
  #best: { readonly of: number; readonly best: BestOfRun | undefined } | undefined;
  #first: TuningRecord | undefined;
  #last: TuningRecord | undefined;
  #startedMs = 0;
  readonly #idOf: (record: TuningRecord) => string;

  constructor(idOf: (record: TuningRecord) => string = ({ id }) => id) {
    this.#idOf = idOf;
  }

  get count(): number {
    return this.#ids.length;
  }
  get failed(): number {
    return this.#failed;
  }
  /** Without the default schedule. */
  get counts(): { readonly trials: number; readonly failed: number } {
    return this.#counts;
  }
  get best(): BestOfRun | undefined {
    const of = this.#timed.length;
    if (this.#best?.of !== of) this.#best = { of, best: bestOfRun(this.#timed) };
    return this.#best.best;
  }
  get bestId(): string | undefined {
    return this.best && this.#idOf(this.best.record);
  }
  get first(): TuningRecord | undefined {
    return this.#first;
  }
  get last(): TuningRecord | undefined {
    return this.#last;
  }
  /** Unix time at which the first trial began, if its record has it. */
  get startedMs(): number {
    return this.#startedMs;
  }
  get knobs(): readonly KnobInfo[] {
    return [...this.#knobs].map(([name, { values }]) => ({ name, values: [...values.names] }));
  }

  has(id: string): boolean {
    return this.#known.has(id);
  }

  /**
   * Ignores a record that was added before. `isMeasured`: false for a result taken from an equal program of another config, which
   * is a trial and never the best.
   */
  add(record: TuningRecord, isMeasured = true): void {
    if (this.#known.has(record.id)) return;
    this.#known.add(record.id);
    const { result, search, timestampMs, device, config } = record;
    if (!this.#first) {
      this.#first = record;
      this.#startedMs = timestampMs - (record.buildMs ?? 0) - (record.runMs ?? 0);
    }
    if (!this.#last || timestampMs >= this.#last.timestampMs) this.#last = record;
    const seconds = secondsOfRecord(record) ?? 0;
    if (result.kind === "failed") this.#failed++;
    else if (isMeasured && result.kind === "timed") this.#timed.push(timedOf(record) as Timed<TuningRecord>);
    const c = this.#columns;
    this.#ids.push(this.#idOf(record));
    const isTrial = !isDefaultSchedule(record);
    if (isTrial) this.#counts.trials++;
    if (isTrial && result.kind === "failed") this.#counts.failed++;
    c.sequence.push(isTrial ? (search?.sequence ?? this.#ids.length) : 0);
    c.seconds.push(Number(seconds.toPrecision(9)));
    c.spread.push(result.kind === "timed" ? Number(spreadOf(result.costs).toPrecision(3)) : 0);
    c.atLeast.push(result.kind === "slower" ? Number(result.atLeast.toPrecision(9)) : 0);
    c.errorNo.push(outcomeNoOf(record));
    c.rule.push(result.kind === "failed" && result.rule !== undefined ? this.#rules.of(result.rule) : -1);
    c.node.push(this.#nodes.of(device?.node ?? ""));
    c.atMs.push(Math.max(0, Math.round(timestampMs - this.#startedMs)));
    c.busyMs.push(Number((record.busyMs ?? 0).toFixed(3)));
    this.#addConfig(config?.entity ?? []);
  }

  /** Times of trials that were measured interleaved, each once. They count for the best alone. */
  addRounds(records: readonly TuningRecord[]): void {
    for (const record of records) {
      if (this.#known.has(record.id)) continue;
      this.#known.add(record.id);
      this.#timed.push(timedOf(record) as Timed<TuningRecord>);
    }
  }

  #addConfig(entity: readonly (readonly [name: string, kind: string, value: unknown])[]): void {
    for (const [name, , value] of entity) {
      const known = this.#knobs.get(name) ?? { values: new Names(), column: new Array<number>(this.#ids.length - 1).fill(-1) };
      this.#knobs.set(name, known);
      known.column[this.#ids.length - 1] = known.values.of(JSON.stringify(value));
    }
    for (const { column } of this.#knobs.values()) if (column.length < this.#ids.length) column.push(-1);
  }

  columns(after: number, most = Number.POSITIVE_INFINITY): TrialColumns {
    const cut = <T>(column: readonly T[]): readonly T[] => column.slice(after, after + most);
    const ids = cut(this.#ids);
    const idPrefix = commonPrefix(ids);
    const c = this.#columns;
    return {
      sequence: cut(c.sequence),
      seconds: cut(c.seconds),
      spread: cut(c.spread),
      atLeast: cut(c.atLeast),
      errorNo: cut(c.errorNo),
      rule: cut(c.rule),
      node: cut(c.node),
      atMs: cut(c.atMs),
      busyMs: cut(c.busyMs),
      id: ids.map((id) => id.slice(idPrefix.length)),
      idPrefix,
      left: Math.max(0, this.#ids.length - after - ids.length),
      rules: [...this.#rules.names],
      nodes: [...this.#nodes.names],
      config: [...this.#knobs.values()].map(({ column }) => cut(column)),
      knobs: this.knobs,
    };
  }
}

function commonPrefix(texts: readonly string[]): string {
  let prefix = texts[0] ?? "";
  for (const text of texts) while (!text.startsWith(prefix)) prefix = prefix.slice(0, -1);
  return prefix;
}

/**
 * Half-width of the median's 95 % interval relative to the median, from the median absolute deviation; 0 for fewer than 3
 * repeats.
 */
export function spreadOf(costs: readonly number[]): number {
  if (costs.length < 3) return 0;
  const middle = median(costs);
  const deviation = median(costs.map((cost) => Math.abs(cost - middle)));
  // For normal errors, MAD × 1.4826 estimates the standard deviation, and a median's standard error is 1.2533 times a mean's.
  return (1.96 * 1.2533 * 1.4826 * deviation) / Math.sqrt(costs.length) / middle;
}
