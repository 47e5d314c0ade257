/** A record as a row of the table. */
import { medianSeconds, shortNameOf } from "@warpfarm/common";
import { importedAs, importedRecord } from "../imported.ts";
import { indexedText } from "../indexed-texts.ts";
import { decodeRecord, encodeRecord, isRecordJson, type RecordJson, recordFromJson, recordVersion } from "../record-json.ts";
import { kernelOf, keyOf, problemOf, type RecordOrigin, type TuningRecord } from "../tuning-record.ts";
import type { Cell } from "./columns.ts";
import { copiedRow, lastOf } from "./copied-rows.ts";

/** How a record counts for the best. `failed` ones are in no index of the best. */
export const usable = { failed: 0, compared: 1, imported: 2, unchecked: 3 } as const;

export function useOf({ origin, result }: Pick<TuningRecord, "origin" | "result">): number {
  if (result.kind !== "timed") return usable.failed;
  if (origin.kind === "imported") return usable.imported;
  return result.check === "passed" ? usable.compared : usable.unchecked;
}

/** What the columns say of a record, besides `doc`. */
type Described = Pick<
  TuningRecord,
  | ("id" | "timestampMs" | "task" | "args" | "template" | "program" | "config" | "trace" | "target" | "device")
  | ("session" | "origin" | "options" | "result" | "private")
>;

/** In the order of the columns. Throws INVALID_ARGUMENT for a record that no table takes. */
export const rowOf = (record: TuningRecord): readonly Cell[] => cellsOf(record, encodeRecord(record));

function cellsOf(record: Described, doc: string): readonly Cell[] {
  const { id, timestampMs, task, template = "", target, device, session = "", origin, result, options } = record;
  const imported = origin.kind === "imported";
  const isTimed = result.kind === "timed";
  const problem = problemOf(record);
  return [
    keyOf(record),
    id,
    timestampMs,
    indexedText("task", task),
    problem,
    indexedText("template", template),
    // Many problems may have one config, and a program is mostly of one problem.
    shortNameOf(record.program ?? kernelOf(record) + problem),
    indexedText("target", target),
    indexedText("device.key", device?.key ?? ""),
    indexedText("device.name", device?.name ?? ""),
    indexedText("session", session),
    origin.by,
    imported,
    record.private === true,
    useOf(record),
    options?.l2 === "flushed",
    isTimed ? medianSeconds(result.costs) : null,
    isTimed ? 0 : result.errorNo,
    doc,
  ];
}

export const recordOf = ({ doc }: { readonly doc: string }): TuningRecord => decodeRecord(doc);

/**
 * A record as its row in COPY's binary form. An import holds thousands of records at a time: as bytes they cost the collector
 * nothing, where each has a hundred objects.
 */
export class PackedRecord {
  readonly key: string;
  readonly at: number;
  readonly row: Buffer;
  private constructor(cells: readonly Cell[]) {
    this.key = cells[0] as string;
    this.at = cells[2] as number;
    this.row = copiedRow(cells);
  }

  static of(record: TuningRecord | PackedRecord): PackedRecord {
    return record instanceof PackedRecord ? record : new PackedRecord(rowOf(record));
  }

  /** A line of a file of records, as `by` imports it. Throws SyntaxError, or INVALID_ARGUMENT that names the field. */
  static imported(line: string, by: string): PackedRecord {
    const json: unknown = JSON.parse(line);
    // Unknown fields are left out of the record, so the line is not its JSON.
    if (!isRecordJson(json)) return PackedRecord.of(importedRecord(recordFromJson(json), by));
    const { id, origin } = importedAs(json, by);
    const doc = withOrigin(line, id, origin) ?? encodeRecord(importedRecord(recordFromJson(json), by));
    return new PackedRecord(cellsOf(describedBy(json, id, origin), doc));
  }

  get doc(): string {
    return lastOf(this.row);
  }
  get record(): TuningRecord {
    return decodeRecord(this.doc);
  }
}

function describedBy(json: RecordJson, id: string, origin: RecordOrigin): Described {
  const { task, args, template, program, config, trace, target, device, session, options, result } = json;
  return {
    id,
    timestampMs: json.timestamp_ms,
    task,
    args,
    template,
    program,
    config,
    trace,
    target,
    device,
    session,
    origin,
    options,
    private: json.private,
    result: result.kind === "timed" ? result : { kind: "failed", errorNo: result.error_no, message: result.message },
  } as Described;
}

/** The JSON of a record under another id and origin. Undefined where it is safer to encode the record anew. */
function withOrigin(line: string, id: string, origin: RecordOrigin): string | undefined {
  const [head] = idAndOrigin.exec(line) ?? [];
  if (head === undefined) return undefined;
  const rest = line.slice(head.length);
  if (doubtful.some((text) => rest.includes(text))) return undefined;
  return `{"version":${recordVersion},"id":${JSON.stringify(id)},"origin":${JSON.stringify(origin)},${rest}`;
}
const idAndOrigin = /^\{"version":1,"id":"[^"\\]*","origin":\{(?:"[a-z]+":"[^"\\]*",?)+\},/;
/** A second field of a name would win over the first, and a new line would end the record where records are lines. */
const doubtful = ["\\", "\n", "\r", "\t", '"id"', '"origin"'];
