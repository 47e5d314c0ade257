/**
 * The CPU schedules of the source programs' computations. Small shapes, whose extents are no multiples of a vector or have tails,
 * are lowered and run in the interpreter at random configs, against the plain operator evaluated by its definition (te/ops tests
 * hold that against loops by hand).
 */
import { type DType, fillValue, type Json, philoxBits, Random } from "@warpfarm/common";
import {
  createData,
  decodeProgram,
  evaluate,
  type Graph,
  infer,
  interpret,
  interpretKernels,
  lowerFunc,
  parseTarget,
  type TensorData,
} from "@warpfarm/compiler";
import { describe, expect, it } from "vitest";
import { createTask, type Task } from "../task.ts";

/** Philox values; float16 products of them are exact in float32, and few enough are summed that sums are too. */
function filled(dtype: DType, buffer: number, count: number): TensorData {
  const data = createData(dtype, count);
  for (let i = 0; i < count; i++) data[i] = fillValue(dtype, philoxBits(7, buffer, i));
  return data;
}
function plainGraph(task: Task): Graph {
  const decoded = decodeProgram(task.reference.bytes);
  if (!decoded.ok || decoded.value.kind !== "schedule") throw new Error("not decoded");
  return decoded.value.graph;
}

describe.each<[string, string, Json, number]>([
  ["conv2d_hwcn_cpu", "cpu/x86-64-v3", { N: 16, H: 4, W: 3, CI: 4, CO: 6 }, 6],
  ["conv2d_hwcn_cpu", "cpu/x86-64-v4", { N: 6, H: 5, W: 4, CI: 3, CO: 5, stride: 2, dtype: "float16" }, 4],
  ["conv2d_hwcn_cpu", "cpu/x86-64-v1", { N: 12, H: 5, W: 5, CI: 3, CO: 4, KH: 2, KW: 2, padding: 0, dtype: "float16" }, 4],
])("%s on %s with %j", (name, target, args, count) => {
  it(`computes the operator at ${count} random configs, as scheduled and as lowered`, () => {
    const task = createTask(name, args, target);
    const plain = plainGraph(task);
    const inputs = () =>
      new Map(
        plain.inputs.map((t, i) => [
          t.name,
          filled(
            t.dtype,
            i,
            t.shape.reduce((x, y) => x * y, 1),
          ),
        ]),
      );
    const output = plain.outputs[0]?.name ?? "";
    const expected = evaluate(plain, inputs()).get(output);
    const random = new Random(23);
    for (let i = 0; i < count; i++) {
      const instance = task.instantiate(task.space.random(random));
      if (!instance.ok) throw new Error(instance.error.message);
      const inferred = infer(instance.value.schedule.state);
      if (!inferred.ok) throw inferred.error;
      const func = inferred.value.func();
      expect(interpret([func], inputs()).data.get(output)).toEqual(expected);
      expect(interpretKernels(lowerFunc(func, parseTarget(target)), inputs()).data.get(output)).toEqual(expected);
    }
  });
});

it("full shapes have spaces worth searching at every level, and the plain computation's operations", () => {
  for (const level of ["x86-64-v1", "x86-64-v3", "x86-64-v4"] as const) {
    const task = createTask("conv2d_hwcn_cpu", undefined, `cpu/${level}`);
    expect(task.space.size).toBeGreaterThan(100);
    expect(task.instantiate(task.space.toIndex(task.space.size - 1)).ok).toBe(true);
    // Padding tests count too, as AutoTVM counts them.
    expect(task.flops).toBe(118_380_036_096 + 16 * 16 * 256 * 256 * 7);
  }
});
