/**
 * Epilogues behind every template at odd shapes: run in the interpreter, those for a CPU also as C on this machine, and compared
 * with the epilogue written by hand on the values of the plain operator. WARPFARM_CAMPAIGN=full: every epilogue, more shapes.
 */
import { type Json, Random } from "@warpfarm/common";
import { compileProgram, evaluate, lowerFunc, parseTarget, type TensorData } from "@warpfarm/compiler";
import { at, compute, graphOf, mul, placeholder, reduceAxis, sum } from "@warpfarm/compiler/language";
import { describe, expect, it } from "vitest";
import { isFull } from "../../../test-support/campaign.ts";
import { needs } from "../../../test-support/needs.ts";
import { runC } from "../../../test-support/run-c.ts";
import { templates } from "../built-in/index.ts";
import { type Draw, launchable, mostWorkOf, shapes, workOf } from "../built-in/odd-shapes.testing.ts";
import { inputsOf, nestOf, programOf, runInOrder } from "../built-in/template.testing.ts";
import { defineTemplate, type Template } from "../define-template.ts";
import { usualTarget } from "../fitting-target.ts";
import { createTask, type TemplateTask } from "../task.ts";
import { whole } from "../template-args.ts";
import { byHand, channelsByHand, type Epilogue, epilogues, isClose } from "./by-hand.testing.ts";

/** Sums of whole numbers are exact in float16, and not in bfloat16. */
const exactly = (args: Readonly<Record<string, Json>>) => (args.dtype === "bfloat16" ? { ...args, dtype: "float16" } : args);

function taskFor(template: Template, draw: Draw, target: string, random: Random): { plain: TemplateTask; args: Json } {
  for (let tried = 0; tried < 500; tried++) {
    const args = exactly(draw(random));
    const plain = createTask(template, args, target);
    if (workOf(plain) <= mostWorkOf(template.name)) return { plain, args };
  }
  throw new Error(`${template.name} has no small shape`);
}

function faultOf(
  task: TemplateTask,
  plain: TemplateTask,
  epilogue: Epilogue,
  inputs: Map<string, TensorData>,
  got: ReadonlyMap<string, TensorData>,
) {
  const [result] = task.graph.outputs;
  if (!result) return "there is no result";
  const values = evaluate(plain.graph, inputs).get(result.name) as TensorData;
  const expected = byHand(epilogue, { values, shape: result.shape, channels: channelsByHand(plain), inputs });
  const data = got.get(result.name) as TensorData;
  if (data.length !== expected.length) return `${data.length} elements, not ${expected.length}`;
  const wrong = expected.findIndex((value, i) => !isClose(result.dtype, data[i] as number, value));
  return wrong < 0 ? undefined : `${result.name}[${wrong}] is ${data[wrong]}, not ${expected[wrong]}`;
}

function runs(template: Template, draw: Draw, target: string, epilogue: Epilogue, seed: number): void {
  const random = new Random(seed);
  const { plain, args } = taskFor(template, draw, target, random);
  const isWhole = plain.graph.outputs[0]?.dtype.includes("int");
  const words = isWhole ? ["cast(float32)", ...epilogue.words] : epilogue.words;
  const task = createTask(template, { ...(args as object), epilogue: words }, target);
  const index = launchable(task, random);
  if (index === undefined) throw new Error(`${template.name} has no config for ${JSON.stringify(args)}`);
  const where = `config ${index} of ${template.name} ${JSON.stringify(task.args)}`;
  const inputs = inputsOf(task);
  const lowered = runInOrder(lowerFunc(nestOf(task, index), parseTarget(target)), inputs, task.flops);
  expect(faultOf(task, plain, epilogue, inputs, lowered.data), where).toBeUndefined();
  expect(faultOf(task, plain, epilogue, inputs, evaluate(task.graph, inputs)), where).toBeUndefined();
  if (!target.startsWith("cpu")) return;
  const text = compileProgram(programOf(task, index));
  if (!text.ok) throw new Error(text.error.message);
  expect(faultOf(task, plain, epilogue, inputs, runC(text.value, inputs, ["-march=native"])), `${where} in C`).toBeUndefined();
}

const storesByInstruction = "conv2d_nhwcnc_wmma";
const pairs = templates
  .filter(({ name }) => name !== storesByInstruction)
  .flatMap((template) => [...new Set(template.targets.map(({ kind }) => kind))].map((kind) => ({ template, kind })));

describe.each(pairs.map((pair, i) => ({ ...pair, name: pair.template.name, i })))("behind $name for $kind", ({
  template,
  kind,
  i,
}) => {
  const target = usualTarget(template.targets, kind === "cuda" ? "cuda/sm_90" : "cpu/x86-64-v1");
  const chosen = isFull ? epilogues : [epilogues[i % epilogues.length] as Epilogue];
  it.each(chosen.map((epilogue) => [epilogue.words.join(), epilogue] as const))("%s", (_, epilogue) => {
    runs(template, shapes[template.name] as Draw, target, epilogue, 7 + i);
  });
});

const columns: Draw = (random) => ({ n: 1 + random.below(9), k: 1 + random.below(30), m: 3 + random.below(9) });
const args = { n: whole(5), k: whole(7), m: whole(3) };
type Sizes = { readonly n: number; readonly k: number; readonly m: number };
const product = ({ n, k, m }: Sizes) => {
  const [a, b, s] = [placeholder("a", [n, k]), placeholder("bias", [k, m]), reduceAxis("s", k)];
  return graphOf(
    [a, b],
    [
      compute(
        "c",
        [
          ["i", n],
          ["j", m],
        ],
        (i, j) => sum(mul(at(a, i, s.loopVar), at(b, s.loopVar, j)), [s]),
      ),
    ],
  );
};
const common = {
  name: "mine",
  summary: "a product",
  targets: ["cpu", "cuda"],
  args,
  graph: (of: { readonly args: Sizes }) => product(of.args),
};
const derived = defineTemplate(common);
const inPlace = defineTemplate({
  ...common,
  targets: ["cpu"],
  space: (space) => ({ rows: space.choice("rows", [1, 2]) }),
  schedule(schedule, { rows }) {
    const [i, j] = schedule.axes(schedule.stage("c"));
    const [task] = schedule.split(i as never, [null, rows]);
    schedule.parallel(task);
    schedule.vectorize(schedule.split(j as never, [null, 2])[1]);
  },
});

describe.each(
  epilogues.map((epilogue) => [epilogue.words.join(), epilogue] as const),
)("behind a user's product: %s", (_, epilogue) => {
  it.each(["cpu/x86-64-v1", "cuda/sm_80"])("derived for %s", (target) => {
    runs(derived, columns, target, epilogue, 3);
  });
  it("whose sums the schedule leaves in place", (ctx) => {
    needs(ctx, "cc");
    runs(inPlace, columns, "cpu/x86-64-v1", epilogue, 4);
  });
});
