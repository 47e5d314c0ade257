/** A network as a suite, a plan and weights (docs/models.md has their form). */
import { createHash } from "node:crypto";
import { canonicalJson, defined, isFloat, type Json } from "@warpfarm/common";
import { arithmetic } from "@warpfarm/compiler/language";
import { type NodeSpec, type Subgraph, sizeOf, subgraphGraph } from "@warpfarm/templates";
import { bytesOf, weightAlign } from "../export/model/plan.ts";
import { secondsOf } from "./framework.ts";
import { divided, type Group, isGroup } from "./groups.ts";
import { type Model, numbersOf, type TensorKind } from "./model.ts";
import type { Net } from "./net.ts";
import { shortest } from "./read-onnx.ts";

export interface ModelTask {
  readonly label: string;
  readonly subgraph: Subgraph;
  count: number;
  /** In the framework, of all runs together. */
  seconds: number;
  /** Of one run. */
  readonly operations: number;
  readonly bytes: number;
}

type ModelSuite = ReturnType<typeof modelSuite>;

interface Canonical {
  readonly subgraph: Subgraph;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}

/** Names by first use: x0, x1, ... of inputs, t0, t1, ... of values. Equal groups have equal subgraphs. */
function canonicalOf(net: Net, group: Group, isRead: (name: string, group: Group) => boolean): Canonical {
  const names = new Map<string, string>();
  const inputs: string[] = [];
  const nodes: NodeSpec[] = [];
  let values = 0;
  const own = new Set(group.nodes.flatMap(({ outputs }) => outputs));
  const nameOf = (name: string, reader: NodeSpec): string => {
    if (name === "") return "";
    const before = names.get(name);
    if (before !== undefined) return before;
    if (!own.has(name) && isNumber(net, name, reader)) {
      const made = `t${values++}`;
      const tensor = net.constants.get(name) as NonNullable<ReturnType<Net["constants"]["get"]>>;
      const [number = 0] = numbersOf(tensor);
      if (Number.isFinite(number)) {
        const isWhole = !isFloat(tensor.dtype);
        nodes.push({
          op: "Constant",
          inputs: [],
          outputs: [made],
          attributes: isWhole ? { value_int: number } : { value_float: shortest(number) },
        });
        names.set(name, made);
        return made;
      }
      values--;
    }
    const made = own.has(name) ? `t${values++}` : `x${inputs.length}`;
    if (!own.has(name)) inputs.push(name);
    names.set(name, made);
    return made;
  };
  for (const node of group.nodes) {
    const given = node.inputs.map((name) => nameOf(name, node));
    const made = node.outputs.map((name) => (name === "" ? "" : nameOf(name, node)));
    nodes.push({ op: node.op, inputs: given, outputs: made, attributes: node.attributes });
  }
  const outputs = [...own].filter((name) => name !== "" && isRead(name, group));
  const specs = inputs.map((name) => ({ name: names.get(name) as string, ...(net.kinds.get(name) as TensorKind) }));
  return {
    subgraph: { inputs: specs, nodes, outputs: outputs.map((name) => names.get(name) as string) },
    inputs,
    outputs,
  };
}

/** Operators that take a constant of one element as a number. Others take a tensor of it. */
const withNumbers = /^(Add|Sub|Mul|Div|Pow|Min|Max|Mod|Sum|Mean|Equal|Less\w*|Greater\w*|Where)$/;
function isNumber(net: Net, name: string, { op, inputs }: NodeSpec): boolean {
  const tensor = net.constants.get(name);
  if (!tensor || !withNumbers.test(op) || sizeOf(tensor.shape) !== 1 || tensor.dtype === "bool") return false;
  // A number has no dimensions that could be the result's.
  const rank = Math.max(...inputs.filter((other) => other !== name).map((other) => net.kinds.get(other)?.shape.length ?? 0));
  return tensor.shape.length <= rank;
}

const snake = (op: string): string => op.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase();

/** The operators, the first three of them where there are more. */
function wordOf({ nodes }: Subgraph): string {
  const ops = nodes.filter(({ op }) => op !== "Constant").map(({ op }) => snake(op));
  return [...ops.slice(0, 3), ...(ops.length > 3 ? ["more"] : [])].join("_");
}

