/**
 * Where the tensors of a model lie: random plans are played on tokens, step by step and twice, and each step must find what its
 * inputs had when they were written.
 */
import { Random } from "@warpfarm/common";
import { expect, test } from "vitest";
import { modelDocument, type StepKernel } from "./model.ts";
import { bytesOf, isTaskStep, type ModelPlan, type PlanTensor } from "./plan.ts";

type TensorPlace = readonly ["weights" | "memory", number];
const word = 4;
const tensor = (elements: number): PlanTensor => ({ dtype: "float32", shape: [elements] });

/** Steps that read what is there, views of anything and outputs of any kind. */
function planOf(random: Random): ModelPlan {
  const tensors: Record<string, PlanTensor> = {};
  const there: string[] = [];
  const made = (kind: string, one: PlanTensor): string => {
    const name = `${kind}${there.length}`;
    tensors[name] = one;
    there.push(name);
    return name;
  };
  const any = () => there[random.below(there.length)] as string;
  const sized = () => tensor(1 + random.below(300));
  const inputs = [1, 2].slice(random.below(2)).map(() => made("x", sized()));
  const weight = made("w", tensor(5));
  const steps = Array.from({ length: 3 + random.below(8) }, (_, i): ModelPlan["steps"][number] => {
    const of = any();
    if (i > 0 && random.below(3) === 0) return { view: made("v", tensors[of] as PlanTensor), of };
    const reads = [of, any()].slice(random.below(2));
    return { task: `t${i}`, inputs: reads, outputs: [1, 2].slice(random.below(2)).map(() => made("h", sized())) };
  });
  return {
    ...{ format: "warpfarm-plan", version: 1, model: "random", tensors, steps },
    inputs: inputs.map((name) => ({ name, ...(tensors[name] as PlanTensor) })),
    outputs: [...new Set([any(), any(), any()])],
    weights: { file: "w", digest: "", tensors: { [weight]: { offset: 64, bytes: 5 * word } } },
  };
}

/** A kernel with a tensor for each of the step's. */
function kernelOf({ steps, tensors }: ModelPlan, task: string): StepKernel {
  const step = steps.filter(isTaskStep).find((each) => each.task === task);
  const named = (role: "in" | "out", names: readonly string[] = []) =>
    names.map((name, i) => ({ name: `${role}${i}`, role, ...(tensors[name] as PlanTensor) }));
  const [reads, writes] = [named("in", step?.inputs), named("out", step?.outputs)];
  const unit = { name: task, target: "cpu/x86-64-v3", kernel: { buffers: [...reads, ...writes], workspaces: [], kernels: [] } };
  return { unit, inputs: reads.map(({ name }) => name), outputs: writes.map(({ name }) => name) } as unknown as StepKernel;
}

test("kernels take turns with one workspace, which is as large as the largest of them needs", () => {
  const plan = planOf(new Random(7));
  const names = [...new Set(plan.steps.filter(isTaskStep).map(({ task }) => task))];
  expect(names.length).toBeGreaterThan(2);
  const needs = (most: number) => {
    const { workspace_bytes } = modelDocument(plan, (task) => {
      const kernel = kernelOf(plan, task);
      const bytes = names.indexOf(task) === most ? 1000 : 300;
      const workspaces = ["s", "t"].map((name) => ({ name, role: "workspace", bytes }));
      const { buffers } = kernel.unit.kernel;
      return {
        ...kernel,
        unit: { ...kernel.unit, kernel: { ...kernel.unit.kernel, buffers: [...buffers, ...workspaces] } },
      } as never;
    });
    return workspace_bytes;
  };
  // Two of each kernel, each at a multiple of 256.
  expect(names.map((_, i) => needs(i))).toEqual(names.map(() => 2 * 1024));
});

test("no tensor is overwritten before its last reader, and inputs and outputs stay", () => {
  const random = new Random(7);
  let shared = 0;
  const faults: string[] = [];
  for (let round = 0; round < 100; round++) {
    const plan = planOf(random);
    const { memory_bytes, tensor_bytes, inputs, outputs, steps } = modelDocument(plan, (task) => kernelOf(plan, task));
    shared += Number(memory_bytes < tensor_bytes);
    // The tensor that each one is, or is a view of.
    const own = new Map<string, string>(Object.keys(plan.tensors).map((name) => [name, name]));
    for (const step of plan.steps) if (!isTaskStep(step)) own.set(step.view, own.get(step.of) as string);
    const blocks = { memory: new Array<string>(memory_bytes / word), weights: new Array<string>(64).fill("w") };
    const cells = (name: string, [block, offset]: TensorPlace) => {
      const to = (offset + bytesOf(plan.tensors[name] as PlanTensor)) / word;
      if (to > blocks[block].length) faults.push(`${round}: ${name} ends behind its block`);
      return { of: blocks[block], from: offset / word, to };
    };
    const put = (name: string, place: TensorPlace) => {
      const { of, from, to } = cells(name, place);
      of.fill(name, from, to);
    };
    const has = (name: string, place: TensorPlace) => {
      const { of, from, to } = cells(name, place);
      const wanted = own.get(name)?.startsWith("w") ? "w" : own.get(name);
      const other = of.slice(from, to).find((found) => found !== wanted);
      if (other !== undefined) faults.push(`${round}: ${name} has an element of ${other}`);
    };
    for (const { name, place } of inputs) put(name, place);
    for (const _ of [1, 2]) {
      for (const [i, step] of plan.steps.filter(isTaskStep).entries()) {
        const at = (role: "in" | "out", j: number) => steps[i]?.tensors[`${role}${j}`] as TensorPlace;
        for (const [j, name] of step.inputs.entries()) has(name, at("in", j));
        for (const [j, name] of step.outputs.entries()) put(name, at("out", j));
        // A kernel reads while it writes.
        for (const [j, name] of step.inputs.entries()) has(name, at("in", j));
        for (const [j, name] of step.outputs.entries()) has(name, at("out", j));
      }
      for (const { name, place } of outputs) has(name, place);
    }
  }
  expect(faults).toEqual([]);
  expect(shared).toBeGreaterThan(25);
});
