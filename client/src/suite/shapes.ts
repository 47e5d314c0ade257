/**
 * Shapes of one task of a suite: a list, every combination of ranges, a CSV whose header names the arguments, or JSON lines.
 * Beside the arguments a row may say
 *
 *   count        how often the model has it; its weight. Equal shapes add up
 *   library_us   a library's time on it in microseconds: one number, or in JSON one for each device key
 *   label        what people call it
 */
import { canonicalJson, defined, FarmError, type Json } from "@warpfarm/common";
import type { ShapesOf } from "./format.ts";

export interface Shape {
  /** By name, or AutoTVM's positional form. */
  readonly args: Json;
  readonly count: number;
  /** Seconds by device key; under "" of any device. */
  readonly library?: Readonly<Record<string, number>>;
  readonly label?: string;
}

const most = 100_000;
const refuse = (name: string, what: string): never => {
  throw new FarmError("INVALID_ARGUMENT", `${name}: ${what}`);
};

/** `read`: the text of a file that the suite names. Throws FarmError INVALID_ARGUMENT that names the place. */
export async function shapesOf(
  shapes: ShapesOf | undefined,
  shared: Readonly<Record<string, Json>>,
  where: string,
  read: (file: string) => Promise<string>,
): Promise<readonly Shape[]> {
  const rows = await rowsOf(shapes, where, read);
  if (rows.length > most) refuse(where, `shapes are ${rows.length}; a task takes at most ${most}`);
  const byArgs = new Map<string, Shape>();
  for (const [i, row] of rows.entries()) {
    const shape = shapeOf(row, shared, `${where} shape ${i + 1}`);
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
): Promise<readonly Json[]> {
  if (shapes === undefined) return [{}];
  if (Array.isArray(shapes)) return shapes as readonly Json[];
  if (typeof shapes === "object") return combinations((shapes as Exclude<ShapesOf, string | readonly unknown[]>).ranges, where);
  const text = await read(shapes as string);
  if ((shapes as string).endsWith(".csv")) return csvRows(text, shapes as string);
  if ((shapes as string).endsWith(".jsonl")) return jsonLines(text, shapes as string);
  if ((shapes as string).endsWith(".json")) {
    const rows = parsed(text, shapes as string);
    return Array.isArray(rows) ? (rows as readonly Json[]) : refuse(shapes as string, "it holds no list of shapes");
  }
  return refuse(where, `shapes names ${JSON.stringify(shapes)}; it takes a file that ends in .csv, .jsonl or .json`);
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
    return JSON.parse(text);
  } catch (error) {
    return refuse(name, `it is not JSON: ${(error as Error).message}`);
  }
}

const jsonLines = (text: string, file: string): readonly Json[] =>
  text
    .split("\n")
    .map((line, i) => [line.trim(), i + 1] as const)
    .filter(([line]) => line !== "")
    .map(([line, number]) => parsed(line, `${file} line ${number}`) as Json);

/**
 * Reads a header of names, then rows. Cells that are numbers or JSON are read as such, others as words. Quoted cells may contain
 * commas and quotes.
 */
export function csvRows(text: string, file: string): readonly Json[] {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  const table = lines
    .map((line, i) => [cellsOf(line, `${file} line ${i + 1}`), i + 1] as const)
    .filter(([, i]) => lines[i - 1]?.trim());
  const [head, ...rows] = table;
  if (!head) return refuse(file, "it is empty; its first line names the arguments");
  const names = head[0].map((name) => name.trim());
  const twice = names.find((name, i) => name === "" || names.indexOf(name) !== i);
  if (twice !== undefined) refuse(file, twice === "" ? "a column has no name" : `two columns are named ${twice}`);
  if (rows.length === 0) refuse(file, "it has a header and no rows");
  return rows.map(([cells, number]) => {
    if (cells.length !== names.length)
      refuse(`${file} line ${number}`, `it has ${cells.length} cells, and the header ${names.length}`);
    const filled = names.map((name, i) => [name, (cells[i] ?? "").trim()] as const).filter(([, cell]) => cell !== "");
    return Object.fromEntries(filled.map(([name, cell]) => [name, cellValue(cell)]));
  });
}

function cellsOf(line: string, at: string): readonly string[] {
  const cells: string[] = [];
  for (let rest = line; ; ) {
    const [whole, quoted, plain] =
      /^(?:\s*"((?:[^"]|"")*)"\s*|([^",]*))(?=,|$)/.exec(rest) ?? refuse(at, "a quote is not closed");
    cells.push(quoted?.replaceAll('""', '"') ?? plain ?? "");
    if (rest.length === whole.length) return cells;
    rest = rest.slice(whole.length + 1);
  }
}

function cellValue(cell: string): Json {
  try {
    return JSON.parse(cell) as Json;
  } catch {
    return cell;
  }
}

function shapeOf(row: Json, shared: Readonly<Record<string, Json>>, at: string): Shape {
  if (Array.isArray(row)) {
    if (Object.keys(shared).length > 0) refuse(at, "it is a list, and the task has args by name; write the shape by name too");
    return { args: row, count: 1 };
  }
  if (typeof row !== "object" || row === null) return refuse(at, "it is neither a list of arguments nor an object by name");
  const { count = 1, library_us: library, label, ...args } = row as Readonly<Record<string, Json>>;
  if (typeof count !== "number" || !(count > 0) || count > 1e12)
    return refuse(at, `count is ${JSON.stringify(count)}; it takes a number above 0`);
  if (label !== undefined && typeof label !== "string") return refuse(at, `label is ${JSON.stringify(label)}; it takes a text`);
  return {
    args: { ...shared, ...args },
    count,
    ...(library === undefined ? {} : { library: librarySeconds(library, at) }),
    ...defined({ label }),
  };
}

function librarySeconds(library: Json, at: string): Readonly<Record<string, number>> {
  const byKey = typeof library === "object" && library !== null && !Array.isArray(library) ? library : { "": library };
  return Object.fromEntries(
    Object.entries(byKey).map(([key, us]) => {
      if (typeof us !== "number" || !(us > 0)) refuse(at, `library_us is ${JSON.stringify(us)}; it takes microseconds above 0`);
      return [key, (us as number) / 1e6];
    }),
  );
}
