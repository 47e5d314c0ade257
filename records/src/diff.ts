/**
 * Compares two sets of records: for each task, kind of device and conditions, the best of one against the best of the other. They
 * were measured at two times, not interleaved, so a difference counts only beyond the noise of both (BestRecord.noise): the
 * interval of the ratio is the ratio times and divided by (1 + noise) of each.
 */
import { canonicalJson, defined, type Json } from "@warpfarm/common";
import { chooseOf, conditionsOfRecord, counts, deviceOf, type Timed, timedOf } from "./best.ts";
import type { BestQuery, BestRecord } from "./store.ts";
import { kernelOf, type TuningRecord } from "./tuning-record.ts";

export const changes = ["slower", "missing", "faster", "new", "same"] as const;
export type Change = (typeof changes)[number];

export interface RecordDiff {
  readonly task: string;
  readonly args: readonly Json[];
  readonly device: BestRecord["device"];
  /** What is unusual about the conditions of both; empty where nothing is. */
  readonly conditions: string;
  readonly change: Change;
  readonly before?: BestRecord;
  readonly after?: BestRecord;
  /** The time after divided by the time before: below 1 is faster. Present when both times are. */
  readonly ratio?: { readonly estimate: number; readonly low: number; readonly high: number };
}

type Which = Pick<BestQuery, "origin" | "l2" | "inputs" | "power" | "unchecked">;

/** The greatest changes come first: slower, missing, faster, new, the same; then by task. */
export async function diffRecords(
  before: AsyncIterable<TuningRecord>,
  after: AsyncIterable<TuningRecord>,
  which: Which,
): Promise<readonly RecordDiff[]> {
  const [old, fresh] = [await bestOfEach(before, which), await bestOfEach(after, which)];
  const all = [...new Set([...old.keys(), ...fresh.keys()])].sort().map((key) => diffOf(old.get(key), fresh.get(key)));
  return changes.flatMap((change) => all.filter((each) => each.change === change));
}

async function bestOfEach(records: AsyncIterable<TuningRecord>, which: Which): Promise<ReadonlyMap<string, BestRecord>> {
  const groups = new Map<string, Timed<TuningRecord>[]>();
  for await (const record of records) {
    const timed = timedOf(record);
    if (timed === undefined || !counts(record, { task: record.task, args: record.args, ...which })) continue;
    const key = `${record.task} ${canonicalJson(record.args)} ${deviceOf(record)} ${conditionsOfRecord(record)}`;
    const group = groups.get(key);
    const light = { ...timed, of: withoutWeight(record) };
    if (group) group.push(light);
    else groups.set(key, [light]);
  }
  return new Map(
    [...groups].flatMap(([key, group]) => {
      const best = chooseOf(group);
      return best ? [[key, best] as const] : [];
    }),
  );
}

/** Keeps only what the choice needs, since there may be a million records. */
function withoutWeight(record: TuningRecord): TuningRecord {
  const { id, origin, task, args, target, device, options, judged, result, timestampMs } = record;
  const optional = defined({ device, options, judged });
  return { id, origin, task, args, target, result, timestampMs, program: kernelOf(record), ...optional };
}

function diffOf(before: BestRecord | undefined, after: BestRecord | undefined): RecordDiff {
  const { record, device } = (after ?? before) as BestRecord;
  const of = { task: record.task, args: record.args, device, conditions: conditionsOfRecord(record) };
  if (!before) return { ...of, change: "new", ...(after ? { after } : {}) };
  if (!after) return { ...of, change: "missing", before };
  const estimate = after.seconds / before.seconds;
  const width = (1 + before.noise) * (1 + after.noise);
  const ratio = { estimate, low: estimate / width, high: estimate * width };
  return { ...of, change: ratio.low > 1 ? "slower" : ratio.high < 1 ? "faster" : "same", before, after, ratio };
}
