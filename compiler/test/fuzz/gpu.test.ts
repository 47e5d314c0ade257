/**
 * Random schedules as CUDA text on a real GPU, against the definition of their graphs: the only proof of what neither the interpreter nor
 * the processor can run as it is, copies that make themselves and tensor cores. WARPFARM_CAMPAIGN=full: hundreds, and also with racecheck.
 */
import { execFileSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { Random } from "@warpfarm/common";
import { expect, it } from "vitest";
import { needs } from "../../../test-support/needs.ts";
import { compileProgram } from "../../src/compile.ts";
import type { Intrinsic } from "../../src/ir/intrinsic.ts";
import type { Schedule } from "../../src/schedule/schedule.ts";
import type { DeviceText } from "../../src/target/index.ts";
import { runCudaOnGpu } from "../run-cuda.testing.ts";
import { type Subject, subjectOf } from "../subject.ts";
import { Walk } from "./generate.ts";
import { graphs } from "./graphs.ts";
import { drawTensorCoreProduct } from "./tensor-cores.ts";

const isFull = process.env.WARPFARM_CAMPAIGN === "full";
const TEXTS = isFull ? 250 : 6;
const FIRST_SEED = isFull ? 1_000_000 : 1;

interface Drawn {
  readonly name: string;
  readonly subject: Subject;
  readonly schedule: Schedule;
  readonly intrinsics: readonly Intrinsic[];
}

const subjects = Object.entries(graphs).map(([name, make]) => ({ name, subject: subjectOf(make()) }));
function walked(random: Random): Drawn | undefined {
  const { name, subject } = random.pick(subjects);
  const schedule = new Walk(subject.graph, random, "cuda", new Map()).run(6 + random.below(7));
  return schedule && { name, subject, schedule, intrinsics: [] };
}
function multiplied(random: Random): Drawn | undefined {
  const product = drawTensorCoreProduct(random);
  return product && { ...product, subject: subjectOf(product.graph, ...product.range) };
}

const compiled = ({ subject, schedule, intrinsics }: Drawn, target: string) =>
  compileProgram({ version: 1, kind: "schedule", target, graph: subject.graph, trace: schedule.trace, intrinsics });

/** Undefined when what comes out is right, and what goes in still there. */
async function wrongOnGpu({ subject, name }: Drawn, text: DeviceText): Promise<string | undefined> {
  try {
    const got = await runCudaOnGpu(text, subject.inputs, { racecheck: isFull });
    for (const [tensor, want] of [...subject.expected, ...subject.inputs]) {
      const values = got.get(tensor);
      const at = values === undefined ? -1 : want.findIndex((x, i) => x !== values[i]);
      if (at >= 0) return `${name}: "${tensor}"[${at}] is ${values?.[at]}, not ${want[at]}\n${text.text}`;
    }
    return undefined;
  } catch (error) {
    return `${name}: ${(error as Error).message}\n${text.text}`;
  }
}

it.for([
  ["with threads", walked, /threadIdx/],
  ["with copies that make themselves", walked, /cp_async/],
  ["of tensor cores", multiplied, /\.sync/],
] as const)(`${TEXTS} random schedules %s agree with the definition of their graphs on a GPU`, async ([, draw, wants], ctx) => {
  needs(ctx, "gpu", "nvcc");
  const query = ["--query-gpu=compute_cap", "--format=csv,noheader", "--id=0"];
  const target = `cuda/sm_${execFileSync("nvidia-smi", query, { encoding: "utf8" }).trim().replace(".", "")}`;
  const wrong: string[] = [];
  let [texts, seed] = [0, FIRST_SEED];
  const lane = async (): Promise<void> => {
    while (texts < TEXTS && wrong.length < 10) {
      // Neighbouring seeds begin with draws that resemble each other.
      const drawn = draw(new Random(Math.imul(++seed, 0x9e3779b1)));
      const text = drawn && compiled(drawn, target);
      if (!drawn || !text?.ok || !wants.test(text.value.text)) continue;
      texts++;
      const of = seed;
      const why = await wrongOnGpu(drawn, text.value);
      if (why) wrong.push(`seed ${of}, ${why}`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, lane));
  expect(wrong.join("\n\n")).toBe("");
  expect(texts).toBe(TEXTS);
});
