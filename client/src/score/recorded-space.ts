/**
 * A tuning space that somebody measured in full: every config with its time, or that it failed, and what evaluating it cost. A
 * tuner is scored on it without a device. Data is in typed arrays, so that threads share it.
 *
 * Configs that the file does not list were excluded by the kernel's own constraints: they are no valid configs of the space.
 * Configs that failed are valid and cost an evaluation, for nobody knew.
 */
import { err, invariant, type Json, ok, type Result } from "@warpfarm/common";
import { type ConfigIndex, ConfigSpace, choiceKnob, listedConfigs } from "@warpfarm/compiler";

export interface RecordedData {
  readonly name: string;
  readonly knobs: readonly { readonly name: string; readonly values: readonly Json[] }[];
  /** By position in the file: flat index in the product of the knobs. */
  readonly index: Float64Array;
  /** Milliseconds of the kernel; NaN for a config that failed. */
  readonly time: Float64Array;
  /** Milliseconds that evaluating the config took: compile, verify, benchmark and what the framework added. */
  readonly cost: Float64Array;
}

export interface Recorded extends RecordedData {
  readonly space: ConfigSpace;
  position(index: ConfigIndex): number;
}

export function openRecorded(data: RecordedData): Recorded {
  const positions = new Map<number, number>();
  data.index.forEach((index, position) => {
    positions.set(index, position);
  });
  invariant(positions.size === data.index.length, `${data.name} lists a config twice`);
  const space = new ConfigSpace(
    data.knobs.map(({ name, values }) => choiceKnob(name, values)),
    listedConfigs(data.index),
  );
  return {
    ...data,
    space,
    position(index) {
      const found = positions.get(index);
      invariant(found !== undefined, `${data.name} has no record of config ${index}`);
      return found;
    },
  };
}

export interface RecordedConfig {
  readonly values: ReadonlyMap<string, Json>;
  /** Milliseconds; NaN when it failed. */
  readonly time: number;
  readonly cost: number;
}

/**
 * `order`: values of each knob in the file's order, if it has one; otherwise they are sorted. A repeated config keeps its first
 * record. Refuses with one sentence: no records, a record that lacks a knob, more than 2^53 combinations.
 */
export function collectRecords(
  name: string,
  records: readonly RecordedConfig[],
  order?: ReadonlyMap<string, readonly Json[]>,
): Result<RecordedData, string> {
  const first = records[0];
  if (first === undefined) return err(`${name} holds no records`);
  const names = [...(order?.keys() ?? first.values.keys())];
  for (const [i, { values }] of records.entries()) {
    const knob = names.find((one) => !values.has(one));
    if (knob !== undefined) return err(`record ${i + 1} of ${name} has no value for ${knob}`);
  }
  const knobs = names.map((knob) => {
    const met = [...new Set(records.map(({ values }) => values.get(knob) as Json))];
    const listed = order?.get(knob) ?? met.sort(byValue);
    return { name: knob, values: [...new Set([...listed, ...met])] };
  });
  if (!Number.isSafeInteger(knobs.reduce((product, { values }) => product * values.length, 1)))
    return err(`${name} has more than 2^53 combinations of knob values`);
  const digits = knobs.map(({ values }) => new Map(values.map((value, digit) => [value, digit])));
  const positions = new Map<number, RecordedConfig>();
  for (const record of records) {
    let index = 0;
    for (let i = knobs.length - 1; i >= 0; i--) {
      const { name: knob, values } = knobs[i] as (typeof knobs)[number];
      index = index * values.length + (digits[i]?.get(record.values.get(knob) as Json) ?? 0);
    }
    if (!positions.has(index)) positions.set(index, record);
  }
  const kept = [...positions.values()];
  return ok({
    name,
    knobs,
    index: shared([...positions.keys()]),
    time: shared(kept.map((r) => r.time)),
    cost: shared(kept.map((r) => r.cost)),
  });
}

const byValue = (a: Json, b: Json): number =>
  typeof a === "number" && typeof b === "number" ? a - b : String(a) < String(b) ? -1 : 1;

function shared(values: readonly number[]): Float64Array {
  const made = new Float64Array(new SharedArrayBuffer(8 * values.length));
  made.set(values);
  return made;
}
