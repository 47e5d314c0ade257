/** Runs configs of a derived space in the interpreter, threads and all. */
import { parseTarget, type Random } from "@warpfarm/common";
import { createData, type Graph, infer, lowerFunc, type TensorData, verifyKernels, verifyLimits } from "@warpfarm/compiler";
import { type ConfigIndex, flops, gpuLimits } from "@warpfarm/compiler/language";
import { runInOrder } from "../built-in/template.testing.ts";
import type { Computation } from "./computations/computation.testing.ts";
import type { Derived } from "./derive.ts";

export type Data = ReadonlyMap<string, TensorData>;

/** Small whole numbers, so that sums of products are exact in any order. */
export function dataOf({ inputs }: Graph, random: Random): Data {
  const element = (name: string): number => (name === "index" ? 0 : random.below(6) - 2);
  return new Map(
    inputs.map(({ name, dtype, shape }) => {
      const size = shape.reduce((a, b) => a * b, 1);
      return [name, createData(dtype, size).map(() => element(name)) as TensorData];
    }),
  );
}

/** The outputs of a config; undefined where the device has not enough shared memory for it. Throws what refuses it. */
export function outputsOf(derived: Derived, index: ConfigIndex, target: string, data: Data) {
  const inferred = infer(derived.schedule(index).state);
  if (!inferred.ok) throw inferred.error;
  if (verifyLimits(inferred.value, gpuLimits(target)).length > 0) return undefined;
  const kernels = lowerFunc(inferred.value.func(), parseTarget(target));
  const [wrong] = verifyKernels(kernels, parseTarget(target));
  if (wrong) throw new Error(`${wrong.rule}: ${wrong.message}`);
  return runInOrder(kernels, data, 2 * flops(derived.graph));
}

/** Where an output has not the expected element; undefined where all are right. */
export function faultIn(
  graph: Graph,
  run: NonNullable<ReturnType<typeof outputsOf>>,
  expected: (name: string) => ArrayLike<number>,
) {
  for (const { name } of graph.outputs) {
    const hole = run.unwritten(name);
    if (hole !== undefined) return `${name}[${hole}] is not written`;
    const [got, want] = [run.data.get(name) as ArrayLike<number>, expected(name)];
    for (let i = 0; i < want.length; i++) {
      const [x, y] = [Number(got[i]), Number(want[i])];
      if (!(Math.abs(x - y) <= 1e-4 * Math.abs(y) + 1e-5) && !Object.is(x, y)) return `${name}[${i}] is ${x}, not ${y}`;
    }
  }
  return undefined;
}

/** The output of hand-written loops. */
export function loopsOf(computation: Computation, sizes: Computation["odd"], graph: Graph, data: Data): number[] {
  const read = (input: number, ...index: readonly number[]): number => {
    const { name, shape } = graph.inputs[input] as (typeof graph.inputs)[number];
    if (index.some((i, d) => i < 0 || i >= (shape[d] as number))) return 0;
    return Number((data.get(name) as ArrayLike<number>)[index.reduce((place, i, d) => place * (shape[d] as number) + i, 0)]);
  };
  const shape = (graph.outputs[0] as (typeof graph.outputs)[number]).shape;
  const size = shape.reduce((a, b) => a * b, 1);
  return Array.from({ length: size }, (_, place) => {
    let rest = place;
    const index = shape.toReversed().map((extent) => {
      const digit = rest % extent;
      rest = (rest - digit) / extent;
      return digit;
    });
    return computation.element(sizes, read, index.reverse());
  });
}
