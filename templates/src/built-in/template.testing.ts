/**
 * Helpers for tests of templates: an instance's program, nest, device text and nvcc's report, and inputs for it.
 */
import type { Json } from "@warpfarm/common";
import {
  type ConfigIndex,
  compileProgram,
  createData,
  type DeviceText,
  decodeProgram,
  evaluate,
  findRaces,
  type Inferred,
  infer,
  interpretKernels,
  type Kernel,
  lowerFunc,
  parseTarget,
  type ScheduleProgram,
  type TensorData,
  verifyKernels,
} from "@warpfarm/compiler";
import { expect } from "vitest";
import { isFull } from "../../../test-support/campaign.ts";
import { needs } from "../../../test-support/needs.ts";
import { compileCubin, type KernelReport } from "../../../test-support/nvcc.ts";
import type { Instance, TemplateTask } from "../task.ts";

/** nvcc takes a text as long as it does not change, and test/codegen notices that: `npm test` has it compile one of each kind. */
export function needsNvccInCampaign(ctx: { skip(note?: string): never }): void {
  if (!isFull) ctx.skip("nvcc compiles this text in npm run campaign; npm test notices when it changes (client/test/codegen)");
  needs(ctx, "nvcc");
}

/** Integers of the type that are so small that sums of products are exact in any order. */
export function inputsOf(task: TemplateTask): Map<string, TensorData> {
  return new Map(
    task.graph.inputs.map(({ name, shape, dtype }, n): [string, TensorData] => {
      const data = createData(
        dtype,
        shape.reduce((a, b) => a * b, 1),
      );
      for (let i = 0; i < data.length; i++) {
        const mixed = Math.imul(i + 1, 40_503 + 2 * n) >>> 8;
        if (dtype === "int1") data[i] = mixed & 1;
        else if (dtype === "int4") data[i] = (mixed % 16) - 8;
        else data[i] = dtype === "int8" ? (mixed % 256) - 128 : (mixed % 11) - 5;
      }
      return [name, data];
    }),
  );
}

/** The config of these values. */
export function indexWith(task: TemplateTask, values: Readonly<Record<string, unknown>>): number {
  const index = task.space.indexOf(new Map(Object.entries(values)));
  if (index === undefined) throw new Error(`no config of ${task.name} has ${JSON.stringify(values)}`);
  return index;
}

/** The config whose knobs have these values; others have their first one. */
export const pointOf = ({ space }: TemplateTask, knobs: Readonly<Record<string, Json>>): ConfigIndex =>
  space.fromDigits(
    space.knobs.map((knob) => {
      const digit = knob.name in knobs ? knob.find(knobs[knob.name]) : 0;
      if (digit === undefined) throw new Error(`${knob.name} has no choice ${knobs[knob.name]}`);
      return digit;
    }),
  );

function instanceOf(task: TemplateTask, index: number): Instance {
  const instance = task.instantiate(task.space.toIndex(index));
  if (!instance.ok) throw new Error(instance.error.message);
  return instance.value;
}

/** The program of a config, as a builder reads it. */
export function programOf(task: TemplateTask, index: number): ScheduleProgram {
  const decoded = decodeProgram(instanceOf(task, index).program.bytes);
  if (!decoded.ok || decoded.value.kind !== "schedule") throw new Error("no schedule");
  return decoded.value;
}

export function inferredOf(task: TemplateTask, index: number): Inferred {
  const inferred = infer(instanceOf(task, index).schedule.state);
  if (!inferred.ok) throw inferred.error;
  return inferred.value;
}

export const nestOf = (task: TemplateTask, index: number) => inferredOf(task, index).func();

export function compiled(task: TemplateTask, index: number): DeviceText {
  const made = compileProgram(programOf(task, index));
  if (!made.ok) throw new Error(made.error.message);
  return made.value;
}

/**
 * Runs the threads in step, and then by vector clocks, which alone see a missing barrier or a wait that comes too early. They
 * take seconds for more than 4 million operations, and then run in the campaign alone. `work`: operations, weighed by a file
 * whose kernels do more for each.
 */
export function runInOrder(kernels: readonly Kernel[], inputs: ReadonlyMap<string, TensorData>, work = 0) {
  const ran = interpretKernels(kernels, inputs);
  if (isFull || work <= 4e6)
    findRaces(
      kernels.map(({ func }) => func),
      ran.data,
    );
  return ran;
}

/**
 * The config's kernels keep the rules of their target and compute, in the interpreter, what the plain operator's definition says.
 */
export function expectRight(task: TemplateTask, index: number): void {
  const [inputs, target] = [inputsOf(task), parseTarget(task.target)];
  const kernels = lowerFunc(nestOf(task, index), target);
  expect(verifyKernels(kernels, target)).toEqual([]);
  const { data } = runInOrder(kernels, inputs, task.flops);
  const { graph } = task.defaultSchedule;
  const expected = evaluate(graph, inputs);
  for (const { name } of graph.outputs) expect(data.get(name)).toEqual(expected.get(name));
}

export const textOf = (task: TemplateTask, index: number): string => compiled(task, index).text;

export interface Resources extends Pick<KernelReport, "registers" | "sharedBytes"> {
  readonly stack: number;
  readonly spills: number;
}

/** The first kernel's resources, as nvcc reports them. Throws when nvcc warns. */
export function nvccResources(text: string, chip = "sm_90"): Resources {
  const [report] = Object.values(compileCubin(text, chip));
  if (report === undefined) throw new Error("nvcc reports no kernel");
  const { registers, sharedBytes, stackBytes, spillBytes } = report;
  return { registers, sharedBytes, stack: stackBytes, spills: spillBytes };
}