/** `timed`: the model as it was read. */
export function modelSuite(net: Net, timed: Pick<Model, "nodes" | "framework">) {
  const steps = divided(net);
  // Nodes that cannot be computed may be timed, and are of no task.
  const framework = net.problems.length === 0 ? timed.framework : undefined;
  const times = framework ? secondsOf(timed.nodes, steps) : new Map<Group, number>();
  const readers = new Map<string, Set<unknown>>();
  for (const step of steps)
    for (const name of isGroup(step) ? step.nodes.flatMap(({ inputs }) => inputs) : [step.of])
      readers.set(name, (readers.get(name) ?? new Set()).add(step));
  const isRead = (name: string, group: Group): boolean =>
    net.needed.has(name) || [...(readers.get(name) ?? [])].some((reader) => reader !== group);
  const tasks = new Map<string, ModelTask>();
  const words = new Map<string, number>();
  const planned = steps.map((step) => {
    if (!isGroup(step)) return step;
    const { subgraph, inputs, outputs } = canonicalOf(net, step, isRead);
    const key = canonicalJson(subgraph as unknown as Json);
    const known = tasks.get(key);
    const seconds = times.get(step) ?? 0;
    if (known) {
      known.count++;
      known.seconds += seconds;
    } else {
      const word = wordOf(subgraph);
      words.set(word, (words.get(word) ?? 0) + 1);
      const graph = subgraphGraph(subgraph);
      const bytes = [...inputs, ...outputs].reduce((sum, name) => sum + bytesOf(net.kinds.get(name) as TensorKind), 0);
      tasks.set(key, { label: `${word}_${words.get(word)}`, subgraph, count: 1, seconds, operations: arithmetic(graph), bytes });
    }
    return { task: (tasks.get(key) as ModelTask).label, inputs, outputs };
  });
  return { tasks: [...tasks.values()], steps: planned, ...defined({ framework }) };
}

/** Each shape in one line: JSON is YAML. */
export function suiteText(name: string, about: string, { tasks, framework }: ModelSuite): string {
  const shapes = tasks.map(({ label, count, seconds, subgraph }) => {
    const us = Number(((1e6 * seconds) / count).toPrecision(6));
    const time = framework && us > 0 ? { library_us: { [framework.key]: us } } : {};
    return `      - ${JSON.stringify({ label, count, ...time, ...subgraph })}`;
  });
  const timed = framework ? `framework: ${JSON.stringify(framework)}\n` : "";
  return `name: ${name}\nabout: ${JSON.stringify(about)}\n${timed}tasks:\n  - task: subgraph\n    shapes:\n${shapes.join("\n")}\n`;
}

/** `weightsFile`: its name beside the plan. */
export function modelFiles(name: string, net: Net, { steps }: ModelSuite, weightsFile: string) {
  const used = new Set(steps.flatMap((step) => ("task" in step ? [...step.inputs, ...step.outputs] : [step.view, step.of])));
  for (const output of net.outputs) used.add(output);
  const kindOf = (tensor: string): TensorKind => {
    const { dtype, shape } = net.kinds.get(tensor) as TensorKind;
    return { dtype, shape };
  };
  const tensors = Object.fromEntries([...used].map((tensor) => [tensor, kindOf(tensor)]));
  const hash = createHash("sha256");
  const weights: Uint8Array[] = [];
  const places: { [tensor: string]: { readonly offset: number; readonly bytes: number } } = {};
  let offset = 0;
  const put = (bytes: Uint8Array): void => {
    hash.update(bytes);
    weights.push(bytes);
    offset += bytes.length;
  };
  for (const [tensor, { bytes }] of net.constants) {
    if (!used.has(tensor)) continue;
    put(new Uint8Array(-offset & (weightAlign - 1)));
    places[tensor] = { offset, bytes: bytes.length };
    put(bytes);
  }
  const plan = {
    format: "warpfarm-plan",
    version: 1,
    model: name,
    inputs: net.inputs.map(({ name: input, dtype, shape }) => ({ name: input, dtype, shape })),
    outputs: net.outputs,
    tensors,
    weights: { file: weightsFile, digest: `sha256:${hash.digest("hex")}`, tensors: places },
    steps,
  };
  return { plan: `${JSON.stringify(plan, null, 1)}\n`, weights };
}
