/**
 * Warm start of a task without measurements, from logs of other shapes, targets and tools. Each task of each log is a source. Its
 * results become ranks, from 0 for a failure to 1 for the fastest, so that slow devices and large shapes count as much as others.
 *
 *   knobs   a model of the knobs, for sources whose space has the same knobs with the same entries (another target, or another
 *           size that no knob shows)
 *   nests   a model of itervar or curve vectors, for all other sources whose vectors are as long as this task's
 *
 * The model is a belief (Prior); guard.ts decides how far it is trusted.
 */
import { defined, FarmError, type Json } from "@warpfarm/common";
import { type ConfigIndex, type ConfigSpace, configNamed, entityOf, type FeatureMatrix, knobValues } from "@warpfarm/compiler";
import { type LogRecord, secondsOf, targetOfAutotvm, taskOf } from "@warpfarm/records/logs";
import { createTask, isTemplateTask, type Task } from "@warpfarm/templates";
import { type BoostModel, type BoostOptions, predict, train } from "./boost/boost.ts";
import type { ConfigFeatures } from "./features/features.ts";
import { KnobColumns } from "./features/knob-columns.ts";
import { knobScorer } from "./features/knob-scorer.ts";
import type { OtherRow, Prior, ShareRow, ShareSource } from "./tuner.ts";
import { ranks } from "./xgb/rank.ts";

interface SourceRow {
  readonly index: ConfigIndex;
  /** Undefined for a failure. */
  readonly seconds: number | undefined;
}
export interface Source {
  readonly name: string;
  readonly task: Task;
  readonly rows: readonly SourceRow[];
}

/** Rows taken of a source: half of them its fastest, half spread over the others. */
const mostRows = 1000;
const boost: BoostOptions = { rounds: 120, learningRate: 0.1, maxDepth: 5, bins: 64, rowShare: 0.9, columnShare: 0.3, seed: 1 };

/** The sources of a log's records, with a warning for each kind that is of no use. `findTask` as createTask. */
export function sourcesOf(
  records: readonly LogRecord[],
  name: string,
  findTask: (word: string, args: Json, target: string) => Task = createTask,
): { readonly sources: readonly Source[]; readonly warnings: readonly string[] } {
  const groups = new Map<string, { target: string | undefined; records: LogRecord[] }>();
  for (const record of records) {
    const target = record.kind === "warpfarm" ? record.trial.run.target : targetOfAutotvm(record.trial.targetText);
    const { task, args } = taskOf(record);
    const key = JSON.stringify([task, args, target]);
    const group = groups.get(key);
    if (group) group.records.push(record);
    else groups.set(key, { target, records: [record] });
  }
  const sources: Source[] = [];
  const warnings: string[] = [];
  for (const { target, records: mine } of groups.values()) {
    const { task: word, args } = taskOf(mine[0] as LogRecord);
    const title = `${name}: ${word} ${JSON.stringify(args)}`;
    try {
      if (target === undefined) throw new FarmError("INVALID_ARGUMENT", "its target is not known");
      const task = findTask(word, [...args], target);
      const rows = distinctRows(mine, task.space);
      if (rows.some((row) => row.seconds !== undefined)) sources.push({ name: `${title} for ${target}`, task, rows });
      const strange = mine.length - mine.filter((r) => configNamed(task.space, r.trial.config.entity).ok).length;
      if (strange > 0) warnings.push(`${title}: ${strange} of ${mine.length} configs are not in today's space and are left out`);
      if (rows.length > 0 && rows.every((row) => row.seconds === undefined)) warnings.push(`${title}: nothing in it was timed`);
    } catch (error) {
      if (!(error instanceof FarmError)) throw error;
      warnings.push(`${title}: left out, ${error.message}`);
    }
  }
  return { sources, warnings };
}

/** The fastest time of each config; failures of the farm itself (errorNo 8) are left out. */
function distinctRows(records: readonly LogRecord[], space: ConfigSpace): SourceRow[] {
  const found = new Map<ConfigIndex, number | undefined>();
  for (const record of records) {
    const config = configNamed(space, record.trial.config.entity);
    if (!config.ok || isFarmFailure(record)) continue;
    const seconds = secondsOf(record);
    const old = found.get(config.value);
    found.set(config.value, seconds === undefined ? old : Math.min(seconds, old ?? Number.POSITIVE_INFINITY));
  }
  return Array.from(found, ([index, seconds]) => ({ index, seconds })).sort((a, b) => a.index - b.index);
}
const isFarmFailure = (record: LogRecord): boolean =>
  record.kind === "autotvm"
    ? record.trial.errorNo === 8
    : record.trial.result.kind === "failed" && record.trial.result.errorNo === 8;

/** True when knobs and entries are the same, in the same order: then equal indices mean equal values. */
export function isSameSpace(a: ConfigSpace, b: ConfigSpace): boolean {
  const entries = ({ knobs }: ConfigSpace) =>
    JSON.stringify(knobs.map((knob) => [knob.name, Array.from({ length: knob.size }, (_, digit) => knob.decode(digit))]));
  return a.size === b.size && a.knobs.length === b.knobs.length && entries(a) === entries(b);
}

