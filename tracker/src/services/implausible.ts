/**
 * A reported time that cannot be true becomes a failed result, before it is stored: rule `time.implausible`, with both times in
 * its message.
 *
 * Every time is compared with what any launch takes, which costs nothing. Only times of models with known peaks are compared with
 * what their programs must do: that takes a look at the store. No worker is blamed, because code of a client or of a builder may
 * be the cause, and a worker is judged by its own kernels alone.
 */
import { type FailedResult, hasPeaks, leastSeconds, measureErrorNo, type TimedResult, type Work } from "@warpfarm/common";
import type { Outcome } from "@warpfarm/proto";
import { ProgramWorks } from "../store/sql/program-works.ts";
import type { WorkerCall } from "../store/sql/report.ts";
import type { TrackerContext } from "./context.ts";

const implausibleRule = "time.implausible";

type TimedRun = Extract<Outcome, { kind: "run" }> & { readonly result: TimedResult };
const isTimed = (o: Outcome): o is TimedRun => o.kind === "run" && o.result.kind === "timed";

export class Implausible {
  readonly #c: Pick<TrackerContext, "db" | "log" | "metrics">;
  readonly #works = new ProgramWorks();

  constructor(context: Pick<TrackerContext, "db" | "log" | "metrics">) {
    this.#c = context;
  }

  async judged(calls: readonly WorkerCall[]): Promise<readonly WorkerCall[]> {
    const timed = calls.flatMap(({ outcomes }) => outcomes.filter(isTimed));
    const known = timed.filter(({ result }) => hasPeaks(result.device.name));
    if (known.length === 0 && !timed.some(({ result }) => refused(result, []))) return calls;
    const works = await this.#works.ofLeases(
      this.#c.db,
      known.map(({ leaseId }) => leaseId),
    );
    let found: FailedResult | undefined;
    const judged = calls.map((call) => ({
      ...call,
      outcomes: call.outcomes.map((outcome) => {
        const failed = isTimed(outcome) ? refused(outcome.result, works.get(outcome.leaseId) ?? []) : undefined;
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
}

/** The failure in place of the result, when a repeat, which is the mean of many launches, cannot be true. */
export function refused(result: TimedResult, works: readonly (Work | undefined)[]): FailedResult | undefined {
  const { name, node } = result.device;
  const programs = result.paired ?? [result];
  const at = programs.findIndex(({ costs }, i) => Math.min(...costs) < leastSeconds(works[i], name));
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
      `IMPLAUSIBLE: node ${node} reports ${seconds} s a run on ${name}; the least believable time is ${leastSeconds(works[at], name)} s. ` +
      "The time counts nowhere: measure the program on another node, and tell the operator of this one",
    ...(paired ? { failedProgram: at } : {}),
  };
}
