/**
 * What names of configs rely on. AutoTVM's logs name configs of its two templates by index too, so these spaces stay as they are.
 * Of the others a name is the knobs' values: a template may grow, and what was recorded is still the program that was measured.
 */
import { readFileSync } from "node:fs";
import { digestOf, type Json } from "@warpfarm/common";
import { configNamed, type Entity } from "@warpfarm/compiler/language";
import { describe, expect, it } from "vitest";
import { usualTarget } from "../fitting-target.ts";
import { createTask } from "../task.ts";
import { templates } from "./index.ts";

describe("AutoTVM's spaces", () => {
  /** Size, index of the published config, and a digest of the knobs' names and entries in order, for the default arguments. */
  it.each([
    ["tutorial/conv2d_no_batching", 10454400, 4881186, "81171d50b12d5880"],
    ["tutorial/auto_tensorcore/test_gemm", 288, 127, "7b7a63fd9a1e2545"],
  ])("%s", (name, ...space) => {
    const { space: found, published } = createTask(name, undefined, "cuda/sm_90");
    const knobs = found.knobs.map((knob) => [knob.name, Array.from({ length: knob.size }, (_, digit) => knob.decode(digit))]);
    const digest = digestOf(Buffer.from(JSON.stringify(knobs))).slice("sha256:".length, "sha256:".length + 16);
    expect([found.size, published, digest]).toEqual(space);
  });
});

interface Recorded {
  readonly task: string;
  readonly args: Json;
  readonly target: string;
  readonly config: Entity;
  readonly program: string;
}
/** Lines of the logs in bench/results/logs, measured on H100s before these templates had all of their knobs. */
const recorded = readFileSync(new URL("../../../test-support/testdata/recorded-configs.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Recorded);

it.each(recorded.map((of) => [of.task, of] as const))("a recorded config of %s is the program that was measured", (_, of) => {
  const task = createTask(of.task, of.args, of.target);
  const config = configNamed(task.space, of.config);
  const made = config.ok ? task.instantiate(config.value) : config;
  expect(made.ok ? made.value.program.digest : made.error).toBe(of.program);
});

it.each(
  templates.map(({ name, targets }) => [name, targets] as const),
)("%s: the published config and what absent knobs mean are in its space", (name, needs) => {
  const task = createTask(name, undefined, usualTarget(needs, needs[0]?.kind === "cuda" ? "cuda/sm_90" : "cpu/x86-64-v3"));
  if (task.published !== undefined) expect(task.starts).toContain(task.published);
  for (const { absent, find } of task.space.knobs) if (absent !== undefined) expect(find(absent)).toBeTypeOf("number");
});
