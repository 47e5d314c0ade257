/**
 * A model as files: `model.json` says which kernels run in which order and where each tensor is, `model.py` runs it, and the
 * weights lie beside them. Memory is planned here, so that the runner only adds offsets.
 */
import { badInput, type ManifestBuffer } from "@warpfarm/common";
import { tensorsOf, workspacesOf } from "../layout.ts";
import type { ExportUnit } from "../unit.ts";
import { type Lifetime, placeTensors } from "./memory.ts";
import { bytesOf, isTaskStep, type ModelPlan, type PlanTensor, type TaskStep, tensorWords } from "./plan.ts";

/** A kernel of the plan's tasks, with the names of its tensors in the order of the plan's steps. */
export interface StepKernel {
  readonly unit: ExportUnit;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}

/** The block that holds the tensor, and its offset in bytes. */
type TensorPlace = readonly ["weights" | "memory", number];

interface ModelTensor extends PlanTensor {
  readonly name: string;
  readonly place: TensorPlace;
}

/** Version 1 of model.json; model.py refuses others. */
export interface ModelDocument {
  readonly warpfarm_model: 1;
  readonly model: string;
  readonly target: string;
  readonly weights: { readonly file: string; readonly digest: string };
  readonly memory_bytes: number;
  /** Bytes that the tensors in memory would have one beside the other. */
  readonly tensor_bytes: number;
  readonly workspace_bytes: number;
  readonly inputs: readonly ModelTensor[];
  readonly outputs: readonly ModelTensor[];
  readonly steps: readonly { readonly kernel: string; readonly tensors: Readonly<Record<string, TensorPlace>> }[];
}

export const weightsFile = "weights.bin";
/** As CUDA's allocations, and enough for any kernel's tensors. */
const align = 256;

/** Throws FarmError INVALID_ARGUMENT that names the step where plan and kernels do not fit. */
export function modelDocument(plan: ModelPlan, kernelOf: (task: string) => StepKernel): ModelDocument {
  const steps = plan.steps.filter(isTaskStep);
  const kernels = steps.map(({ task }) => kernelOf(task));
  const known = new Map(Object.entries(plan.tensors));
  for (const { name, dtype, shape } of plan.inputs) known.set(name, { dtype, shape });
  const tensor = (name: string) => known.get(name) as PlanTensor;
  for (const [i, step] of steps.entries()) checkStep(step, kernels[i] as StepKernel, tensor);
  const { places, memoryBytes, tensorBytes } = placesOf(plan, tensor);
  const place = (name: string) => places.get(name) as TensorPlace;
  const listed = (name: string): ModelTensor => ({ name, ...tensor(name), place: place(name) });
  return {
    warpfarm_model: 1,
    model: plan.model,
    target: (kernels[0] as StepKernel).unit.target,
    weights: { file: weightsFile, digest: plan.weights.digest },
    memory_bytes: memoryBytes,
    tensor_bytes: tensorBytes,
    workspace_bytes: Math.max(...kernels.map(({ unit }) => workspacesOf(unit.kernel).bytes)),
    inputs: plan.inputs.map(({ name }) => listed(name)),
    outputs: plan.outputs.map(listed),
    steps: steps.map((step, i) => {
      const { unit, inputs, outputs } = kernels[i] as StepKernel;
      const given = [...step.inputs, ...step.outputs];
      return {
        kernel: unit.name,
        tensors: Object.fromEntries([...inputs, ...outputs].map((name, j) => [name, place(given[j] as string)])),
      };
    }),
  };
}

function checkStep({ task, ...step }: TaskStep, { unit, ...kernel }: StepKernel, tensor: (name: string) => PlanTensor): void {
  const buffers = new Map(unit.kernel.buffers.map((buffer) => [buffer.name, buffer]));
  const refuse = (what: string) => badInput(`the plan's step ${task} ${what}`);
  const kept = tensorsOf(unit.kernel).find(({ role }) => role === "inout");
  if (kept) throw refuse(`changes its input ${kept.name}; a model's kernels only read their inputs`);
  for (const kind of ["inputs", "outputs"] as const) {
    const [given, taken] = [step[kind], kernel[kind]];
    if (given.length !== taken.length) throw refuse(`has ${given.length} ${kind}; its kernel has ${taken.join(", ")}`);
    for (const [i, name] of given.entries()) {
      const buffer = buffers.get(taken[i] as string) as ManifestBuffer;
      if (!isAlike(tensor(name), buffer))
        throw refuse(`gives ${name}, ${tensorWords(tensor(name))}, for ${buffer.name}, which is ${tensorWords(buffer)}`);
    }
  }
}

/** A kernel may have neighbouring axes of a tensor as one. Axes of one element do not count. */
function isAlike(tensor: PlanTensor, buffer: ManifestBuffer): boolean {
  const rest = tensor.shape.filter((extent) => extent !== 1);
  const joined = buffer.shape.every((extent) => {
    let size = 1;
    while (size < extent && rest.length > 0) size *= rest.shift() as number;
    return size === extent;
  });
  return joined && rest.length === 0 && tensor.dtype === buffer.dtype;
}

/** Inputs are never overwritten, so a run can be repeated; outputs are kept to the end. Views are where their tensors are. */
function placesOf(plan: ModelPlan, tensor: (name: string) => PlanTensor) {
  const viewed = new Map<string, string>();
  const lifetimes = new Map<string, { -readonly [K in keyof Lifetime]: Lifetime[K] }>();
  const owner = (name: string) => viewed.get(name) ?? name;
  const end = plan.steps.length;
  const use = (name: string, at: number) => {
    const found = lifetimes.get(owner(name));
    if (found) found.to = Math.max(found.to, at);
  };
  for (const { name } of plan.inputs) lifetimes.set(name, { bytes: bytesOf(tensor(name)), from: 0, to: end });
  for (const [i, step] of plan.steps.entries()) {
    if (!isTaskStep(step)) {
      viewed.set(step.view, owner(step.of));
      continue;
    }
    for (const name of step.inputs) use(name, i);
    for (const name of step.outputs) lifetimes.set(name, { bytes: bytesOf(tensor(name)), from: i, to: i });
  }
  for (const name of plan.outputs) use(name, end);
  const memory = placeTensors([...lifetimes.values()], align);
  const places = new Map<string, TensorPlace>([...lifetimes.keys()].map((name, i) => [name, ["memory", memory.offsets[i] ?? 0]]));
  for (const [name, { offset }] of Object.entries(plan.weights.tensors)) places.set(name, ["weights", offset]);
  for (const [name, of] of viewed) places.set(name, places.get(of) as TensorPlace);
  const tensorBytes = [...lifetimes.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  return { places, memoryBytes: memory.bytes, tensorBytes };
}
