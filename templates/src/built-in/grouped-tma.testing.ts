/** What tests of batches and groups of products share: tasks, kernels, groups in tiles, and sums by hand. */
import type { Json, Random } from "@warpfarm/common";
import { createData, type Kernel, lowerFunc, parseTarget, type TensorData, verifyKernels } from "@warpfarm/compiler";
import { expect } from "vitest";
import { createTask, type TemplateTask } from "../task.ts";
import { compiled, inputsOf, nestOf, pointOf, runInOrder } from "./template.testing.ts";

export const words = "cuda/sm_90a";
export const target = parseTarget(words);
export type Knobs = Readonly<Record<string, Json>>;

export function kernelsOf(task: TemplateTask, knobs: Knobs): readonly Kernel[] {
  const at = pointOf(task, knobs);
  // Refuses copies and products that were left as loops, which would pass below.
  compiled(task, at);
  const kernels = lowerFunc(nestOf(task, at), target);
  expect(verifyKernels(kernels, target)).toEqual([]);
  return kernels;
}

export const resultOf = (kernels: readonly Kernel[], inputs: ReadonlyMap<string, TensorData>, work = 0): readonly number[] =>
  Array.from(runInOrder(kernels, new Map(inputs), work).data.get("C") as Iterable<number>, Number);

export interface Sizes {
  readonly count: number;
  readonly M: number;
  readonly N: number;
  readonly K: number;
  readonly layout: string;
}

/** Products of matrices by hand. `matrix`: which B each A has; undefined where it has none, and the result is zeros. */
export function byHand(
  { count, M, N, K, layout }: Sizes,
  inputs: ReadonlyMap<string, TensorData>,
  matrix: (z: number) => number | undefined,
) {
  const [A, B] = [inputs.get("A"), inputs.get("B")] as [TensorData, TensorData];
  const result: number[] = [];
  for (let z = 0; z < count; z++)
    for (let i = 0; i < M; i++)
      for (let j = 0; j < N; j++) {
        const own = matrix(z);
        let sum = 0;
        for (let k = 0; own !== undefined && k < K; k++) {
          const a = A[z * M * K + (layout[0] === "N" ? i * K + k : k * M + i)];
          sum += Number(a) * Number(B[own * N * K + (layout[1] === "T" ? j * K + k : k * N + j)]);
        }
        result.push(sum);
      }
  return result;
}

export interface Grouped extends Sizes {
  readonly groups: number;
}
export const taskOf = ({ count, M, groups, N, K, layout }: Grouped) =>
  createTask("grouped_tma", { groups, tiles: count, tile: M, N, K, dtype: "float16", layout }, words);

/** Where groups of these many rows lie: each begins with a tile of its own; tiles that are left over belong to none. */
export function packed(counts: readonly number[], tile: number, tiles: number) {
  const group: number[] = [];
  const places: number[] = [];
  for (const [g, rows] of counts.entries()) {
    for (let r = 0; r < rows; r++) places.push(group.length * tile + r);
    for (let t = 0; t < Math.ceil(rows / tile); t++) group.push(g);
  }
  while (group.length < tiles) group.push(-1);
  return { group: group.slice(0, tiles), places };
}

export function inputsWith(task: TemplateTask, group: readonly number[]): Map<string, TensorData> {
  const table = createData("int32", group.length);
  for (const [t, g] of group.entries()) table[t] = g;
  return inputsOf(task).set("group", table);
}

export const matrixOf = (group: readonly number[], groups: number) => (z: number) => {
  const g = group[z] as number;
  return g >= 0 && g < groups ? g : undefined;
};

/** Each row by the matrix of its group, wherever it lies: `rows` in the order of their groups. */
export function ofRows(rows: readonly (readonly number[])[], counts: readonly number[], { N, K }: Sizes, B: TensorData) {
  const groups = counts.flatMap((count, g) => new Array<number>(count).fill(g));
  return rows.map((row, r) =>
    Array.from({ length: N }, (_, j) =>
      row.reduce((sum, a, k) => sum + a * Number(B[((groups[r] as number) * N + j) * K + k]), 0),
    ),
  );
}

/** Results of ragged rows through kernels that take whole tiles; rows that fill up tiles hold large numbers. */
export function throughTiles(
  task: TemplateTask,
  kernels: readonly Kernel[],
  { count, M, N, K }: Sizes,
  counts: readonly number[],
  rows: readonly (readonly number[])[],
) {
  const { group, places } = packed(counts, M, count);
  const inputs = inputsWith(task, group);
  const A = (inputs.get("A") as TensorData).fill(999 as never);
  for (const [r, row] of rows.entries()) for (const [k, value] of row.entries()) A[(places[r] as number) * K + k] = value;
  // Many draws of kernels whose order the tables have looked at.
  const C = resultOf(kernels, inputs, Number.POSITIVE_INFINITY);
  return {
    inputs,
    unused: C.slice(group.indexOf(-1) < 0 ? C.length : group.indexOf(-1) * M * N),
    got: places.map((place) => C.slice(place * N, (place + 1) * N)),
  };
}

export const rowsOf = (random: Random, counts: readonly number[], K: number) =>
  counts.flatMap((count) => Array.from({ length: count }, () => Array.from({ length: K }, () => random.below(11) - 5)));
