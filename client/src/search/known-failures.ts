/**
 * Configs that failed before, by the farm's records: those that a builder verified or an admin shared, and one's own. A recorded
 * failure that replaces a measurement (records/src/failure-cache.ts) is not measured again. It counts if all builders for the
 * target have its toolchain. A failure on a device counts if all devices of the session have its model and driver.
 */
import {
  anySignal,
  type Clock,
  deadlineSignal,
  defined,
  type FailedResult,
  FarmError,
  type MeasureOptions,
  type ProgramBytes,
  parseSelector,
  selects,
  sharedToolchains,
} from "@warpfarm/common";
import type { FailureQuery, RecordStore, TuningRecord } from "@warpfarm/records";
import type { FarmThere } from "./farm-there.ts";

const mostRecords = 4_000;
const page = 1_000;
const patienceMs = 20_000;

interface KnownFailuresAsk {
  readonly task: {
    readonly name: string;
    readonly args: TuningRecord["args"];
    readonly target: string;
    /** The reference of outputs, where the options have one. */
    readonly reference: Pick<ProgramBytes, "digest">;
  };
  readonly selector: string;
  readonly options: MeasureOptions;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Failures by program. Empty when the tracker does not answer soon. */
export async function knownFailures(
  records: Pick<RecordStore, "query">,
  { devices, builders }: Pick<FarmThere, "devices" | "builders">,
  { task, selector, options, clock, signal }: KnownFailuresAsk,
): Promise<ReadonlyMap<string, FailedResult>> {
  const { failureExpiresMs, stands } = await import("@warpfarm/records");
  const asked = parseSelector(selector);
  const nowMs = clock.now();
  const models = new Map(
    devices.filter((each) => selects(asked, each)).map(({ key, model }) => [JSON.stringify([key, model]), { key, ...model }]),
  );
  const [only] = models.size === 1 ? models.values() : [];
  const able = builders.filter(({ targets }) => targets.includes(task.target));
  const toolchains = sharedToolchains(able.map((builder) => builder.toolchains));
  if (toolchains.size === 0) return new Map();
  const query: Omit<FailureQuery, "program"> = {
    device: only?.key ?? "",
    deviceName: only?.name ?? "",
    ...defined({ driver: only?.driver, reference: options.check === "reference" ? task.reference.digest : undefined }),
    toolchains,
    buildTimeoutMs: options.buildTimeoutMs,
    runTimeoutMs: options.runTimeoutMs,
  };
  const found = new Map<string, FailedResult>();
  const within = anySignal(signal, deadlineSignal(clock, patienceMs, "reading the farm's records"));
  const of = { task: task.name, args: task.args, outcome: "failed", origin: "measured", believed: true, limit: page } as const;
  try {
    for (let cursor: string | undefined, read = 0; read < mostRecords; ) {
      const since = { sinceMs: Math.floor(nowMs - failureExpiresMs), ...defined({ cursor }) };
      const { records: more, next } = await records.query({ ...of, ...since }, { signal: within });
      for (const record of more) {
        const { program } = record;
        if (program !== undefined && stands(record, { ...query, program }, nowMs)) found.set(program, resultOf(record, nowMs));
      }
      read += more.length;
      if (next === undefined) break;
      cursor = next;
    }
  } catch (error) {
    signal.throwIfAborted();
    // What records would have saved is measured.
    if (!(error instanceof FarmError)) throw error;
  }
  return found;
}

function resultOf({ result, timestampMs }: TuningRecord, nowMs: number): FailedResult {
  if (result.kind !== "failed") throw new Error("a failure that stands is one");
  const { errorNo, rule, message } = result;
  const said = message === "" ? "only its owner sees the message" : message;
  return {
    kind: "failed",
    errorNo,
    ...defined({ rule }),
    message:
      `not measured: it failed on ${new Date(timestampMs).toISOString().slice(0, 10)}, by the farm's records: ${said}`.slice(
        0,
        1024,
      ),
    buildMs: 0,
    runMs: 0,
    timestampMs: nowMs,
    attempt: 0,
  };
}
