/**
 * The search of an operator: its templates share one number of trials, one log and one best (share-trials.ts). Each has its own
 * tuner. A template is opened with as many permits as its share says, and is parked when they are used; at the end the fastest of
 * the leader are measured again, interleaved. Everything follows from the log, so a search that was interrupted goes on as it
 * would have.
 *
 * Whoever runs it sees one search: one stream of events, whose trials, best and failures are of all templates.
 */
import { badInput, defined, FarmError, invariant, medianSeconds } from "@warpfarm/common";
import { secondsOf, type TrialRecord, taskOf } from "@warpfarm/records/logs";
import { landedOf } from "@warpfarm/records/suites";
import type { Task } from "@warpfarm/templates";
import { type StopReason, stopReason } from "../tuner/stop-rules.ts";
import { MoreTrials } from "./more-trials.ts";
import { type OpenSearch, type OpenSearchOptions, openSearch, type SearchFarm } from "./open-search.ts";
import type { Pace } from "./pace.ts";
import { type SearchSpec, type WholeSpec, wholeSpec } from "./search-spec.ts";
import { bestAfterEach, type Course, nextShare } from "./share-trials.ts";
import { stopRulesOf } from "./spec-options.ts";
import { taskNamed } from "./task-source.ts";
import { whenTimeIsOver } from "./time-over.ts";
import type { Best, TuneEvent, TuneSummary } from "./tune-events.ts";
import { type OperatorLog, openOperatorLog } from "./tuning-log.ts";

/** A template of the operator, and its search so far. */
export interface Arm extends Course {
  readonly task: Task;
  readonly best: Best | undefined;
  /** Why it ended before its share; it could not be measured at all. */
  readonly refused: string | undefined;
}

export interface OperatorSearch extends OpenSearch {
  readonly arms: readonly Arm[];
}

interface OperatorOptions extends Omit<OpenSearchOptions, "task" | "logPath" | "isShared" | "paths" | "sources"> {
  /** The task of each template that fits, in the operator's order; at least one. */
  readonly tasks: readonly Task[];
  readonly logPath: string;
}

/** The spec is the operator's, with its complete arguments. Throws as openSearch. */
export async function openOperatorSearch(
  farm: SearchFarm,
  spec: SearchSpec & { readonly key: string },
  options: OperatorOptions,
): Promise<OperatorSearch> {
  const log = await openOperatorLog(options.logPath, spec, options.resume === true);
  const trials = log.records.flatMap((record) => (record.kind === "warpfarm" ? [record.trial] : []));
  const arms = options.tasks.map((task) => {
    const own = trials.filter((trial) => taskOf({ kind: "warpfarm", trial }).task === task.name);
    return new TemplateArm(task, own, log.begun.has(task.name));
  });
  return new Operator({ farm, asked: spec, options, log, arms, trials });
}

const never = () => new Promise<never>(() => {});

class TemplateArm implements Arm {
  readonly task: Task;
  readonly seconds: (number | undefined)[];
  best: Best | undefined;
  isOver = false;
  refused: string | undefined;
  /** Whether the log has its search. */
  isBegun: boolean;
  /** Trials that the owner of its sessions added. */
  added = 0;
  errors: TuneSummary["errors"] = {};
  summary: TuneSummary | undefined;

  constructor(task: Task, trials: readonly TrialRecord[], isBegun: boolean) {
    this.task = task;
    this.isBegun = isBegun;
    this.seconds = trials.map((trial) => secondsOf({ kind: "warpfarm", trial }));
    for (const trial of trials) this.#better(trial);
  }
  get bestAfter(): readonly number[] {
    return bestAfterEach(this.seconds);
  }
  count(trial: TrialRecord): void {
    this.seconds.push(secondsOf({ kind: "warpfarm", trial }));
    this.#better(trial);
  }
  #better(trial: TrialRecord): void {
    if (trial.result.kind !== "timed") return;
    const seconds = medianSeconds(trial.result.costs);
    if (seconds < (this.best?.seconds ?? Number.POSITIVE_INFINITY))
      this.best = { trial, seconds, gflops: this.task.flops / seconds / 1e9 };
  }
}

interface Made {
  readonly farm: SearchFarm;
  readonly asked: SearchSpec & { readonly key: string };
  readonly options: OperatorOptions;
  readonly log: OperatorLog;
  readonly arms: readonly TemplateArm[];
  readonly trials: readonly TrialRecord[];
}

class Operator implements OperatorSearch {
  readonly log: OperatorLog;
  readonly arms: readonly TemplateArm[];
  readonly trials: readonly TrialRecord[];
  readonly more = new MoreTrials();
  readonly spec: WholeSpec;
  readonly defaultSeconds: number | undefined;
  readonly #o: Made;
  readonly #closed: NonNullable<OpenSearchOptions["closed"]>;
  #current: TemplateArm;
  #measured = 0;
  #deviceMs: number;
  #startedMs = 0;
  /** Resolves once, when the wall time is over. */
  #timeIsOver: Promise<void> = never();

