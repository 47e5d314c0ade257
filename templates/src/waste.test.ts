/** What lowering refuses is refused before a trial: by a config's schedule, or by the limits of its target. */
import { Random } from "@warpfarm/common";
import { type ConfigIndex, compileProgram, configWith, decodeProgram, entityOf, gpuLimits } from "@warpfarm/compiler";
import { describe, expect, it } from "vitest";
import { isFull } from "../../test-support/campaign.ts";
import { templates } from "./built-in/index.ts";
import { usualTarget } from "./fitting-target.ts";
import { createTask } from "./task.ts";

const configs = isFull ? 300 : 10;
const machines: Readonly<Record<string, string>> = { cuda: "cuda/sm_90a", cpu: "cpu/x86-64-v3" };
const cases = templates.flatMap(({ name, targets }) =>
  targets.map((need) => [`${name} on ${need.kind}`, name, usualTarget([need], machines[need.kind] as string)] as const),
);

describe("random valid configs are lowered without a refusal", () => {
  // client/test/codegen lowers as many of each template whose text is pinned, which is each but this one.
  it.each(cases.filter(([, name]) => isFull || name === "subgraph_derived"))("%s", (_, name, target) => {
    const task = createTask(name, undefined, target);
    const limits = gpuLimits(target);
    const random = new Random(3);
    const refused: string[] = [];
    let valid = 0;
    for (let drawn = 0; valid < configs && drawn < 200 * configs; drawn++) {
      const index = task.space.toIndex(random.below(task.space.size));
      if (task.validate(index, limits).length > 0) continue;
      valid++;
      const made = task.instantiate(index);
      const program = made.ok ? decodeProgram(made.value.program.bytes) : made;
      if (!program.ok) refused.push(`${index}: ${JSON.stringify(program.error)}`);
      else {
        const lowered = compileProgram(program.value);
        if (!lowered.ok) refused.push(`${index}: ${lowered.error.message}`);
      }
    }
    expect(valid).toBeGreaterThan(0);
    expect(refused).toEqual([]);
  });
});

it("a product whose sums leave too few registers is refused before it is lowered", () => {
  const target = "cuda/sm_90a";
  const task = createTask("matmul_tma", undefined, target);
  const usual = entityOf(task.space, task.published as ConfigIndex).map(([name, , value]) => [name, value] as const);
  const refusals = (consumers: number, producer: number) => {
    const config = configWith(task.space, { ...Object.fromEntries(usual), stages: 2, consumers, producer });
    if (!config.ok) throw new Error(config.error);
    return task.validate(config.value, gpuLimits(target)).map(({ message }) => message);
  };
  // 128 sums for each thread. A block has 512 registers for a thread of each of its warpgroups together.
  const few = '"C": a thread keeps 128 sums and needs about 40 other registers; it has';
  expect(refusals(4, 40)).toContain(`${few} 104`);
  expect(refusals(4, 0)).toContain(`${few} 128`);
  expect(refusals(3, 40)).toContain(`${few} 152`);
  expect(refusals(3, 0)).not.toContainEqual(expect.stringContaining("a thread keeps"));
  expect(refusals(2, 40)).not.toContainEqual(expect.stringContaining("a thread keeps"));
});
