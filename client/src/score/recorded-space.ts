/**
 * A tuning space that somebody measured in full: every config with its time, or that it failed, and what evaluating it cost. A tuner is scored on it
 * without a device. Plain data in typed arrays, so that threads share it; `openRecorded` gives it its config space and its lookup.
 *
 * Configs that the file does not list were excluded by the kernel's own constraints: they are no valid configs of the space. Configs that failed
 * are valid and cost an evaluation, for nobody knew.
 */
import { invariant, type Json } from "@warpfarm/common";
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
  /** Position of a config in the file. */
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

/** One record of a file, whatever its format. */
export interface RecordedConfig {
  readonly values: ReadonlyMap<string, Json>;
  /** Milliseconds; NaN when it failed. */
  readonly time: number;
  readonly cost: number;
}

/** `order`: values of each knob in the file's own order, where it says so; else they are sorted. A repeated config keeps its first record. */
export function collectRecords(
  name: string,
  records: readonly RecordedConfig[],
  order?: ReadonlyMap<string, readonly Json[]>,
): RecordedData {
  const first = records[0];
  invariant(first !== undefined, `${name} holds no records`);
  const knobs = [...(order?.keys() ?? first.values.keys())].map((knob) => {
    const seen = new Set(records.map(({ values }) => values.get(knob)));
    invariant(!seen.has(undefined), `a record of ${name} has no value for ${knob}`);
    const met = [...seen] as Json[];
    const listed = order?.get(knob) ?? met.sort(byValue);
    return { name: knob, values: [...new Set([...listed, ...met])] };
  });
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
  return {
    name,
    knobs,
    index: shared([...positions.keys()]),
    time: shared(kept.map((r) => r.time)),
    cost: shared(kept.map((r) => r.cost)),
  };
}

const byValue = (a: Json, b: Json): number =>
  typeof a === "number" && typeof b === "number" ? a - b : String(a) < String(b) ? -1 : 1;

function shared(values: readonly number[]): Float64Array {
  const made = new Float64Array(new SharedArrayBuffer(8 * values.length));
  made.set(values);
  return made;
}
