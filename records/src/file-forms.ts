/**
 * How the forms of files are told apart: by the first line that is neither empty nor a comment, or by the fields of a document.
 */
import { cellsOf, separatorOf } from "./csv-rows.ts";
import { type Fields, isFields, parseJson } from "./json-text.ts";

interface LineClaim {
  readonly words: string;
  readonly ofFields?: (line: Fields) => boolean;
  readonly ofText?: (line: string) => boolean;
}

const lineClaims = {
  jsonl: {
    words: "records of Warpfarm (jsonl)",
    ofFields: ({ version, id, origin }) => typeof version === "number" && typeof id === "string" && isFields(origin),
    ofText: (line) => /^\{"version":\s*\d+,\s*"id":/.test(line),
  },
  ansor: {
    words: "Ansor's log (TVM's auto_scheduler)",
    ofFields: ({ i, r, v }) => Array.isArray(i) && Array.isArray(i[0]) && Array.isArray(r) && typeof v === "string",
    ofText: (line) => /^\{"i":\s*\[\s*\[/.test(line),
  },
  autotvm: {
    words: "AutoTVM's log",
    ofText: (line) => line.startsWith("{") && (/"input"\s*:/.test(line) || /"v"\s*:\s*0\.1\b/.test(line)),
  },
  metaschedule: { words: "records of MetaSchedule", ofText: (line) => /^\[\s*\d+\s*,\s*\[/.test(line) },
  csv: {
    words: "a table of records (CSV)",
    ofText: (line) => /^"?sep=[,;\t]"?$/.test(line) || (!/^[{[]/.test(line) && isHead(line)),
  },
} as const satisfies { readonly [form: string]: LineClaim };

const isHead = (line: string): boolean =>
  cellsOf(line, separatorOf(line))?.some((cell) => cell.trim().replace(/^\uFEFF/, "") === "task") === true;

interface DocumentClaim {
  readonly words: string;
  readonly ofFields: (document: Fields) => boolean;
}
/** T4 comes before CLTune, whose results look like T4's. */
const documentClaims = {
  "kernel-tuner": {
    words: "a cache of Kernel Tuner",
    ofFields: ({ cache, tune_params_keys }) => isFields(cache) && Array.isArray(tune_params_keys),
  },
  ktt: { words: "KTT's output", ofFields: ({ Metadata, Results }) => isFields(Metadata) && Array.isArray(Results) },
  t4: {
    words: "results in T4",
    ofFields: ({ results, schema_version }) =>
      Array.isArray(results) &&
      (schema_version !== undefined || results.some((each) => isFields(each) && isFields(each.configuration))),
  },
  cltune: {
    words: "CLTune's results",
    ofFields: ({ results }) =>
      Array.isArray(results) && results.length > 0 && results.every((each) => isFields(each) && isFields(each.parameters)),
  },
  t1: {
    words: "a problem in T1, which has no measurements",
    ofFields: ({ ConfigurationSpace, KernelSpecification }) =>
      ConfigurationSpace !== undefined && KernelSpecification !== undefined,
  },
} as const satisfies { readonly [form: string]: DocumentClaim };

export type LineFormName = keyof typeof lineClaims;
export type DocumentFormName = keyof typeof documentClaims;

/** Longer lines are documents in one line, or broken. */
const longestParsed = 1 << 22;

export function lineFormOf(line: string): LineFormName | undefined {
  const fields = line.startsWith("{") && line.length < longestParsed ? fieldsOf(line) : undefined;
  const all = Object.entries(lineClaims) as [LineFormName, LineClaim][];
  return (
    (fields && all.find(([, { ofFields }]) => ofFields?.(fields))?.[0]) ??
    // A document in one line has texts of a line's form in it.
    (fields && documentFormOf(fields) !== undefined ? undefined : all.find(([, { ofText }]) => ofText?.(line))?.[0])
  );
}
export const documentFormOf = (document: Fields): DocumentFormName | undefined =>
  (Object.entries(documentClaims) as [DocumentFormName, DocumentClaim][]).find(([, { ofFields }]) => ofFields(document))?.[0];

/** The usual name of a file of this text; undefined when its form is unknown. */
export function nameOfForm(text: string): string | undefined {
  const first = text
    .slice(0, longestParsed)
    .split(/\r?\n/)
    .map((line) => line.trim())
    .find((line) => !isNone(line));
  if (first === undefined) return undefined;
  if (first.startsWith("PAR1")) return "a Parquet table";
  const line = lineFormOf(first);
  if (line !== undefined) return lineClaims[line].words;
  const document = parseUnclosed(text);
  const form = isFields(document) ? documentFormOf(document) : undefined;
  return form && documentClaims[form].words;
}

function fieldsOf(line: string): Fields | undefined {
  try {
    const value = parseJson(line);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Empty lines, and comments of tuning logs. */
export const isNone = (line: string): boolean => line === "" || line.startsWith("#");

/**
 * Parses JSON. Of a cache that was never closed it gives the entries that are there: one per line, where the last may be cut off.
 */
export function parseUnclosed(text: string): unknown {
  const closed = (part: string) => `${part.trimEnd().replace(/,$/, "")}}}`;
  for (const whole of [text, closed(text), closed(text.slice(0, text.lastIndexOf("\n")))]) {
    try {
      return parseJson(whole);
    } catch {}
  }
  return undefined;
}
