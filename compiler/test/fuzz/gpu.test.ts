/**
 * Random schedules as CUDA text on a real GPU, against the definition of their graphs: the only proof of what neither the interpreter nor
 * the processor can run as it is, copies that make themselves and tensor cores. WARPFARM_CAMPAIGN=full: hundreds, and also with racecheck.
 */
import { execFileSync } from "node:child_process";
import { Random } from "@warpfarm/common";
import { expect, it } from "vitest";
import { needs } from "../../../test-support/needs.ts";
import { compileProgram } from "../../src/compile.ts";
import type { TensorData } from "../../src/interp/numeric.ts";
import type { Intrinsic } from "../../src/ir/intrinsic.ts";
import type { Schedule } from "../../src/schedule/schedule.ts";
import { type GpuJob, type GpuOutcome, runCudaOnGpu } from "../run-cuda.testing.ts";
import { type Subject, subjectOf } from "../subject.ts";
import { Walk } from "./generate.ts";
import { graphs } from "./graphs.ts";
import { drawTensorCoreProduct } from "./tensor-cores.ts";

const isFull = process.env.WARPFARM_CAMPAIGN === "full";
const TEXTS = isFull ? 400 : 6;
/** So many of them also under racecheck, when all are run. */
const RACECHECKED = 150;
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

/** Undefined when what comes out is right, and what goes in still there. What lies between has whatever layout it was given. */
function mismatch({ graph, expected, inputs }: Subject, got: ReadonlyMap<string, TensorData>): string | undefined {
  for (const { name } of [...graph.outputs, ...graph.inputs]) {
    const want = expected.get(name) ?? inputs.get(name);
    const at = want?.findIndex((x, i) => x !== got.get(name)?.[i]) ?? 0;
    if (at >= 0) return `"${name}"[${at}] is ${got.get(name)?.[at]}, not ${want?.[at]}`;
  }
  return undefined;
}

it.for([
  ["with threads", walked, /threadIdx/],
  ["with pipelines in shared memory", walked, /cp_async_commit/],
  ["of tensor cores", multiplied, /\.sync/],
  ["of tensor cores with copies that make themselves", multiplied, /cp_async_\d/],
] as const)(`${TEXTS} random schedules %s agree with the definition of their graphs on a GPU`, async ([, draw, wants], ctx) => {
  needs(ctx, "gpu", "nvcc");
  const query = ["--query-gpu=compute_cap", "--format=csv,noheader", "--id=0"];
  const arch = `sm_${execFileSync("nvidia-smi", query, { encoding: "utf8" }).trim().replace(".", "")}`;
  const jobs: (Drawn & GpuJob & { readonly seed: number })[] = [];
  for (let seed = FIRST_SEED; jobs.length < TEXTS; seed++) {
    const drawn = draw(new Random(seed));
    const text = drawn && compiled(drawn, `cuda/${arch}`);
    if (drawn && text?.ok && wants.test(text.value.text))
      jobs.push({ ...drawn, seed, text: text.value, given: drawn.subject.inputs });
  }
  const wrong: string[] = [];
  const judge = (outcomes: readonly GpuOutcome[]): void => {
    for (const [i, outcome] of outcomes.entries()) {
      const { seed, name, subject, text } = jobs[i] as (typeof jobs)[number];
      const why = typeof outcome === "string" ? outcome : mismatch(subject, outcome);
      if (why) wrong.push(`seed ${seed}, ${name}: ${why}\n${text.text}`);
    }
  };
  const begun = performance.now();
  judge(await runCudaOnGpu(jobs, arch));
  if (isFull) {
    const run = performance.now();
    judge(await runCudaOnGpu(jobs.slice(0, RACECHECKED), arch, true));
    const [all, checked] = [run - begun, performance.now() - run].map((ms) => (ms / 1000).toFixed(0));
    console.log(`${TEXTS} built and run in ${all} s, ${RACECHECKED} of them with racecheck in ${checked} s`);
  }
  expect(wrong.join("\n\n")).toBe("");
});
