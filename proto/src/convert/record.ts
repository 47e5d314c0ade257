/** RecordService between wire and domain. */
import { canonicalJson, defined, FarmError, l2States } from "@warpfarm/common";
import type {
  BestQuery,
  BestRecord,
  Contender,
  RecordFilter,
  RecordQuery,
  RetentionRules,
  TuningRecord,
} from "@warpfarm/records";
import { encodeAsRead, PackedRecord, recordAsRead, recordOutcomes } from "@warpfarm/records";
import type * as Wire from "../gen/wire.ts";
import type { Sent } from "../gen/wire.ts";
import * as field from "./fields.ts";
import { argsFromWire } from "./provenance.ts";

export const recordsAtOnce = 1_000;
/** A message may have 4 MiB. */
export const recordBytesAtOnce = 3 << 20;

/** The first of these texts that go into one message: by number and by size, at least one. */
export function inOneMessage(texts: readonly string[]): string[] {
  let bytes = 0;
  const over = texts.findIndex((text, i) => {
    bytes += Buffer.byteLength(text);
    return i > 0 && (i === recordsAtOnce || bytes > recordBytesAtOnce);
  });
  return texts.slice(0, over < 0 ? texts.length : over);
}

export function filterToWire(f: RecordFilter): Sent<Wire.Filter> {
  const { ids, task, args, template, device, deviceName, target, program, session, by, outcome, origin, sinceMs, untilMs } = f;
  return {
    ...(ids === undefined ? {} : { ids: [...ids] }),
    ...defined({ task }),
    ...(args === undefined ? {} : { args: canonicalJson(args) }),
    ...defined({
      template,
      device,
      device_name: deviceName,
      target,
      program,
      session,
      by,
      outcome,
      origin,
      since_ms: sinceMs,
      until_ms: untilMs,
    }),
  };
}

const mostText = 16 * 1024;

export const recordIdFromWire = (id: string): string => field.text("record", id, 200, 1);

export function filterFromWire(w: Wire.Filter | null): RecordFilter {
  if (w === null) return {};
  const { ids, device_name, since_ms, until_ms, args, outcome, origin } = w;
  const filter: { -readonly [K in keyof RecordFilter]: RecordFilter[K] } = {};
  if (ids.length > 0) filter.ids = field.list("ids", ids, recordsAtOnce, (f, id) => field.text(f, id, 200, 1));
  for (const name of ["task", "template", "device", "target", "program", "session", "by"] as const) {
    const value = w[name];
    if (value !== undefined) filter[name] = field.text(name, value, mostText);
  }
  if (args !== undefined) filter.args = argsFromWire("args", args);
  if (device_name !== undefined) filter.deviceName = field.text("device_name", device_name, mostText);
  if (outcome !== undefined) filter.outcome = oneOf("outcome", outcome, recordOutcomes);
  if (origin !== undefined) filter.origin = oneOf("origin", origin, ["measured", "imported"]);
  if (since_ms !== undefined) filter.sinceMs = field.integer("since_ms", since_ms, 0, Number.MAX_SAFE_INTEGER);
  if (until_ms !== undefined) filter.untilMs = field.integer("until_ms", until_ms, 0, Number.MAX_SAFE_INTEGER);
  return filter;
}

function oneOf<T extends string>(name: string, value: string, allowed: readonly T[]): T {
  return allowed.find((each) => each === value) ?? field.refuse(name, field.shown(value), allowed.join(", "));
}

export const queryToWire = ({ order, limit, cursor, believed, ...filter }: RecordQuery): Sent<Wire.QueryRequest> => ({
  filter: filterToWire(filter),
  ...defined({ order, limit, cursor, believed }),
});

export const queryFromWire = (w: Wire.QueryRequest): RecordQuery => ({
  ...filterFromWire(w.filter),
  ...(w.order === "" ? {} : { order: oneOf("order", w.order, ["newest", "oldest", "fastest"]) }),
  ...(w.limit === 0 ? {} : { limit: w.limit }),
  ...(w.cursor === "" ? {} : { cursor: w.cursor }),
  ...(w.believed ? { believed: true } : {}),
});

export const bestQueryToWire = ({
  task,
  args,
  device,
  deviceName,
  origin,
  l2,
  unchecked,
}: BestQuery): Sent<Wire.BestRequest> => ({
  task,
  args: canonicalJson(args),
  ...defined({ device, device_name: deviceName, origin, l2, unchecked }),
});

export const bestQueryFromWire = (w: Wire.BestRequest): BestQuery => ({
  task: field.text("task", w.task, mostText, 1),
  args: argsFromWire("args", w.args),
  ...defined({ device: w.device, deviceName: w.device_name }),
  ...(w.origin === "" ? {} : { origin: oneOf("origin", w.origin, ["measured", "imported", "any"]) }),
  ...(w.l2 === "" ? {} : { l2: oneOf("l2", w.l2, l2States) }),
  ...(w.unchecked ? { unchecked: true } : {}),
});

/** The chosen record goes first, then the tied ones in their order. */
export const bestToWire = ({ device, computation, noise, tied, interleaved }: BestRecord): Sent<Wire.Best> => ({
  device: device.key,
  device_name: device.name,
  ...defined({ computation, interleaved }),
  noise,
  tied: tied.map(({ record, ...rest }) => ({ ...rest, record: encodeAsRead(record) })),
});

export function bestFromWire(w: Wire.Best): BestRecord {
  const tied = w.tied.map(
    ({ record, seconds, measurements }: Wire.Contender): Contender => ({
      record: recordFromText("record", record),
      seconds,
      measurements,
    }),
  );
  const [chosen] = tied;
  if (!chosen) throw new FarmError("INVALID_ARGUMENT", "best has no record");
  const more = {
    ...(w.computation === "" ? {} : { computation: w.computation }),
    ...(w.interleaved === 0 ? {} : { interleaved: w.interleaved }),
  };
  return { ...chosen, device: { key: w.device, name: w.device_name }, ...more, noise: w.noise, tied };
}

/** A record from a tracker. Throws INVALID_ARGUMENT that names the field. */
export const recordFromText = (name: string, text: string): TuningRecord => named(name, () => recordAsRead(JSON.parse(text)));

/** The record as `by` imports it. Throws INVALID_ARGUMENT that names the field. */
export const importFromText = (name: string, text: string, by: string, isAdmin: boolean): PackedRecord =>
  named(name, () => PackedRecord.imported(text, by, isAdmin));

function named<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new FarmError("INVALID_ARGUMENT", `${name}: ${(error as Error).message}`, { cause: error });
  }
}

export const retentionToWire = ({ failuresMs, ageMs, most, keepBest }: RetentionRules): Sent<Wire.Retention> => ({
  ...defined({ failures_ms: failuresMs, age_ms: ageMs, most, keep_best: keepBest }),
});

export const retentionFromWire = (w: Wire.Retention, nowMs: number): RetentionRules => ({
  nowMs,
  ...defined({ failuresMs: w.failures_ms, ageMs: w.age_ms, most: w.most, keepBest: w.keep_best }),
});
