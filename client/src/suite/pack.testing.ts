/** Suites of small products with logs whose times are given, and rounds of kernels whose true times are known. For tests. */
import { writeFileSync } from "node:fs";
import { defaultMeasureOptions, type Json, Random, toProgramDigest } from "@warpfarm/common";
import { configNamed, configToJson } from "@warpfarm/compiler/language";
import { encodeTrial } from "@warpfarm/records/logs";
import type { PackKernel } from "@warpfarm/records/packs";
import { type Entity, type Finals, nameOfConfig } from "@warpfarm/records/suites";
import { createTask } from "@warpfarm/templates";
import { plannedTask, suitePlan } from "../../../test-support/suite-plan.ts";
import { timedResult } from "../measure/scripted.testing.ts";
import { SuiteDirectory } from "./directory.ts";
import type { SuitePlan } from "./plan.ts";

/** Its code runs here. */
export const key = process.arch === "arm64" ? "cpu/arm64" : "cpu/x86-64-v2";
const shapes = [4, 8, 16].map((n): readonly Json[] => [n, 16, 8, "float32", "NN"]);
export const tasks = shapes.map((args, i) => plannedTask(`t${i}`, "matmul_derived", { args: [...args], key }));
const made = shapes.map((args) => createTask("matmul_derived", args, key));

export const entityAt = (shape: number, index: number): Entity => {
  const { space } = made[shape] as (typeof made)[number];
  return configToJson(space, space.get(space.toIndex(index))).entity;
};
export const kernelAt = (shape: number, index: number): PackKernel => {
  const task = made[shape] as (typeof made)[number];
  const found = task.instantiate(task.space.toIndex(index));
  if (!found.ok) throw new Error(found.error.message);
  return { config: entityAt(shape, index), program: found.value.program.digest };
};
/** The index of a config of a shape. */
export const indexOf = (shape: number, config: Entity): number => {
  const found = configNamed((made[shape] as (typeof made)[number]).space, config);
  if (!found.ok) throw new Error(found.error);
  return found.value;
};

/** `times[shape][n]`: seconds of the config with the nth index of `indices`; a shape without times has no log. */
export async function suiteIn(
  folder: string,
  times: readonly (readonly number[])[],
  more: Partial<SuitePlan> = {},
  { indices = [2, 3, 4], device = "scripted" } = {},
): Promise<SuiteDirectory> {
  const directory = new SuiteDirectory(folder);
  await directory.create(suitePlan({ name: "three", tasks, ...more }));
  for (const [shape, each] of times.entries()) {
    const { args } = made[shape] as (typeof made)[number];
    const run = { task: "matmul_derived", args, target: key, tuner: "random", seed: 0 };
    const lines = each.map((seconds, i) => {
      const { config: entity, program } = kernelAt(shape, indices[i] as number);
      const timed = timedResult(seconds);
      if (timed.kind !== "timed") throw new Error("timed");
      const result = { ...timed, costs: [seconds, seconds], device: { ...timed.device, name: device } };
      const options = defaultMeasureOptions("cpu");
      const config = { index: indices[i] as number, code_hash: null, entity };
      return encodeTrial({
        run,
        config,
        program: toProgramDigest(program),
        sequence: i + 1,
        told: i,
        session: "s",
        options,
        result,
      });
    });
    if (lines.length > 0) writeFileSync(directory.logOf(`t${shape}`), `${lines.join("\n")}\n`);
  }
  return directory;
}

/** Rounds of these kernels, each within 0.2 % of its true time. */
export function roundsOf(kernels: readonly PackKernel[], trueTime: (config: Entity) => number, device = "scripted"): Finals {
  const random = new Random(kernels.length);
  const costs = kernels.map(({ config }) =>
    Array.from({ length: 24 }, () => trueTime(config) * (1 + 0.004 * (random.float() - 0.5))),
  );
  return {
    finalists: kernels.map(({ config, program }) => ({ config, program: toProgramDigest(program) })),
    runs: [{ device: { key, name: device, uuid: "", node: "here", driver: "none" }, costs }],
    ...{ failed: [], paired: { rounds: 24, idleMs: 0 }, options: defaultMeasureOptions("cpu") },
  };
}
export const isNamed = (a: Entity, b: Entity): boolean => nameOfConfig(a) === nameOfConfig(b);
