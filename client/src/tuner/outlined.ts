/**
 * What records of other shapes say of their configs by their own tasks: outlines, and numbers. Tasks of a suite begin with the
 * same records, so a shape and what it says is made once.
 */
import { canonicalJson, defined, FarmError, type Json } from "@warpfarm/common";
import { type ConfigIndex, type ConfigSpace, knobValues, valuesAt } from "@warpfarm/compiler/language";
import { createTask, isTemplateFile, isTemplateTask, type Task, type TemplateTask } from "@warpfarm/templates";
import type { OtherRow, ShareSource, TunerOptions } from "./tuner.ts";

/** The options of a tuner that begins with these records. None where there are none. */
export function optionsOfRecords(task: Task, sources: readonly ShareSource[]): Pick<TunerOptions, "records" | "of" | "outline"> {
  if (sources.length === 0) return {};
  if (!isTemplateTask(task)) return { records: sources };
  const of = { args: task.args, target: task.target };
  return { records: outlined(task, sources), of, ...defined({ outline: task.outline }) };
}

/** The sources as they are where the task's template is a file: what a farm remembers may be of another version of the file. */
function outlined(task: TemplateTask, sources: readonly ShareSource[]): readonly ShareSource[] {
  if (isTemplateFile(task.word)) return sources;
  return sources.map((source) => {
    const there = source.of && shapeOf(task.name, source.of);
    if (there === undefined) return source;
    const withSaid = <Row>(row: Row, values: readonly Json[]) => {
      const index = indexIn(there.space, task.space, values);
      return index === undefined ? row : { ...row, ...there.of(index) };
    };
    const rows = source.rows.map((row) => withSaid(row, valuesAt(task.space, row.index)));
    const others = source.others?.map((row) => withSaid(row, row.values));
    return { ...source, rows, ...defined({ others }) };
  });
}

/** The config of these values of this space's knobs in another space; undefined where that has none. */
function indexIn(there: ConfigSpace, { knobs }: ConfigSpace, values: readonly Json[]): ConfigIndex | undefined {
  const named = knobValues(
    there,
    knobs.map(({ name, kind }, k) => [name, kind, values[k] as Json]),
  );
  return named.ok ? there.indexOfValues(named.value) : undefined;
}

type Said = Pick<OtherRow, "features" | "outline">;

/** A shape of records, by its own task. */
class RecordedShape {
  readonly space: ConfigSpace;
  readonly #outline: TemplateTask["outline"];
  readonly #said = new Map<ConfigIndex, Said>();

  constructor({ space, outline }: TemplateTask) {
    this.space = space;
    this.#outline = outline;
  }
  of(index: ConfigIndex): Said {
    const known = this.#said.get(index);
    if (known) return known;
    const said = { features: this.space.features(index), ...defined({ outline: this.#outline?.(index) }) };
    this.#said.set(index, said);
    return said;
  }
}

/**
 * The latest. More than the 148 shapes of one template that come with the package: each task of a suite asks for all of its own.
 */
const shapes = new Map<string, RecordedShape | undefined>();
const mostShapes = 300;

/** Undefined for arguments that this version of the template refuses. */
function shapeOf(name: string, { args, target }: NonNullable<ShareSource["of"]>): RecordedShape | undefined {
  const key = canonicalJson([name, args, target]);
  const shape = shapes.has(key) ? shapes.get(key) : made(name, args, target);
  shapes.delete(key);
  shapes.set(key, shape);
  const [oldest] = shapes.keys();
  if (oldest !== undefined && shapes.size > mostShapes) shapes.delete(oldest);
  return shape;
}

function made(...of: Parameters<typeof createTask>): RecordedShape | undefined {
  try {
    return new RecordedShape(createTask(...of));
  } catch (error) {
    if (error instanceof FarmError) return undefined;
    throw error;
  }
}
