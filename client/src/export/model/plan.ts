/**
 * A model's plan: which tasks of a suite run in which order on which tensors, and where the weights are. `suite from-onnx` writes
 * it beside the suite. What the file says by itself is checked here; model.ts compares it with the kernels.
 */
import { badInput, type DType, dtypeBytes } from "@warpfarm/common";
import { onnxTypes } from "@warpfarm/templates";
import { z } from "zod";

const dtypes = Object.values(onnxTypes) as [DType, ...DType[]];
const name = z.string().min(1);
const count = z.number().int().nonnegative();
const tensor = z.strictObject({ dtype: z.enum(dtypes), shape: z.array(z.number().int().positive()) });
const step = z.union(
  [
    z.strictObject({ task: name, inputs: z.array(name), outputs: z.array(name).min(1) }),
    z.strictObject({ view: name, of: name }),
  ],
  { error: "a step is {task, inputs, outputs} or {view, of}" },
);
const document = z.strictObject({
  format: z.literal("warpfarm-plan"),
  version: z.literal(1),
  model: name,
  inputs: z.array(tensor.extend({ name })),
  outputs: z.array(name).min(1),
  tensors: z.record(name, tensor),
  weights: z.strictObject({
    file: name,
    digest: z.string().regex(/^sha256:[\da-f]{64}$/),
    tensors: z.record(name, z.strictObject({ offset: count, bytes: count })),
  }),
  steps: z.array(step).min(1),
});

export type ModelPlan = z.output<typeof document>;
export type PlanTensor = z.output<typeof tensor>;
export type TaskStep = Extract<ModelPlan["steps"][number], { readonly task: string }>;

export const isTaskStep = (one: ModelPlan["steps"][number]): one is TaskStep => "task" in one;

export const bytesOf = ({ dtype, shape }: { readonly dtype: DType; readonly shape: readonly number[] }): number =>
  dtypeBytes(
    dtype,
    shape.reduce((n, extent) => n * extent, 1),
  );

export const tensorWords = ({ dtype, shape }: { readonly dtype: string; readonly shape: readonly number[] }): string =>
  `${dtype}[${shape.join(", ")}]`;

/** The place of a weight is a multiple of it. */
export const weightAlign = 64;

/** `file`: the plan's name, for errors. Throws FarmError INVALID_ARGUMENT that names the step and the tensor. */
export function readModelPlan(text: string, file: string): ModelPlan {
  const refuse = (what: string) => badInput(`${file}: ${what}`);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw refuse(`it is not JSON: ${(error as Error).message}`);
  }
  const read = document.safeParse(json);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw refuse(`it is no plan of a model: ${issue?.path.join(".") || "the document"}: ${issue?.message}`);
  }
  const fault = faultOf(read.data);
  if (fault !== undefined) throw refuse(fault);
  return read.data;
}

/** Why the plan cannot run; undefined when every tensor is there before it is read. */
function faultOf({ inputs, outputs, tensors, weights, steps }: ModelPlan): string | undefined {
  if (!steps.some(isTaskStep)) return "no step runs a task; a model of views alone has no kernels";
  const all = new Map(Object.entries(tensors));
  const there = new Set<string>();
  for (const { name: input, dtype, shape } of inputs) {
    const same = all.get(input);
    if (same && tensorWords(same) !== tensorWords({ dtype, shape }))
      return `the input ${input} is ${tensorWords({ dtype, shape })}, and among the tensors ${tensorWords(same)}`;
    if (there.has(input)) return `two inputs are named ${input}`;
    all.set(input, { dtype, shape });
    there.add(input);
  }
  for (const [weight, { offset, bytes }] of Object.entries(weights.tensors)) {
    const kind = all.get(weight);
    if (!kind) return `the weight ${weight} is not among the tensors`;
    if (bytes !== bytesOf(kind)) return `the weight ${weight} has ${bytes} bytes, and ${tensorWords(kind)} has ${bytesOf(kind)}`;
    if (offset % weightAlign !== 0) return `the weight ${weight} is at ${offset}, which is no multiple of ${weightAlign}`;
    if (there.has(weight)) return `${weight} is an input and a weight`;
    there.add(weight);
  }
  for (const [i, one] of steps.entries()) {
    const at = `step ${i + 1} (${isTaskStep(one) ? one.task : `view ${one.view}`})`;
    const [reads, writes] = isTaskStep(one) ? [one.inputs, one.outputs] : [[one.of], [one.view]];
    const absent = reads.find((tensorName) => !there.has(tensorName));
    if (absent !== undefined) return `${at} reads ${absent}, which no step before it writes`;
    for (const written of writes) {
      if (there.has(written)) return `${at} writes ${written}, which is there already`;
      if (!all.has(written)) return `${at} writes ${written}, which is not among the tensors`;
      there.add(written);
    }
    if (isTaskStep(one)) continue;
    const [from, to] = [all.get(one.of), all.get(one.view)] as [PlanTensor, PlanTensor];
    if (from.dtype !== to.dtype || bytesOf(from) !== bytesOf(to))
      return `${at} is ${tensorWords(to)}, and ${one.of} is ${tensorWords(from)}: a view has the same bytes`;
  }
  const absent = outputs.find((output) => !there.has(output));
  return absent === undefined ? undefined : `the output ${absent} is written by no step`;
}