/**
 * Sources whose configs this task's space has, as records of it: its knobs with its values. At another shape a knob may have more
 * or fewer of them. Of a source of the same template the rest are its others; any other source of which fewer than half of the
 * configs are here belongs to another space.
 */
export function recordsIn(here: Pick<Task, "name" | "space">, sources: readonly Source[]): readonly ShareSource[] {
  return sources.flatMap(({ name, task, rows }) => {
    const of = isTemplateTask(task) ? { args: task.args, target: task.target } : undefined;
    const found: ShareRow[] = [];
    const others: OtherRow[] = [];
    for (const { index, seconds } of rows) {
      const values = knobValues(here.space, entityOf(task.space, index));
      const own = values.ok ? here.space.indexOfValues(values.value) : undefined;
      const outline = isTemplateTask(task) ? task.outline?.(index) : undefined;
      if (own !== undefined) found.push({ index: own, seconds, ...defined({ outline }) });
      else if (values.ok && of && task.name === here.name)
        others.push({ values: values.value, seconds, features: task.space.features(index), ...defined({ outline }) });
    }
    const all = [...found, ...others];
    if (2 * all.length < rows.length || all.every(({ seconds }) => seconds === undefined)) return [];
    return [{ name, ...defined({ of }), rows: found.sort((a, b) => a.index - b.index), ...(others.length > 0 && { others }) }];
  });
}

/** Labels 0 to 1 by rank within the source; failures 0. */
export function labelsOf(rows: readonly SourceRow[]): Float64Array {
  const timed = rows.filter((row) => row.seconds !== undefined);
  const order = ranks(timed.map((row) => -(row.seconds as number)));
  const byIndex = new Map(timed.map((row, i) => [row.index, ((order[i] as number) + 1) / timed.length]));
  return Float64Array.from(rows, (row) => byIndex.get(row.index) ?? 0);
}

function limited(rows: readonly SourceRow[]): readonly SourceRow[] {
  if (rows.length <= mostRows) return rows;
  const fastest = new Set(
    rows
      .filter((row) => row.seconds !== undefined)
      .sort((a, b) => (a.seconds as number) - (b.seconds as number) || a.index - b.index)
      .slice(0, mostRows >> 1),
  );
  const others = rows.filter((row) => !fastest.has(row));
  const step = others.length / (mostRows - fastest.size);
  const spread = new Set(Array.from({ length: mostRows - fastest.size }, (_, i) => others[Math.floor(i * step)] as SourceRow));
  return rows.filter((row) => fastest.has(row) || spread.has(row));
}

/** A belief from sources of the same space; undefined when there is none among them. */
export function knobPrior(space: ConfigSpace, sources: readonly Source[]): Prior | undefined {
  const columns = new KnobColumns(space);
  const fitting = sources.filter((source) => isSameSpace(source.task.space, space));
  if (fitting.length === 0 || columns.width === 0) return undefined;
  const matrix = (configs: readonly ConfigIndex[]): FeatureMatrix => {
    const values = new Float32Array(configs.length * columns.width);
    configs.forEach((index, row) => {
      columns.write(index, values, row * columns.width);
    });
    return { rows: configs.length, columns: columns.width, values };
  };
  const model = fitted(fitting.map(({ rows }) => ({ rows: limited(rows), matrix: matrix(limited(rows).map((r) => r.index)) })));
  const scorer = knobScorer(model, columns);
  const score = (configs: readonly ConfigIndex[]) => {
    const scores = new Float64Array(configs.length);
    scorer(configs, scores);
    return scores;
  };
  return { isCheap: true, score, warm: async () => {} };
}

interface NestSource extends Source {
  readonly features: ConfigFeatures;
}

/** A belief from the nests of other tasks; undefined when no task has vectors as long as those that `features` makes. */
export async function nestPrior(
  space: ConfigSpace,
  features: ConfigFeatures,
  sources: readonly NestSource[],
): Promise<Prior | undefined> {
  const example = Array.from({ length: Math.min(16, space.valid.count) }, (_, i) =>
    space.toIndex(space.valid.nth(Math.floor((i * space.valid.count) / 16))),
  );
  const { columns } = features.of(example);
  const fitting: { rows: readonly SourceRow[]; matrix: FeatureMatrix }[] = [];
  for (const source of sources) {
    const rows = limited(source.rows);
    const configs = rows.map((row) => row.index);
    await source.features.warm(configs);
    const matrix = source.features.of(configs);
    if (matrix.columns === columns && columns > 0) fitting.push({ rows, matrix });
  }
  if (fitting.length === 0) return undefined;
  const model = fitted(fitting);
  return {
    isCheap: false,
    score: (configs) => predict(model, features.of(configs, columns)),
    warm: (configs) => features.warm(configs),
  };
}

function fitted(sources: readonly { readonly rows: readonly SourceRow[]; readonly matrix: FeatureMatrix }[]): BoostModel {
  const columns = sources[0]?.matrix.columns ?? 0;
  const rows = sources.reduce((sum, { matrix }) => sum + matrix.rows, 0);
  const values = new Float32Array(rows * columns);
  const labels = new Float64Array(rows);
  let at = 0;
  for (const source of sources) {
    values.set(source.matrix.values, at * columns);
    labels.set(labelsOf(source.rows), at);
    at += source.matrix.rows;
  }
  return train({ features: { rows, columns, values }, labels }, boost);
}
