/**
 * A few of the random schedules as text, through this machine's compilers: what the interpreter cannot see. C with all warnings
 * as errors; CUDA, of several threads a block and before cp.async, block by block with the threads in two orders.
 */
import { Random } from "@warpfarm/common";
import { expect, it } from "vitest";
import { isFull } from "../../../test-support/campaign.ts";
import { needs } from "../../../test-support/needs.ts";
import { type Flavour, Walk } from "../../../test-support/programs/generate.ts";
import { graphs } from "../../../test-support/programs/graphs.ts";
import { laterMoves } from "../../../test-support/programs/moves.ts";
import { runC, runCudaOnHost } from "../../../test-support/run-c.ts";
import { compileProgram } from "../../src/compile.ts";
import type { TensorData } from "../../src/ir/numeric.ts";
import type { DeviceText } from "../../src/target/index.ts";
import { type Subject, subjectOf } from "../subject.ts";

const textCount = isFull ? 12 : 5;
/** Its float16 goes through PTX. */
const notOnHost = "diamond";

/** What is wrong with `textCount` random schedules, by their seeds. `wants` chooses among the texts. */
function wrongTexts(
  target: string,
  flavour: Flavour,
  names: readonly string[],
  wants: (text: string) => boolean,
  run: (text: DeviceText, given: ReadonlyMap<string, TensorData>) => ReadonlyMap<string, TensorData>,
): string[] {
  const subjects = names.map((name): Subject & { name: string } => ({
    name,
    ...subjectOf((graphs[name] as () => Subject["graph"])()),
  }));
  const wrong: string[] = [];
  let texts = 0;
  for (let seed = 1; texts < textCount; seed++) {
    const random = new Random(seed);
    const subject = subjects[seed % subjects.length] as (typeof subjects)[number];
    const schedule = new Walk(subject.graph, random, flavour, new Map(), laterMoves).run(6 + random.below(7));
    // Neither processors nor sm_75 have a copy engine.
    if (!schedule || schedule.trace.some(({ op }) => op === "copy_by")) continue;
    const text = compileProgram({ version: 1, kind: "schedule", target, graph: subject.graph, trace: schedule.trace });
    if (!text.ok) throw new Error(`seed ${seed}: ${text.error.message}`);
    if (!wants(text.value.text)) continue;
    texts++;
    const got = run(text.value, subject.inputs);
    for (const { name } of subject.graph.outputs) {
      const want = subject.expected.get(name);
      const at = want?.findIndex((x, i) => x !== got.get(name)?.[i]) ?? 0;
      if (at >= 0)
        wrong.push(
          `seed ${seed}, ${subject.name}: "${name}"[${at}] is ${got.get(name)?.[at]}, not ${want?.[at]}\n${text.value.text}`,
        );
    }
  }
  return wrong;
}

it(`${textCount} random schedules agree with the definition of their graphs as compiled C`, (ctx) => {
  needs(ctx, "cc");
  // A cache that is filled under the guard it is read under looks uninitialised to the compiler; the interpreter knows better.
  const run = (text: DeviceText, given: ReadonlyMap<string, TensorData>) => runC(text, given, ["-Wno-maybe-uninitialized"]);
  expect(wrongTexts("cpu/x86-64-v2", "cpu", Object.keys(graphs), () => true, run).join("\n")).toBe("");
});

it(`${textCount} random schedules agree with the definition of their graphs as CUDA text`, (ctx) => {
  needs(ctx, "c++");
  const names = Object.keys(graphs).filter((name) => name !== notOnHost);
  const wants = (text: string) => text.includes("threadIdx");
  expect(wrongTexts("cuda/sm_75", "cuda", names, wants, runCudaOnHost).join("\n")).toBe("");
});
