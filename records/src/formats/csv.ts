/**
 * CSV as in RFC 4180, with a head. The columns that Warpfarm writes are below; a column `config.NAME` is a knob. A table needs
 * `task` and one of `seconds`, `costs` and `error_no`.
 */
import { badInput, type Json } from "@warpfarm/common";
import { CsvRows } from "../csv-rows.ts";
import { parseJson } from "../json-text.ts";
import { timesRead } from "../measure-json.ts";
import { wholeMs } from "../measured-time.ts";
import { recordConfigFromJson, recordFromJson, recordVersion } from "../record-json.ts";
import { secondsOfRecord, type TuningRecord } from "../tuning-record.ts";
import { type LineForm, notImported } from "./format.ts";

const columns: readonly (readonly [name: string, of: (r: TuningRecord) => unknown])[] = [
  ["id", (r) => r.id],
  ["origin", (r) => r.origin.kind],
  ["by", (r) => r.origin.by],
  ["task", (r) => r.task],
  ["args", (r) => JSON.stringify(r.args)],
  ["template", (r) => r.template],
  ["config", (r) => (r.config === undefined ? "" : JSON.stringify(r.config))],
  ["program", (r) => r.program],
  ["target", (r) => r.target],
  ["toolchain", (r) => r.toolchain],
  ["device", (r) => r.device?.key],
  ["device_name", (r) => r.device?.name],
  ["driver", (r) => r.device?.driver],
  ["seconds", secondsOfRecord],
  ["costs", (r) => (r.result.kind === "timed" ? JSON.stringify(r.result.costs) : "")],
  ["checked", (r) => (r.result.kind === "timed" ? r.result.checked : "")],
  ["error_no", (r) => (r.result.kind === "failed" ? r.result.errorNo : 0)],
  ["rule", (r) => (r.result.kind === "failed" ? r.result.rule : "")],
  ["message", (r) => (r.result.kind === "failed" ? r.result.message : "")],
  ["session", (r) => r.session],
  ["timestamp_ms", (r) => r.timestampMs],
];
const known = new Set(columns.map(([name]) => name));

const quoted = (value: unknown): string => {
  const text = value === undefined ? "" : String(value);
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

export const csv: LineForm = {
  kind: "lines",
  name: "csv",
  reader: () => {
    const rows = new CsvRows();
    let head: readonly string[] | undefined;
    return {
      read(line) {
        const row = rows.add(line);
        if (row === undefined || (head === undefined && row.cells[0]?.startsWith("#"))) return undefined;
        if (head === undefined) {
          head = checkedHead(row.cells);
          return undefined;
        }
        const { cells } = row;
        if (cells.length !== head.length) throw new Error(`it has ${cells.length} fields, and the head ${head.length}`);
        return recordOf(new Map(head.map((name, i) => [name, cells[i] as string])));
      },
      end() {
        if (rows.unclosed !== undefined) throw new Error(`the quote that line ${rows.unclosed} opens is not closed`);
      },
    };
  },
  head: `${columns.map(([name]) => name).join(",")}\n`,
  write: (record) => columns.map(([, of]) => quoted(of(record))).join(","),
};

function checkedHead(row: readonly string[]): readonly string[] {
  const head = row.map((name) => name.trim());
  const unknown = head.find((name) => !known.has(name) && !name.startsWith("config."));
  if (unknown !== undefined)
    throw new Error(
      `there is no column ${JSON.stringify(unknown)}; columns are ${[...known].join(", ")}, and config.NAME for a knob`,
    );
  if (!head.includes("task") || !["seconds", "costs", "error_no"].some((name) => head.includes(name)))
    throw new Error("the head lacks task, or all of seconds, costs and error_no");
  return head;
}

function recordOf(row: ReadonlyMap<string, string>): TuningRecord {
  const text = (name: string): string | undefined => row.get(name) || undefined;
  const json = (name: string): Json | undefined => {
    const field = text(name);
    if (field === undefined) return undefined;
    try {
      return parseJson(field);
    } catch {
      throw new Error(`${name} is ${JSON.stringify(field.slice(0, 80))}, which is no JSON`);
    }
  };
  const errorNo = Number(text("error_no") ?? 0);
  const device = text("device");
  const deviceName = text("device_name");
  const imported = { kind: "imported", by: "", format: "csv" } as const;
  const record = {
    version: recordVersion,
    id: notImported,
    origin: imported,
    task: text("task") ?? "",
    args: json("args") ?? [],
    ...optional({ template: text("template"), program: text("program"), toolchain: text("toolchain"), session: text("session") }),
    ...optional({ config: configOf(row, text("config")) }),
    target: text("target") ?? "",
    ...(device === undefined && deviceName === undefined
      ? {}
      : { device: { key: device ?? "", name: deviceName ?? "", ...optional({ driver: text("driver") }) } }),
    ...(errorNo === 0
      ? { kind: "timed", costs: costsOf(text("seconds"), json("costs")), ...optional({ checked: json("checked") }) }
      : { kind: "failed", error_no: errorNo, message: text("message") ?? "", ...optional({ rule: text("rule") }) }),
    timestamp_ms: wholeMs(Number(text("timestamp_ms") ?? 0)),
  };
  return recordFromJson(timesRead(record as unknown as Json));
}

function costsOf(seconds: string | undefined, costs: Json | undefined): readonly Json[] {
  const list = Array.isArray(costs) ? costs : costs === undefined ? [] : [costs];
  if (list.length > 0 || seconds === undefined) return list;
  return [Number.isFinite(Number(seconds)) ? Number(seconds) : seconds];
}

function configOf(row: ReadonlyMap<string, string>, whole: string | undefined): object | undefined {
  if (whole !== undefined) {
    const config = recordConfigFromJson(whole);
    if (config === undefined) throw badInput(`config is ${JSON.stringify(whole.slice(0, 80))}, which is none`);
    return config;
  }
  const knobs = [...row].filter(([name, value]) => name.startsWith("config.") && value !== "");
  if (knobs.length === 0) return undefined;
  return { code_hash: null, entity: knobs.map(([name, value]) => [name.slice("config.".length), "ot", scalar(value)]) };
}

const scalar = (text: string): Json => (/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : text);

const optional = (fields: { readonly [name: string]: unknown }): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
