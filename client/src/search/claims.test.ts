/**
 * What a session sends of a program (provenance, proposal, target) is enough to make it again, for every template that comes with
 * Warpfarm: the program and the reference are the ones that its search sent, to the byte.
 */
import { computationDigest, type Json } from "@warpfarm/common";
import { decodeProgram, gpuLimits } from "@warpfarm/compiler";
import { createTask, type TemplateTask, templates, usualTarget } from "@warpfarm/templates";
import { type Claim, replay } from "@warpfarm/templates/replay";
import { describe, expect, it } from "vitest";
import { scriptedMeasurer, timedResult } from "../measure/scripted.testing.ts";
import { tuners } from "../tuner/index.ts";
import { provenanceOf } from "./provenance.ts";
import { nameOfTask } from "./search-spec.ts";
import { collect, optionsOf } from "./session.testing.ts";

/** Other values than the default ones, of every template that has such an argument. */
const smaller: Readonly<Record<string, Json>> = {
  ...{ M: 96, K: 128, L: 128, rows: 60, columns: 72 },
  ...{ CI: 32, CO: 64, H: 14, W: 14, C: 24 },
  nodes: [
    { op: "Conv", inputs: ["x0", "x1", "x2"], outputs: ["t0"], attributes: { pads: [1, 1, 1, 1] } },
    { op: "Mul", inputs: ["t0", "x3"], outputs: ["t1"] },
  ],
};
/** Equal programs are sent once, so a few more than the three that are wanted of each. */
const trials = 7;
const wanted = 3;

/** Sent with a session, as JSON; nothing else of the task reaches a farm. */
const sent = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

async function claimsOf(task: TemplateTask) {
  const limits = gpuLimits(task.target);
  const measurer = scriptedMeasurer(() => timedResult(1));
  const isValid = (index: number) => task.validate(task.space.toIndex(index), limits).length === 0;
  const tuner = { name: "random", seed: 3, tuner: tuners.random({ space: task.space, seed: 3, isValid }) };
  await collect(optionsOf({ task, tuner, measurer, trials }));
  const { search } = sent(provenanceOf(task));
  const template = search ? nameOfTask(search.task) : "";
  const args = Array.isArray(search?.args) ? search.args : [];
  return measurer.inputs.map(({ program, reference, proposal }) => {
    const document = decodeProgram(program.bytes);
    if (!document.ok) throw new Error(document.error.message);
    const config = proposal && sent(proposal.config);
    const claim: Claim = { template, args, target: document.value.target, ...(config && { config }) };
    return { claim, program, reference };
  });
}

const shapes = templates.flatMap((template) =>
  [...new Set(template.targets.map(({ kind }) => kind))].flatMap((kind): [name: string, target: string, args: Json][] => {
    const target = usualTarget(
      template.targets.filter((need) => need.kind === kind),
      kind === "cpu" ? "cpu/x86-64-v3" : "cuda/sm_90",
    );
    const named = Object.entries(smaller).filter(([name]) => name in template.args);
    return [
      [template.name, target, {}],
      [template.name, target, Object.fromEntries(named)],
    ];
  }),
);

describe.each(shapes.filter(([, , args]) => JSON.stringify(args) !== "{}"))("%s on %s with %j", (name, target, args) => {
  it("every program that a search sends is the one that its claim gives", async () => {
    const task = createTask(name, args, target);
    const claims = await claimsOf(task);
    // The default schedule, and configs.
    expect(claims.filter(({ claim }) => claim.config === undefined).length).toBe(1);
    expect(claims.length).toBeGreaterThanOrEqual(1 + wanted);
    for (const { claim, program, reference } of claims.slice(0, 1 + wanted)) {
      const made = replay(claim);
      if (!made.ok) throw new Error(made.error);
      expect([made.value.program.digest, made.value.reference.digest]).toEqual([program.digest, reference?.digest]);
      expect(made.value.computation).toBe(computationDigest(reference?.bytes ?? new Uint8Array(), task.args));
    }
  });
});

it("two shapes of each template are different tasks", () => {
  const open = ([name, target, args]: (typeof shapes)[number]) =>
    JSON.stringify([name, target, createTask(name, args, target).args]);
  expect(new Set(shapes.map(open)).size).toBe(shapes.length);
});
