/**
 * Shapes of one task of a suite: a list, every combination of ranges, a table (CSV or TSV) whose header names the arguments, or
 * JSON lines. Beside the arguments a row may say
 *
 *   count        how often the model has it; its weight. Equal shapes add up
 *   library_us   a library's time on it in microseconds: one number, or in JSON one for each device key
 *   label        what people call it
 */
import { badInput, canonicalJson, defined, FarmError, type Json, reviveJson } from "@warpfarm/common";
import { CsvRows, whyNoTime } from "@warpfarm/records/logs";
import { argumentRule } from "@warpfarm/templates";
import type { ShapesOf } from "./format.ts";

export interface Shape {
  readonly args: Json;
  readonly count: number;
  /** Seconds by device key; "" for any device. */
  readonly library?: Readonly<Record<string, number>>;
  readonly label?: string;
}

/** Where a shape is written, `shapes.csv line 3`, and the names of its arguments there. */
export interface Place {
  readonly at: string;
  readonly fields: "column" | "field";
}
export interface PlacedShape extends Shape {
  readonly place: Place;
}

const most = 100_000;
const refuse = (name: string, what: string): never => {
  throw badInput(`${name}: ${what}`);
};
const fieldAt = ({ at, fields }: Place, name: string): string => `${at}, ${fields} ${name}`;

/** Adds the place of the shape, and of a refused argument, to the error of `read`. */
export function readAt<T>({ place, args }: PlacedShape, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof FarmError)) throw error;
    const argument = error.rule?.startsWith(argumentRule) ? error.rule.slice(argumentRule.length) : undefined;
    const isThere = argument !== undefined && typeof args === "object" && args !== null && Object.hasOwn(args, argument);
    const at = isThere ? fieldAt(place, argument) : place.at;
    throw new FarmError(error.code, `${at}: ${error.message}`, { cause: error });
  }
}

interface Row {
  readonly value: Json;
  readonly place: Place;
}

/** `read`: the text of a file that the suite names. Throws FarmError INVALID_ARGUMENT that names the place. */
export async function shapesOf(
  shapes: ShapesOf | undefined,
  shared: Readonly<Record<string, Json>>,
  where: string,
  read: (file: string) => Promise<string>,
): Promise<readonly PlacedShape[]> {
  const rows = await rowsOf(shapes, where, read);
  if (rows.length > most) refuse(where, `shapes are ${rows.length}; a task takes at most ${most}`);
  const byArgs = new Map<string, PlacedShape>();
  for (const row of rows) {
    const shape = { ...shapeOf(row, shared), place: row.place };
    const key = canonicalJson(shape.args);
    const before = byArgs.get(key);
    byArgs.set(key, before ? { ...before, count: before.count + shape.count } : shape);
  }
  return [...byArgs.values()];
}

async function rowsOf(
  shapes: ShapesOf | undefined,
  where: string,
  read: (file: string) => Promise<string>,
): Promise<readonly Row[]> {
  const numbered = (rows: readonly Json[], file = where): readonly Row[] =>
    rows.map((value, i) => ({ value, place: { at: `${file} shape ${i + 1}`, fields: "field" } }));
  if (shapes === undefined) return [{ value: {}, place: { at: where, fields: "field" } }];
  if (Array.isArray(shapes)) return numbered(shapes as readonly Json[]);
  if (typeof shapes === "object")
    return numbered(combinations((shapes as Exclude<ShapesOf, string | readonly unknown[]>).ranges, where));
  const file = shapes as string;
  const text = await read(file);
  if (/\.(csv|tsv)$/.test(file)) return csvRows(text, file);
  if (file.endsWith(".jsonl")) return jsonLines(text, file);
  if (file.endsWith(".json")) {
    const rows = parsed(text, file);
    return Array.isArray(rows) ? numbered(rows as readonly Json[], file) : refuse(file, "it holds no list of shapes");
  }
  return refuse(where, `shapes names ${JSON.stringify(file)}; it takes a file that ends in .csv, .tsv, .jsonl or .json`);
}

type Ranges = Extract<ShapesOf, { readonly ranges: unknown }>["ranges"];

