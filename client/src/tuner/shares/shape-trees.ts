/**
 * What the searches of other shapes say of configs at a shape that nobody has measured: boosted trees over the knobs, the task's
 * arguments and, where the template tells them, the outlines of the configs. Trees find for themselves which blocks are good for
 * which shapes (one cost model for several workloads: AutoTVM, Chen et al. 2018, section 4; TenSet, Zheng et al. 2021).
 */
import { type Digest, digestOf, type Json } from "@warpfarm/common";
import type { ConfigIndex, ConfigSpace } from "@warpfarm/compiler";
import type { Outline } from "@warpfarm/templates";
import { type BoostModel, type BoostOptions, predict, train } from "../boost/boost.ts";
import { type FeatureMatrix, featureMatrix } from "../boost/feature-matrix.ts";
import type { Shape } from "../tuner.ts";
import { bestAndOthers } from "./expected-shares.ts";
import { outlineColumns } from "./outline.ts";

export interface ShapeLog {
  readonly of: Shape;
  readonly rows: readonly ShapeRow[];
}
export interface ShapeRow {
  /** The share of the shape's best; a failure counts as a bad share. */
  readonly share: number;
  readonly features: readonly number[];
  readonly outline?: Outline | undefined;
}

/** The most rows of all shapes; half of a shape's part are its best rows. */
const mostRows = 10_000;
/** Deep, because a block is good for a shape by many conditions at once. */
const options: BoostOptions = {
  rounds: 350,
  learningRate: 0.05,
  maxDepth: 7,
  minChildWeight: 4,
  rowShare: 0.7,
  columnShare: 0.5,
};
const seeds = [1, 2];

type OutlineOf = (index: ConfigIndex) => Outline;

/** Shares to expect of configs of `space` at the shape `here`, from 0 to about 1. Requires logs with rows. */
export function sharesByTrees(space: ConfigSpace, logs: readonly ShapeLog[], here: Shape, outlineOf: OutlineOf | undefined) {
  const all = [...logs.map(({ of }) => of), here];
  const shapes = argColumns(all);
  const unknown = outlineOf ? outlineColumns(outlineOf(space.toIndex(0)), here.target).map(() => Number.NaN) : [];
  const lineOf = (shape: number, { features, outline }: Pick<ShapeRow, "features" | "outline">): Float32Array =>
    Float32Array.of(
      ...features,
      ...(shapes[shape] as readonly number[]),
      ...(outlineOf && outline ? outlineColumns(outline, (all[shape] as Shape).target) : unknown),
    );
  const most = Math.max(1, Math.floor(mostRows / logs.length));
  const learnt = logs.flatMap(({ rows }, i) => bestAndOthers(rows, most).map((row) => ({ shape: i, row })));
  const models = modelsOf({
    features: featureMatrix(learnt.map(({ shape, row }) => lineOf(shape, row))),
    labels: Float64Array.from(learnt, ({ row }) => row.share),
  });
  return (configs: readonly ConfigIndex[]): Float64Array => {
    const asked = featureMatrix(
      configs.map((index) => lineOf(logs.length, { features: space.features(index), outline: outlineOf?.(index) })),
      models[0]?.columns,
    );
    const shares = models.map((model) => predict(model, asked));
    return Float64Array.from(configs, (_, c) => shares.reduce((sum, of) => sum + (of[c] as number) / models.length, 0));
  };
}

/** The latest models by their rows: tasks of a suite begin with the same records, and a search that was parked begins again. */
const known = new Map<Digest, readonly BoostModel[]>();
const mostKnown = 4;

function modelsOf(rows: { readonly features: FeatureMatrix; readonly labels: Float64Array }): readonly BoostModel[] {
  const { features, labels } = rows;
  const key = digestOf(Buffer.concat([features.values, labels].map(({ buffer }) => Buffer.from(buffer as ArrayBuffer))));
  const models = known.get(key) ?? seeds.map((seed) => train(rows, { ...options, seed }));
  known.delete(key);
  known.set(key, models);
  for (const [oldest] of known) if (known.size > mostKnown) known.delete(oldest);
  return models;
}

/**
 * By shape: the place of its target among all targets, and each number of its arguments. A text is the place of the first shape
 * that has it. The last shape, which asks, has no part in the columns of the others, so that all tasks of a suite ask the same
 * trees: not a number where its arguments are fewer, and what they have beyond those of all others is left out.
 */
function argColumns(shapes: readonly Shape[]): readonly (readonly number[])[] {
  const leaves = shapes.map(({ args, target }) => [target, ...leavesOf(args)]);
  const texts = new Map<Json, number>();
  for (const text of leaves.flat()) if (typeof text === "string" && !texts.has(text)) texts.set(text, texts.size);
  const column = (leaf: Json | undefined): number =>
    typeof leaf === "string" ? (texts.get(leaf) as number) : Number(leaf ?? Number.NaN);
  const width = Math.max(...leaves.slice(0, -1).map(({ length }) => length));
  return leaves.map((of) => Array.from({ length: width }, (_, i) => column(of[i])));
}

function leavesOf(json: Json): readonly Json[] {
  if (typeof json !== "object" || json === null) return [json];
  const parts = Array.isArray(json)
    ? json
    : Object.keys(json)
        .sort()
        .map((key) => (json as Record<string, Json>)[key] as Json);
  return parts.flatMap(leavesOf);
}
