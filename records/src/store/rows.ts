/** A record as a row of the table. */
import { hasPeaks, leastSeconds, medianSeconds, shortNameOf, type Work } from "@warpfarm/common";
import { canBeTrue, conditionsOfRecord } from "../best.ts";
import { claimName, claimOf, firstStanding } from "../claim.ts";
import { formatOf, importedId, importedRecord } from "../imported.ts";
import { indexedText } from "../indexed-texts.ts";
import {
  decodeRecord,
  encodeRecord,
  isInOrder,
  isRecordJson,
  type RecordJson,
  recordFromJson,
  recordVersion,
} from "../record-json.ts";
import { everybody, isShared, type StandingNo, standings } from "../standing.ts";
import { kernelOf, keyOf, problemOf, type RecordOrigin, type TuningRecord } from "../tuning-record.ts";
import type { Cell } from "./columns.ts";
import { copiedRow, lastOf } from "./copied-rows.ts";

/** In the column of error numbers: the kernel ended early. */
export const slowerNo = -1;

/** How a record counts for the best. `failed` and refuted ones are in no index of the best. */
export const usable = { failed: 0, compared: 1, imported: 2, unchecked: 3 } as const;

export function useOf({ origin, result }: Pick<TuningRecord, "origin" | "result">): number {
  if (result.kind !== "timed" || !canBeTrue(result.costs)) return usable.failed;
  if (origin.kind === "imported") return usable.imported;
  return result.checked === true ? usable.compared : usable.unchecked;
}

export interface Measured {
  readonly program: string;
  readonly model: string;
  readonly seconds: number;
}

/** Undefined where nothing but canBeTrue is known of the time. */
function measuredOf({ result, program, device }: Pick<TuningRecord, "result" | "program" | "device">): Measured | undefined {
  if (result.kind !== "timed" || program === undefined || !hasPeaks(device?.name ?? "")) return undefined;
  return { program, model: device?.name ?? "", seconds: Math.min(...result.costs) };
}

type Described = Pick<
  TuningRecord,
  | ("id" | "timestampMs" | "task" | "args" | "template" | "templateVersion" | "program" | "reference" | "computation")
  | ("config" | "trace" | "target" | "device" | "session" | "origin" | "options" | "judged" | "result" | "private")
>;

/**
 * In the order of the columns. A private record keeps to its owner whatever `standing` says. Throws INVALID_ARGUMENT for a record
 * that no table takes.
 */
export const rowOf = (record: TuningRecord, standing?: StandingNo): readonly Cell[] =>
  cellsOf(record, encodeRecord(record), standing);

const noUuid = "0".repeat(32);

function cellsOf(record: Described, doc: string, asked = firstStanding(record)): readonly Cell[] {
  const { id, timestampMs, task, template = "", target, device, session = "", origin, result, computation } = record;
  const imported = origin.kind === "imported";
  const isTimed = result.kind === "timed";
  const problem = problemOf(record);
  // A refuted import has a time that cannot be true; a refuted measurement belongs to another program.
  const isRefuted = asked === standings.refuted;
  const canBe = !isTimed || (useOf(record) !== usable.failed && !(imported && isRefuted));
  const use = canBe && !isRefuted ? useOf(record) : usable.failed;
  const standing = record.private ? standings.own : canBe || !isShared(asked) ? asked : standings.refuted;
  const claim = record.private ? undefined : claimOf(record);
  return [
    keyOf(record),
    id,
    timestampMs,
    isShared(standing) ? everybody : origin.by,
    standing,
    claim === undefined ? null : claimName(claim),
    indexedText("task", task),
    problem,
    computation === undefined ? noUuid : shortNameOf(computation),
    indexedText("template", template),
    // Many problems may have one config, while a program mostly belongs to one problem.
    shortNameOf(record.program ?? kernelOf(record) + problem),
    indexedText("target", target),
    indexedText("device.key", device?.key ?? ""),
    indexedText("device.name", device?.name ?? ""),
    indexedText("session", session),
    origin.by,
    imported,
    use,
    conditionsOfRecord(record),
    isTimed && canBe ? medianSeconds(result.costs) : null,
    result.kind === "failed" ? result.errorNo : isTimed ? 0 : slowerNo,
    doc,
  ];
}

/** A record as its row in COPY's binary form. */
export class PackedRecord {
  readonly key: string;
  readonly at: number;
  readonly standing: StandingNo;
  /** Empty where there is none. */
  readonly session: string;
  readonly row: Buffer;
  readonly measured: Measured | undefined;
  private constructor(cells: readonly Cell[], measured: Measured | undefined) {
    this.measured = measured;
    this.key = cells[0] as string;
    this.at = cells[2] as number;
    this.standing = cells[4] as StandingNo;
    this.session = cells[14] as string;
    this.row = copiedRow(cells);
  }

  static of(record: TuningRecord, standing?: StandingNo): PackedRecord {
    return new PackedRecord(rowOf(record, standing), measuredOf(record));
  }

  /**
   * A line of a file of records, as `by` imports it; an admin shares what it imports. Throws SyntaxError, or INVALID_ARGUMENT
   * that names the field.
   */
  static imported(line: string, by: string, isAdmin = false): PackedRecord {
    const json: unknown = JSON.parse(line);
    const standing = isAdmin ? standings.shared : standings.own;
    const content = contentOf(line, json);
    if (content === undefined) return PackedRecord.of(importedRecord(recordFromJson(json), by), standing);
    const format = formatOf((json as RecordJson).origin);
    const id = importedId(format, by, content);
    const origin: RecordOrigin = { kind: "imported", by, format };
    const head = `{"version":${recordVersion},"id":${JSON.stringify(id)},"origin":${JSON.stringify(origin)}`;
    const described = describedBy(json as RecordJson, id, origin);
    return new PackedRecord(cellsOf(described, `${head},${content.slice(1)}`, standing), measuredOf(described));
  }

  /** The record, kept from others and from the best where its time cannot be true of a program that does this work. */
  boundBy(work: Work): PackedRecord {
    const { measured } = this;
    if (!measured || measured.seconds >= leastSeconds(work, measured.model)) return this;
    return PackedRecord.of(this.record, standings.refuted);
  }

  withoutSession(): PackedRecord {
    const { session: _, ...record } = this.record;
    return PackedRecord.of(record, this.standing);
  }

  get doc(): string {
    return lastOf(this.row);
  }
  get record(): TuningRecord {
    return decodeRecord(this.doc);
  }
}

/** contentText of the line's record, where it is a part of the line. Undefined where the record has to be encoded anew. */
function contentOf(line: string, json: unknown): string | undefined {
  // Another order of fields, a number or text that may be written in two ways, a repeated or unknown field.
  if (!isRecordJson(json) || !isInOrder(json) || JSON.stringify(json) !== line) return undefined;
  const { version, id, origin, interleaved } = json;
  if (interleaved !== undefined) return undefined;
  return `{${line.slice(JSON.stringify({ version, id, origin }).length)}`;
}

function describedBy(json: RecordJson, id: string, origin: RecordOrigin): Described {
  const { task, args, template, program, reference, computation, config, trace, target, device, session, options, judged } = json;
  return {
    id,
    timestampMs: json.timestamp_ms,
    task,
    args,
    template,
    program,
    reference,
    computation,
    config,
    trace,
    target,
    device,
    session,
    origin,
    options,
    judged,
    private: json.private,
    result: json.kind === "failed" ? { kind: "failed", errorNo: json.error_no, message: json.message } : json,
  } as unknown as Described;
}
