/**
 * A reported time that cannot be true becomes a failed result, before it is stored: rule `time.implausible`, with both times in
 * its message.
 *
 * Every time is compared with what any launch takes, which costs nothing. Only times of devices with known peaks are compared
 * with what their programs must do: that takes a look at the store. The time of an audit is one of launches on tensors of their
 * own. No worker is blamed, because code of a client or of a builder may be the cause, and a worker is judged by its own kernels
 * alone.
 */
import {
  type FailedResult,
  hasPeaks,
  leastSeconds,
  measureErrorNo,
  type RegisteredLimits,
  type TimedResult,
  type Work,
} from "@warpfarm/common";
import { ProgramWorks } from "../store/sql/program-works.ts";
import type { HeldOutcome, WorkerCall } from "../store/sql/report.ts";
import type { TrackerContext } from "./context.ts";

const implausibleRule = "time.implausible";

type TimedRun = Extract<HeldOutcome, { kind: "run" }> & { readonly result: TimedResult };
const isTimed = (o: HeldOutcome): o is TimedRun => o.kind === "run" && o.result.kind === "timed";

export class Implausible {
  readonly #c: Pick<TrackerContext, "db" | "log" | "metrics" | "registry">;
  readonly #works = new ProgramWorks();

  constructor(context: Pick<TrackerContext, "db" | "log" | "metrics" | "registry">) {
    this.#c = context;
  }

  async judged(calls: readonly WorkerCall[]): Promise<readonly WorkerCall[]> {
    const timed = calls.flatMap((call) =>
      call.outcomes.filter(isTimed).map((outcome) => ({ outcome, limits: this.#limitsOf(call.worker, outcome) })),
    );
    const known = timed.filter(({ outcome, limits }) => hasPeaks(outcome.result.device.name, limits));
    if (known.length === 0 && !timed.some(({ outcome }) => refused(outcome.result, [], {}))) return calls;
    const works = await this.#works.ofLeases(
      this.#c.db,
      known.map(({ outcome }) => outcome.leaseId),
    );
    let found: FailedResult | undefined;
    const judged = calls.map((call) => ({
      ...call,
      outcomes: call.outcomes.map((outcome) => {
        const failed = isTimed(outcome)
          ? refused(outcome.result, works.get(outcome.leaseId) ?? [], this.#limitsOf(call.worker, outcome))
          : undefined;
        if (!failed) return outcome;
        found = failed;
        this.#c.metrics.implausible();
        const { encoded: _, ...rest } = outcome as TimedRun;
        return { ...rest, result: failed };
      }),
    }));
    if (!found) return calls;
    const { device, message } = found;
    this.#c.log.warn({ node: device?.node, device: device?.uuid, why: message }, "a time that cannot be true");
    return judged;
  }

  #limitsOf(worker: WorkerCall["worker"], { device }: HeldOutcome): RegisteredLimits {
    const facts = this.#c.registry.get(worker)?.facts;
    const devices = facts?.kind === "runner" ? facts.devices : [];
    return (device === undefined ? devices[0] : devices.find((each) => each.device === device))?.limits ?? {};
  }
}

/** The failure in place of the result, when a repeat, which is the mean of many launches, cannot be true. */
export function refused(
  result: TimedResult,
  works: readonly (Work | undefined)[],
  limits: RegisteredLimits,
): FailedResult | undefined {
  const { name, node } = result.device;
  const programs = result.paired ?? [result];
  const least = (at: number) => leastSeconds(works[at], name, limits, launchesOf(result));
  const at = programs.findIndex(({ costs }, i) => Math.min(...costs) < least(i));
  const program = programs[at];
  if (!program) return undefined;
  const { kind: _, costs: __, number: ___, checked: ____, observations: _____, artifact: ______, paired, ...phases } = result;
  const seconds = Math.min(...program.costs);
  return {
    ...phases,
    kind: "failed",
    errorNo: measureErrorNo.UNKNOWN_ERROR,
    rule: implausibleRule,
    message:
      `IMPLAUSIBLE: node ${node} reports ${seconds} s a run on ${name}; the least believable time is ${least(at)} s. ` +
      "The time counts nowhere: measure the program on another node, and tell the operator of this one",
    ...(paired ? { failedProgram: at } : {}),
  };
}

/**
 * The least number of launches of an audit's graph, each on tensors of its own; of others 1, because sets of inputs come again.
 */
function launchesOf({ judged, paired }: TimedResult): number {
  const audit = judged !== undefined && "audit" in judged ? judged.audit : undefined;
  return paired === undefined && audit !== undefined ? Math.ceil(audit.sets / 2) : 1;
}
