/** The model of an export: its plan file, the tasks that the plan names, and the file of its weights. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { badInput, unreadable } from "@warpfarm/common";
import { isTemplateTask, type Task } from "@warpfarm/templates";
import { type ModelDocument, modelDocument, type StepKernel } from "../../export/model/model.ts";
import { isTaskStep, type ModelPlan, readModelPlan } from "../../export/model/plan.ts";
import type { ExportUnit } from "../../export/unit.ts";
import { poolOf } from "../../search/farm-there.ts";
import type { PlannedTask } from "../../suite/plan.ts";

interface PlanFile {
  readonly word: string;
  readonly path: string;
  readonly plan: ModelPlan;
}

export interface AskedModel {
  readonly document: ModelDocument;
  /** The path of the weights, which the export copies. */
  readonly weights: string;
}

/** A task of a suite, with what was chosen for it. */
export interface Choosable {
  readonly task: PlannedTask;
}

export async function planFile(cwd: string, word: string): Promise<PlanFile> {
  const path = resolve(cwd, word);
  const text = await readFile(path, "utf8").catch(unreadable(`--plan names ${JSON.stringify(word)}, which`));
  return { word, path, plan: readModelPlan(text, word) };
}

/** The name by which a plan has a task: its label in the suite, else its id. */
const nameInPlan = ({ label, id }: PlannedTask): string => label ?? id;

/** The plan's tasks, timed or not. */
export function plannedIn<T extends Choosable>(
  what: string,
  { word, plan }: PlanFile,
  results: readonly T[],
  target?: string,
): readonly T[] {
  const wanted = new Set(plan.steps.filter(isTaskStep).map(({ task }) => task));
  const found = results.filter(
    ({ task }) => wanted.has(nameInPlan(task)) && (target === undefined || task.search.target === target),
  );
  for (const name of wanted) {
    const named = found.flatMap(({ task }) => (nameInPlan(task) === name ? [task] : []));
    const keys = named.map(({ search }) => search.key);
    if (keys.length === 0)
      throw badInput(`${word} runs the task ${name}, which ${what} does not have${target ? ` for ${target}` : ""}`);
    const pools = [...new Set(named.map(({ search }) => poolOf(search)))];
    // Of a label's tasks a suite makes one for each condition, so no other label tells these apart.
    if (new Set(keys).size < pools.length)
      throw badInput(`${what} has ${name}, which ${word} runs, on ${pools.join(" and on ")}; export a suite of one of them`);
    if (pools.length < named.length)
      throw badInput(`${what} has several tasks named ${name}, which ${word} runs; give each a label of its own in the suite`);
    if (keys.length > 1) throw badInput(`${what} has ${name} on ${keys.join(" and on ")}; choose with --target`);
  }
  return found;
}

export interface ModelKernel {
  readonly planned: PlannedTask;
  readonly task: Task;
  readonly unit: ExportUnit;
}

export async function modelOf({ word, path, plan }: PlanFile, kernels: readonly ModelKernel[]): Promise<AskedModel> {
  const byName = new Map(kernels.map(({ planned, task, unit }) => [nameInPlan(planned), stepKernel(task, unit)]));
  const document = modelDocument(plan, (name) => byName.get(name) as StepKernel);
  const { file, digest, tensors } = plan.weights;
  if (basename(file) !== file)
    throw badInput(`${word}: weights.file is ${JSON.stringify(file)}; it takes a name in the plan's folder`);
  const weights = join(dirname(path), file);
  const size = await stat(weights).catch(unreadable(`${word}: the weights ${file}`));
  for (const [name, { offset, bytes }] of Object.entries(tensors))
    if (offset + bytes > size.size)
      throw badInput(`${word}: the weight ${name} ends at byte ${offset + bytes}, and ${file} has ${size.size}`);
  const found = await digestOfFile(weights);
  if (found !== digest) throw badInput(`${word}: ${file} has the digest ${found}, and the plan says ${digest}`);
  return { document, weights };
}

/** A template's tensors in the order of its graph, a kernel's in the order of its spec. */
function stepKernel(task: Task, unit: ExportUnit): StepKernel {
  const names = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name);
  if (isTemplateTask(task)) return { unit, inputs: names(task.graph.inputs), outputs: names(task.graph.outputs) };
  const { buffers } = unit.kernel;
  return {
    unit,
    inputs: names(buffers.filter(({ role }) => role === "in")),
    outputs: names(buffers.filter(({ role }) => role === "out" || role === "inout")),
  };
}

/** Weights may be gigabytes. */
async function digestOfFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return `sha256:${hash.digest("hex")}`;
}
