/**
 * The finalists of an ended search: its client measured the fastest programs again, interleaved, in another session. That session
 * does not name the search, so it is found by the programs: the last session of the same owner that measured two or more of the
 * search's fastest interleaved.
 */
import { type DeviceFacts, toProgramDigest } from "@warpfarm/common";
import type { RecordStore, TuningRecord } from "@warpfarm/records";
import type { Entity, Finals } from "@warpfarm/records/suites";

/** The most finalists in one measurement, and the most of a search's fastest programs among which they are looked for. */
const most = { finalists: 8, fastest: 32 };

interface FinalsOfRun {
  readonly finals: Pick<Finals, "finalists" | "runs">;
  /** Of the finalists alone, whatever else was measured in these rounds. */
  readonly records: readonly TuningRecord[];
}

export async function finalsOf(
  store: Pick<RecordStore, "query">,
  run: { readonly id: string; readonly principal: string },
): Promise<FinalsOfRun | undefined> {
  const { records } = await store.query({ session: run.id, outcome: "timed", order: "fastest", limit: most.fastest });
  const configs = new Map<string, Entity>();
  for (const { program, config } of records)
    if (program !== undefined && config !== undefined && configs.size < most.finalists && !configs.has(program))
      configs.set(program, config.entity);
  const measurements = new Map<string, Map<string, TuningRecord>>();
  for (const program of configs.keys()) {
    const again = await store.query({ program, by: run.principal, outcome: "timed", limit: most.fastest });
    for (const record of again.records) {
      const { interleaved } = record;
      if (interleaved === undefined) continue;
      const { run: key } = interleaved;
      measurements.set(key, (measurements.get(key) ?? new Map<string, TuningRecord>()).set(program, record));
    }
  }
  const whole = [...measurements.values()].filter((one) => one.size > 1);
  const last = whole.flatMap((one) => [...one.values()]).reduce<TuningRecord | undefined>(newer, undefined);
  if (last === undefined) return undefined;
  const own = whole.filter((one) => [...one.values()].some(({ session }) => session === last.session));
  const finalists = [...(own[0] as Map<string, TuningRecord>).keys()];
  const runs = own
    .filter((one) => finalists.every((program) => one.has(program)))
    .map((one) => finalists.map((program) => one.get(program) as TuningRecord));
  return {
    finals: {
      finalists: finalists.map((program) => ({ config: configs.get(program) as Entity, program: toProgramDigest(program) })),
      runs: runs.map((timed) => {
        const device = timed[0]?.device as DeviceFacts;
        return { device, costs: timed.map(({ result }) => (result.kind === "timed" ? result.costs : [])) };
      }),
    },
    records: runs.flatMap((timed) =>
      timed.map((record, i) => ({
        ...record,
        interleaved: { run: record.interleaved?.run ?? "", place: i + 1, of: timed.length },
      })),
    ),
  };
}

const newer = (a: TuningRecord | undefined, b: TuningRecord): TuningRecord => (a && a.timestampMs >= b.timestampMs ? a : b);