/** Every combination, the last name varying fastest. */
export function combinations(ranges: Ranges, where: string): readonly Json[] {
  let rows: Record<string, Json>[] = [{}];
  for (const [name, range] of Object.entries(ranges)) {
    const values = Array.isArray(range) ? range : steps(range as Exclude<Ranges[string], readonly unknown[]>);
    if (values.length === 0) refuse(where, `ranges.${name} holds no value: from is greater than to`);
    if (rows.length * values.length > most) refuse(where, `its ranges have more than ${most} combinations`);
    rows = rows.flatMap((row) => values.map((value) => ({ ...row, [name]: value })));
  }
  return rows;
}

function steps(range: Exclude<Ranges[string], readonly unknown[]>): readonly number[] {
  const values: number[] = [];
  const next = (at: number): number => ("times" in range ? at * range.times : at + range.step);
  for (let at = range.from; at <= range.to && values.length <= most; at = next(at)) values.push(at);
  return values;
}

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text, reviveJson);
  } catch (error) {
    return refuse(name, `it is not JSON: ${(error as Error).message}`);
  }
}

const jsonLines = (text: string, file: string): readonly Row[] =>
  text
    .split("\n")
    .map((line, i) => [line.trim(), `${file} line ${i + 1}`] as const)
    .filter(([line]) => line !== "")
    .map(([line, at]) => ({ value: parsed(line, at) as Json, place: { at, fields: "field" } }));

/**
 * Reads a header of names, then rows, separated by commas, semicolons or tabs. Cells that are numbers or JSON are read as such,
 * others as words.
 */
export function csvRows(text: string, file: string): readonly Row[] {
  const table = new CsvRows();
  const [head, ...rows] = text.split(/\r\n|\n|\r/).flatMap((line) => table.add(line) ?? []);
  if (table.unclosed !== undefined) refuse(`${file} line ${table.unclosed}`, "a quote is not closed");
  if (!head) return refuse(file, "it is empty; its first line names the arguments");
  const names = head.cells.map((name) => name.trim());
  const twice = names.find((name, i) => name === "" || names.indexOf(name) !== i);
  if (twice !== undefined)
    refuse(
      `${file} line ${head.line}`,
      twice === "" ? `column ${names.indexOf("") + 1} has no name` : `two columns are named ${twice}`,
    );
  if (rows.length === 0) refuse(file, "it has a header and no rows");
  return rows.map(({ cells, line }) => {
    const at = `${file} line ${line}`;
    if (cells.length !== names.length) refuse(at, `it has ${cells.length} cells, and the header ${names.length}`);
    const filled = names.map((name, i) => [name, (cells[i] ?? "").trim()] as const).filter(([, cell]) => cell !== "");
    return { value: Object.fromEntries(filled.map(([name, cell]) => [name, cellValue(cell)])), place: { at, fields: "column" } };
  });
}

function cellValue(cell: string): Json {
  try {
    return JSON.parse(cell, reviveJson) as Json;
  } catch {
    return cell;
  }
}

function shapeOf({ value: row, place }: Row, shared: Readonly<Record<string, Json>>): Shape {
  const { at } = place;
  if (Array.isArray(row)) {
    if (Object.keys(shared).length > 0) refuse(at, "it is a list, and the task has args by name; write the shape by name too");
    return { args: row, count: 1 };
  }
  if (typeof row !== "object" || row === null) return refuse(at, "it is neither a list of arguments nor an object by name");
  const { count = 1, library_us: library, label, ...args } = row as Readonly<Record<string, Json>>;
  if (typeof count !== "number" || !(count > 0) || count > 1e12)
    return refuse(fieldAt(place, "count"), `count is ${JSON.stringify(count)}; it takes a number above 0`);
  // A table's cell that looks like a number is a label too.
  const name = typeof label === "number" && place.fields === "column" ? String(label) : label;
  if (name !== undefined && typeof name !== "string")
    return refuse(fieldAt(place, "label"), `label is ${JSON.stringify(label)}; it takes a text`);
  return {
    args: { ...shared, ...args },
    count,
    ...(library === undefined ? {} : { library: librarySeconds(library, place) }),
    ...defined({ label: name }),
  };
}

function librarySeconds(library: Json, place: Place): Readonly<Record<string, number>> {
  const byKey = typeof library === "object" && library !== null && !Array.isArray(library) ? library : { "": library };
  return Object.fromEntries(
    Object.entries(byKey).map(([key, us]) => {
      const why = whyNoTime(us, 1e-3);
      if (why !== undefined)
        refuse(fieldAt(place, "library_us"), `library_us is ${JSON.stringify(us)}; it takes microseconds above 0`);
      return [key, (us as number) / 1e6];
    }),
  );
}
