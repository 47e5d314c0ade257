/**
 * Parquet: a table for DuckDB, pandas and the like, with typed columns for common questions. The column `record` has the whole
 * record as JSON. Reading uses this column only. Every process that knows records loads this file, so it loads its packages when
 * they are used.
 */
import type { AsyncBuffer } from "hyparquet";
import { encodeRecord, recordFromJson } from "../record-json.ts";
import { secondsOfRecord, type TuningRecord, valuesOf } from "../tuning-record.ts";
import type { BytesForm } from "./format.ts";

type Type = "STRING" | "DOUBLE" | "INT32" | "TIMESTAMP";
type Value = string | number | Date | undefined;

const json = (value: unknown): string | undefined => (value === undefined ? undefined : JSON.stringify(value));
const columns: readonly (readonly [name: string, type: Type, of: (r: TuningRecord) => Value])[] = [
  ["id", "STRING", (r) => r.id],
  ["origin", "STRING", (r) => r.origin.kind],
  ["by", "STRING", (r) => r.origin.by],
  ["task", "STRING", (r) => r.task],
  ["args", "STRING", (r) => json(r.args)],
  ["config", "STRING", (r) => json(r.config && valuesOf(r.config.entity))],
  ["program", "STRING", (r) => r.program],
  ["target", "STRING", (r) => r.target],
  ["device", "STRING", (r) => r.device?.key],
  ["device_name", "STRING", (r) => r.device?.name],
  ["driver", "STRING", (r) => r.device?.driver],
  ["seconds", "DOUBLE", secondsOfRecord],
  ["error_no", "INT32", (r) => (r.result.kind === "failed" ? r.result.errorNo : 0)],
  ["rule", "STRING", (r) => (r.result.kind === "failed" ? r.result.rule : undefined)],
  ["session", "STRING", (r) => r.session],
  ["time", "TIMESTAMP", (r) => new Date(r.timestampMs)],
  ["record", "STRING", encodeRecord],
];

const magic = Buffer.from("PAR1");

export const parquet: BytesForm = {
  kind: "bytes",
  name: "parquet",
  hasBounds: true,
  claims: (start) => Buffer.from(start.subarray(0, magic.length)).equals(magic),
  async read(bytes) {
    const file: AsyncBuffer = {
      byteLength: bytes.length,
      slice: (from, to) => new Uint8Array(bytes.subarray(from, to)).buffer,
    };
    const { parquetReadObjects } = await import("hyparquet");
    const rows = await parquetReadObjects({ file, columns: ["record"] });
    return rows.map(({ record }, i) => {
      if (typeof record !== "string") throw new Error(`row ${i + 1} has no record, the column that records are read from`);
      return recordFromJson(JSON.parse(record));
    });
  },
  async write(records) {
    const { parquetWriteBuffer } = await import("hyparquet-writer");
    const columnData = columns.map(([name, type, of]) => ({
      name,
      type,
      nullable: true,
      data: records.map((r) => of(r) ?? null),
    }));
    return new Uint8Array(parquetWriteBuffer({ columnData, createdBy: "warpfarm" }));
  },
};
