/** Random computations: every one gets a space, and its configs give what the definition gives. A failure prints its seed. */
import { canonicalJson, Random } from "@warpfarm/common";
import { evaluate } from "@warpfarm/compiler";
import { expect, it } from "vitest";
import { isFull } from "../../../test-support/campaign.ts";
import { randomGraph } from "../../../test-support/programs/random-computation.ts";
import { dataOf, faultIn, outputsOf } from "./check.testing.ts";
import { derive } from "./derive.ts";

const graphs = isFull ? 2000 : 48;
const targets = ["cpu/x86-64-v3", "cuda/sm_90"] as const;

/** Of the configs beside the start at most so many may be refused: rules promise the start alone. */
const mostRefused = 0.05;

it(`${graphs} random computations are scheduled right, on both targets`, () => {
  const faults: string[] = [];
  const rules = new Map<string, number>();
  const counts = { configs: 0, refused: 0, limits: 0 };
  for (let seed = 1; seed <= graphs; seed++) {
    const graph = randomGraph(new Random(seed));
    for (const target of targets) {
      const derived = derive(graph, target);
      const explained = derived.explained.map(({ stage }) => stage);
      for (const { output } of graph.ops)
        if (!explained.includes(output.name)) faults.push(`seed ${seed} on ${target}: ${output.name} is not explained`);
      for (const { rule, why } of derived.explained) {
        const word = rule === "direct" && /refused|do not fit/.test(why ?? "") ? "refused" : rule;
        rules.set(word, (rules.get(word) ?? 0) + 1);
      }
      const random = new Random(seed);
      const data = dataOf(graph, random);
      const want = evaluate(graph, data);
      for (const index of [derived.start, derived.space.random(random)]) {
        const said = () => `seed ${seed} on ${target}, ${canonicalJson(Object.fromEntries(derived.space.get(index).values))}`;
        counts.configs++;
        try {
          const run = outputsOf(derived, index, target, data);
          if (!run) counts.limits++;
          const fault = run && faultIn(graph, run, (name) => want.get(name) as never);
          if (fault) faults.push(`${said()}: ${fault}`);
        } catch (error) {
          if (index === derived.start) faults.push(`${said()}: ${error instanceof Error ? error.stack : error}`);
          else {
            counts.refused++;
            console.log(`${said()}: ${(error as Error).message.slice(0, 300)}`);
          }
        }
      }
    }
  }
  console.log(`random computations: ${JSON.stringify(counts)}, ${JSON.stringify(Object.fromEntries(rules))}`);
  expect(faults.slice(0, 5).join("\n\n")).toBe("");
  expect(counts.refused / counts.configs).toBeLessThan(mostRefused);
  // The rules divide stages so that their starts are not refused.
  expect([rules.get("refused"), rules.get("default schedule")]).toEqual([undefined, undefined]);
  for (const rule of [
    "rows",
    "map",
    "inline",
    "product of tiles",
    "product in registers",
    "direct",
    "sum in lanes",
    "sums by threads",
    "sums by columns",
  ])
    expect([rule, rules.get(rule) ?? 0]).toEqual([rule, expect.toSatisfy((n: number) => n > 0)]);
});
