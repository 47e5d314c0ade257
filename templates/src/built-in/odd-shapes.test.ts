/**
 * Every template at shapes that no tile divides: seeded shapes, each at a seeded config that the target can launch, lowered and
 * run in the interpreter against the plain operator evaluated by its definition. WARPFARM_CAMPAIGN=full: 200 shapes a template.
 */
import { Random } from "@warpfarm/common";
import { decodeProgram, evaluate, lowerFunc, parseTarget, type TensorData } from "@warpfarm/compiler";
import { describe, expect, it } from "vitest";
import { isFull } from "../../../test-support/campaign.ts";
import { usualTarget } from "../fitting-target.ts";
import { createTask, findTemplate } from "../task.ts";
import { templates } from "./index.ts";
import { type Draw, isTiled, launchable, mostWorkOf, shapes, workOf } from "./odd-shapes.testing.ts";
import { inputsOf, nestOf, runInOrder } from "./template.testing.ts";

const shapesOf = (name: string): number => (isFull ? 200 : isTiled(name) ? 1 : 2);

/** Sums of products of small whole numbers are exact. Exponentials are rounded, and each template has roundings of its own. */
const allowed = (name: string): number => (name.startsWith("attention") ? 0.05 : 0);

function firstDifference(
  name: string,
  got: TensorData | undefined,
  expected: TensorData | undefined,
  most: number,
): readonly string[] {
  if (got?.length !== expected?.length) return [`${name} has ${got?.length} elements, not ${expected?.length}`];
  const isNear = (x: unknown, y: unknown) => x === y || Math.abs(Number(x) - Number(y)) <= most;
  const at = expected?.findIndex((value, i) => !isNear(value, got?.[i])) ?? -1;
  return at < 0 ? [] : [`${name}[${at}] is ${got?.[at]}, not ${expected?.[at]}`];
}

function* cases(name: string, draw: Draw, target: string) {
  for (let seed = 1, met = 0; met < shapesOf(name); seed++) {
    if (seed > 1_000 * shapesOf(name)) throw new Error(`no draw of ${name} is small enough for the interpreter`);
    const random = new Random(seed);
    const args = draw(random);
    const task = createTask(name, args, target);
    if (workOf(task) > mostWorkOf(name, isFull)) continue;
    met++;
    yield { task, args, random };
  }
}

it("every template is here", () => {
  expect(templates.map(({ name }) => name).filter((name) => !(name in shapes))).toEqual([]);
});

const pairs = templates.flatMap(({ name, targets }) =>
  [...new Set(targets.map(({ kind }) => kind))].map((kind) => [name, kind] as const),
);
describe.each(pairs)("%s for %s", (name, kind) => {
  const target = usualTarget(findTemplate(name).targets, kind === "cuda" ? "cuda/sm_90" : "cpu/x86-64-v3");
  it(`is right at ${shapesOf(name)} odd shapes`, { timeout: isFull ? 7_200_000 : 600_000 }, () => {
    for (const { task, args, random } of cases(name, shapes[name] as Draw, target)) {
      const index = launchable(task, random);
      if (index === undefined) throw new Error(`${name} has no config for ${JSON.stringify(args)}`);
      const decoded = decodeProgram(task.reference.bytes);
      if (!decoded.ok || decoded.value.kind !== "schedule") throw new Error("the reference is no schedule");
      const inputs = inputsOf(task);
      // Kernels of whole tiles do more than the shape says; their own tests look at their order.
      const work = isTiled(name) ? Number.POSITIVE_INFINITY : task.flops;
      const { data } = runInOrder(lowerFunc(nestOf(task, index), parseTarget(target)), inputs, work);
      const plain = decoded.value.graph;
      const expected = evaluate(plain, inputs);
      const wrong = plain.outputs.flatMap(({ name: output }) =>
        firstDifference(output, data.get(output), expected.get(output), allowed(name)),
      );
      expect(wrong, `config ${index} at ${JSON.stringify(args)}`).toEqual([]);
    }
  });
});
