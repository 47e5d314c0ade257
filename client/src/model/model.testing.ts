/** ONNX files of tests, and a plan that is executed by the definition of each subgraph. */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { evaluate, type TensorData } from "@warpfarm/compiler";
import { encodeOnnx } from "@warpfarm/proto/onnx";
import { type Subgraph, subgraphGraph } from "@warpfarm/templates";
import { parse } from "yaml";
import { runDirectory } from "../../../test-support/run-directory.ts";
import { numbersOf, tensorOf } from "./model.ts";

type Attribute = number | string | readonly number[];
export const node = (
  op_type: string,
  input: readonly string[],
  output: readonly string[],
  attributes: Readonly<Record<string, Attribute>> = {},
) => ({
  op_type,
  input,
  output,
  name: output[0],
  attribute: Object.entries(attributes).map(([name, value]) => {
    if (typeof value === "string") return { name, s: Buffer.from(value), type: 3 };
    if (typeof value === "number") return Number.isInteger(value) ? { name, i: value, type: 2 } : { name, f: value, type: 1 };
    return { name, ints: value, type: 7 };
  }),
});
export const info = (name: string, shape: readonly (number | string)[], elem_type = 1) => ({
  name,
  type: {
    tensor_type: {
      elem_type,
      shape: { dim: shape.map((dim) => (typeof dim === "number" ? { dim_value: dim } : { dim_param: dim })) },
    },
  },
});
export const f32 = (name: string, dims: readonly number[], numbers: readonly number[]) => ({
  name,
  dims,
  data_type: 1,
  raw_data: Buffer.from(Float32Array.from(numbers).buffer),
});
export const f16 = (name: string, dims: readonly number[], numbers: readonly number[]) => ({
  name,
  dims,
  data_type: 10,
  raw_data: Buffer.from(tensorOf("float16", dims, numbers).bytes),
});
export const i64 = (name: string, numbers: readonly number[]) => ({
  name,
  dims: [numbers.length],
  data_type: 7,
  int64_data: numbers,
});

interface TestGraph {
  readonly node: readonly object[];
  readonly input: readonly object[];
  readonly output: readonly object[];
  readonly initializer?: readonly object[];
}
/** The folder of a new file, model.onnx. */
export function written(graph: TestGraph, version = 17, metadata_props: readonly object[] = []): string {
  const folder = mkdtempSync(join(runDirectory(), "onnx-"));
  const model = { ir_version: 8, graph: { name: "net", ...graph }, opset_import: [{ domain: "", version }], metadata_props };
  writeFileSync(join(folder, "model.onnx"), encodeOnnx(model));
  return folder;
}

interface Plan {
  readonly inputs: readonly { readonly name: string }[];
  readonly outputs: readonly string[];
  readonly tensors: Readonly<Record<string, { readonly dtype: "float32"; readonly shape: readonly number[] }>>;
  readonly weights: { readonly tensors: Readonly<Record<string, { readonly offset: number; readonly bytes: number }>> };
  readonly steps: readonly {
    readonly task: string;
    readonly inputs: readonly string[];
    readonly outputs: readonly string[];
    readonly view?: string;
    readonly of?: string;
  }[];
}
interface ReadFiles {
  readonly tasks: readonly (Subgraph & { readonly label: string; readonly count: number })[];
  readonly plan: Plan;
}
export function readFiles(folder: string, stem = "model"): ReadFiles {
  const suite = parse(readFileSync(join(folder, `${stem}.yaml`), "utf8")) as {
    readonly tasks: readonly [{ readonly shapes: ReadFiles["tasks"] }];
  };
  return { tasks: suite.tasks[0].shapes, plan: JSON.parse(readFileSync(join(folder, `${stem}.plan.json`), "utf8")) as Plan };
}

/** The outputs, for the contents of the inputs. */
export function executed(folder: string, inputs: Readonly<Record<string, readonly number[]>>, stem = "model"): number[][] {
  const { tasks, plan } = readFiles(folder, stem);
  const weights = readFileSync(join(folder, `${stem}.weights.bin`));
  const data = new Map<string, TensorData>();
  const kindOf = (name: string) => plan.tensors[name] as Plan["tensors"][string];
  for (const { name } of plan.inputs)
    if (plan.tensors[name]) data.set(name, numbersOf(tensorOf(kindOf(name).dtype, kindOf(name).shape, inputs[name] ?? [])));
  for (const [name, { offset, bytes }] of Object.entries(plan.weights.tensors)) {
    if (offset % 64 !== 0) throw new Error(`the weight ${name} is at ${offset}`);
    data.set(name, numbersOf({ ...kindOf(name), bytes: weights.subarray(offset, offset + bytes) }));
  }
  for (const step of plan.steps) {
    if (step.view !== undefined) {
      data.set(step.view, data.get(step.of ?? "") as TensorData);
      continue;
    }
    const task = tasks.find(({ label }) => label === step.task);
    if (!task) throw new Error(`no task is named ${step.task}`);
    const given = new Map(task.inputs.map(({ name }, i) => [name, data.get(step.inputs[i] as string) as TensorData]));
    const made = evaluate(
      subgraphGraph({ ...task, nodes: task.nodes.map((one) => ({ ...one, inputs: one.inputs ?? [] })) }),
      given,
    );
    for (const [i, name] of task.outputs.entries()) data.set(step.outputs[i] as string, made.get(name) as TensorData);
  }
  return plan.outputs.map((name) => [...(data.get(name) as TensorData)].map(Number));
}
