/** A few of the random schedules as C text, through this machine's compiler with all warnings as errors: what the interpreter cannot see. */
import { Random } from "@warpfarm/common";
import { expect, it } from "vitest";
import { needs } from "../../../test-support/needs.ts";
import { compileProgram } from "../../src/compile.ts";
import { runC } from "../run-c.testing.ts";
import { subjectOf } from "../subject.ts";
import { Walk } from "./generate.ts";
import { graphs } from "./graphs.ts";

const TEXTS = 12;
const target = "cpu/x86-64-v2";

it(`${TEXTS} random schedules agree with the definition of their graphs as compiled C`, (ctx) => {
  needs(ctx, "cc");
  const subjects = Object.entries(graphs).map(([name, make]) => ({ name, ...subjectOf(make()) }));
  const wrong: string[] = [];
  let texts = 0;
  for (let seed = 1; texts < TEXTS; seed++) {
    const random = new Random(seed);
    const subject = subjects[seed % subjects.length] as (typeof subjects)[number];
    const schedule = new Walk(subject.graph, random, "cpu", new Map()).run(6 + random.below(7));
    if (!schedule) continue;
    const text = compileProgram({ version: 1, kind: "schedule", target, graph: subject.graph, trace: schedule.trace });
    if (!text.ok) throw new Error(`seed ${seed}: ${text.error.message}`);
    texts++;
    // A cache that is filled under the guard it is read under looks uninitialised to the compiler; the interpreter knows better.
    const got = runC(text.value, subject.inputs, ["-Wno-maybe-uninitialized"]);
    for (const { name } of subject.graph.outputs) {
      const want = subject.expected.get(name);
      const at = want?.findIndex((x, i) => x !== got.get(name)?.[i]) ?? 0;
      if (at >= 0)
        wrong.push(
          `seed ${seed}, ${subject.name}: "${name}"[${at}] is ${got.get(name)?.[at]}, not ${want?.[at]}\n${text.value.text}`,
        );
    }
  }
  expect(wrong.join("\n")).toBe("");
});