  constructor(made: Made) {
    const { asked, options, log, arms, trials } = made;
    const [first] = arms;
    invariant(first, "an operator is searched where a template fits");
    this.#o = made;
    this.#closed = options.closed ?? new Set();
    this.log = log;
    this.arms = arms;
    this.#current = first;
    this.trials = trials;
    const { defaultResult: base } = log;
    this.defaultSeconds = base?.kind === "timed" ? medianSeconds(base.costs) : undefined;
    this.#deviceMs = trials.reduce((sum, trial) => sum + landedOf(trial).deviceMs, 0);
    this.spec = { ...wholeSpec(asked, first.task, asked.key), args: asked.args as WholeSpec["args"] };
  }
  /** Of the template whose turn it is; at the end of the leader. */
  get task(): Task {
    return this.#current.task;
  }
  async [Symbol.asyncDispose](): Promise<void> {}

  async *events(pace?: Pace, waits = pace !== undefined): AsyncGenerator<TuneEvent> {
    const { clock } = this.#o.farm;
    this.#startedMs = clock.monotonic();
    let tell = () => {};
    this.#timeIsOver = new Promise((resolve) => {
      tell = resolve;
    });
    using _timer = whenTimeIsOver(clock, stopRulesOf(this.spec.budget), tell);
    if (this.trials.length > 0) yield { kind: "resumed", trials: this.trials.length, diverged: 0, strange: 0, best: this.#best };
    for (let next = this.#next(pace); next; next = this.#next(pace)) {
      const ended = yield* this.#turn(next.arm, this.#paceOf(next.arm, next.trials, pace), waits);
      if (ended?.reason === "aborted" || pace?.isParked) {
        yield { kind: "finished", summary: this.#summaryOf(ended, ended?.reason === "aborted" ? "aborted" : "parked") };
        return;
      }
    }
    const wallSeconds = this.#wallSeconds;
    const leader = this.#leader;
    if (leader.refused !== undefined) throw badInput(leader.refused);
    const own = leader.isOver ? leader.summary?.reason : "exhausted";
    const told = this.arms.reduce((sum, { seconds }) => sum + seconds.length, 0);
    const reason = told >= this.#total ? "trials" : (this.#spent(pace) ?? own ?? "exhausted");
    const ended = yield* this.#turn(leader, { ...stopped, gave: (n) => this.#gave(leader, n, pace) }, waits);
    const summary = this.#summaryOf(ended, ended?.reason === "aborted" ? "aborted" : reason);
    yield { kind: "finished", summary: { ...summary, wallSeconds } };
  }

  get #wallSeconds(): number {
    return (this.#o.farm.clock.monotonic() - this.#startedMs) / 1000;
  }
  get #total(): number {
    return this.spec.budget.trials + this.more.count;
  }
  get #best(): Best | undefined {
    return this.arms.reduce<Best | undefined>((a, { best: b }) => (b && b.seconds < (a?.seconds ?? Infinity) ? b : a), undefined);
  }
  get #leader(): TemplateArm {
    const timeOf = ({ best }: TemplateArm) => best?.seconds ?? Number.POSITIVE_INFINITY;
    const able = this.arms.filter(({ refused }) => refused === undefined);
    return (able.length > 0 ? able : this.arms).reduce((a, b) => (timeOf(b) < timeOf(a) ? b : a));
  }

  /** Why nothing more is submitted: the clock and the device time of all templates count. */
  #spent(pace: Pace | undefined): StopReason | undefined {
    if (pace?.isOver) return "budget";
    // Who asks for less time than the first result takes gets it.
    if (this.arms.every(({ seconds }) => seconds.length === 0)) return undefined;
    const { wallSeconds, deviceSeconds } = stopRulesOf(this.spec.budget);
    const spent = { wallSeconds: this.#wallSeconds, deviceSeconds: this.#deviceMs / 1000, sinceBest: 0, kept: undefined };
    return stopReason(defined({ wallSeconds, deviceSeconds }), spent);
  }

  #next(pace: Pace | undefined): { readonly arm: TemplateArm; readonly trials: number } | undefined {
    if (this.#spent(pace) !== undefined) return undefined;
    const share = nextShare(this.arms, this.#total) ?? [];
    for (const [at, arm] of this.arms.entries()) {
      const trials = (share[at] ?? 0) - arm.seconds.length;
      if (trials > 0 && !arm.isOver) return { arm, trials };
    }
    return undefined;
  }

  async #isTimeOver(): Promise<void> {
    await this.#timeIsOver;
    this.#timeIsOver = never();
  }

  #gave(arm: TemplateArm, trials: number, outer: Pace | undefined): void {
    arm.added = trials;
    this.more.set(this.arms.reduce((sum, { added }) => sum + added, 0));
    outer?.gave(this.more.count);
  }

  /** A turn of so many candidates, each with a permit of whoever distributes the farm. */
  #paceOf(arm: TemplateArm, trials: number, outer: Pace | undefined): Pace {
    let left = trials;
    const { arms } = this;
    const isSpent = () => this.#spent(outer) !== undefined;
    return {
      take: () => {
        if (left <= 0 || isSpent() || outer?.take() === false) return false;
        left--;
        return true;
      },
      giveBack: () => {
        left++;
        outer?.giveBack();
      },
      isOver: false,
      get isParked() {
        return left <= 0 || outer?.isParked === true || isSpent();
      },
      get isLate() {
        return isSpent() && arms.some(({ seconds }) => seconds.length > 0);
      },
      gave: (n) => this.#gave(arm, n, outer),
      changed: () => Promise.race([outer?.changed() ?? never(), this.#isTimeOver()]),
    };
  }

  /** Undefined when its task cannot be measured; the others go on without it. */
  async *#turn(arm: TemplateArm, pace: Pace, waits: boolean): AsyncGenerator<TuneEvent, TuneSummary | undefined> {
    this.#current = arm;
    try {
      const summary = yield* this.#searched(arm, pace, waits);
      arm.isOver ||= summary.reason !== "parked" && summary.reason !== "aborted";
      arm.summary = summary;
      return summary;
    } catch (error) {
      const isOfTask = error instanceof FarmError && error.code === "INVALID_ARGUMENT";
      if (!isOfTask || this.arms.length === 1) throw error;
      arm.isOver = true;
      arm.refused = error.message;
      this.#o.options.say(`${arm.task.name} is left out: ${error.message}`);
      return undefined;
    }
  }

  async *#searched(arm: TemplateArm, pace: Pace, waits: boolean): AsyncGenerator<TuneEvent, TuneSummary> {
    const { tasks: _, ...options } = this.#o.options;
    const { asked, farm } = this.#o;
    const { task } = arm;
    const { wall_time: __, device_time: ___, ...budget } = asked.budget ?? {};
    const spec = { ...asked, task: taskNamed(task), args: [...task.args], target: task.target, budget };
    const isFirst = arm.summary === undefined;
    await using search = await openSearch(farm, wholeSpec(spec, task, asked.key), {
      ...{ ...options, task, isShared: true, resume: arm.isBegun, added: arm.added, closed: this.#closed },
      // It is opened for each of its turns, and says what it begins with in the first.
      say: isFirst ? (words) => options.say(this.arms.length > 1 ? `${task.name}: ${words}` : words) : () => {},
      onControl: (control) => options.onControl?.({ ...control, moreTrials: this.more.count }),
    });
    arm.isBegun = true;
    for await (const event of search.events(pace, waits)) {
      if (event.kind === "finished") {
        this.#measured += event.summary.measured;
        return event.summary;
      }
      if (event.kind === "resumed") continue;
      yield event.kind === "trial" ? this.#counted(arm, event) : event;
    }
    throw new Error("a search ended without a summary");
  }

  #counted(arm: TemplateArm, event: Extract<TuneEvent, { readonly kind: "trial" }>): TuneEvent {
    arm.count(event.trial);
    arm.errors = event.errors;
    this.#deviceMs += landedOf(event.trial).deviceMs;
    const done = this.arms.reduce((sum, { seconds }) => sum + seconds.length, 0);
    return { ...event, best: this.#best, done, errors: sumOf(this.arms.map(({ errors }) => errors)) };
  }

  /** That of the template which was searched last, with the trials and failures of all. */
  #summaryOf(last: TuneSummary | undefined, reason: TuneSummary["reason"]): TuneSummary {
    const all = this.arms.flatMap(({ summary }) => summary ?? []);
    const of = last ?? all[0];
    invariant(of, "a search that ends has opened a template");
    const sum = (n: (each: TuneSummary) => number) => all.reduce((total, each) => total + n(each), 0);
    const wallSeconds = this.#wallSeconds;
    return {
      ...of,
      reason,
      trials: this.arms.reduce((total, { seconds }) => total + seconds.length, 0),
      measured: this.#measured,
      errors: sumOf(all.map(({ errors }) => errors)),
      slower: sum(({ slower }) => slower),
      failures: all.flatMap(({ failures }) => failures).toSorted((x, y) => y.count - x.count),
      wallSeconds,
      trialsPerSecond: wallSeconds > 0 ? this.#measured / wallSeconds : 0,
      ...defined({ runnerUp: of.runnerUp, best: of.best }),
    };
  }
}

/** Nothing more is submitted; what was searched ends in order, and its fastest are measured again. */
const stopped = {
  take: () => false,
  giveBack: () => {},
  isOver: true,
  isParked: false,
  changed: never,
};

function sumOf(errors: readonly TuneSummary["errors"][]): TuneSummary["errors"] {
  const sum: Record<string, number> = {};
  for (const each of errors) for (const [name, count] of Object.entries(each)) sum[name] = (sum[name] ?? 0) + count;
  return sum;
}
