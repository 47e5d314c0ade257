import { medianSeconds } from "@warpfarm/common";
import type { OutcomeKind } from "@warpfarm/proto";
import type { WorkerEvent } from "./jobs.ts";

export interface EventLine {
  readonly level: "debug" | "info" | "warn";
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export function describeEvent(event: WorkerEvent): EventLine {
  switch (event.kind) {
    case "registered": {
      const { workerId: worker, epoch } = event.registered;
      return { level: "info", message: "registered", fields: { worker, epoch } };
    }
    case "register_failed":
      return retrying("could not register", event);
    case "connection_lost":
      return retrying("lost the tracker", event);
    case "epoch_over": {
      const message = `the tracker has given up on this worker: ${event.error.message}`;
      return { level: "warn", message, fields: { givenUp: event.givenUp } };
    }
    case "state":
      return { level: "info", message: `the tracker asks for state ${event.state}`, fields: {} };
    case "trouble":
      return event.trouble === ""
        ? { level: "info", message: "fit for work again", fields: {} }
        : { level: "warn", message: `takes no new work: ${event.trouble}`, fields: {} };
    case "started":
    case "cancelled":
      return { level: "debug", message: event.kind, fields: { lease: event.leaseId } };
    case "finished": {
      const { level, message, fields } = describeOutcome(event.outcome);
      return { level, message, fields: { lease: event.leaseId, ...fields } };
    }
  }
}

function retrying(what: string, { error, retryInMs }: Extract<WorkerEvent, { readonly retryInMs: number }>): EventLine {
  return { level: "warn", message: `${what}: ${error.message}`, fields: { code: error.code, retryInMs } };
}

function describeOutcome(outcome: OutcomeKind): EventLine {
  if (outcome.kind === "fault" && (outcome.leaving || outcome.busy)) return { level: "info", message: "handed back", fields: {} };
  if (outcome.kind === "fault")
    return { level: "warn", message: `fault: ${outcome.message}`, fields: { suspect: outcome.suspect } };
  if (outcome.kind === "built") {
    const { artifact, buildMs, cached } = outcome;
    return { level: "debug", message: "built", fields: { artifact, buildMs, cached } };
  }
  if (outcome.kind === "replayed") return { level: "debug", message: "replayed", fields: { program: outcome.program } };
  if (outcome.kind === "replay_refused") return { level: "debug", message: `not replayed: ${outcome.message}`, fields: {} };
  const { result } = outcome;
  if (result.kind === "failed") {
    const { errorNo, rule, message } = result;
    return { level: "debug", message, fields: { errorNo, rule } };
  }
  const { costs, number, runMs } = result;
  return { level: "debug", message: "timed", fields: { seconds: medianSeconds(costs), number, runMs } };
}
