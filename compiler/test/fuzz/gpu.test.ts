/**
 * Random schedules as CUDA text on a real GPU, against the definition of their graphs: the only proof of what neither the
 * interpreter nor the processor can run as it is, copies that make themselves and tensor cores. Each runs as it is, and with its
 * warps held up at random, which a missing barrier does not survive for long. WARPFARM_CAMPAIGN=full: hundreds, and also with
 * racecheck, which sees neither cp.async nor ldmatrix; and how often a barrier or a wait for copies that was taken out is
 * noticed.
 */
import { execFileSync } from "node:child_process";
import { Random } from "@warpfarm/common";
import { expect, it, type TestContext } from "vitest";
import { isFull } from "../../../test-support/campaign.ts";
import { needs } from "../../../test-support/needs.ts";
import { drawBoxes } from "../../../test-support/programs/boxes.ts";
import { Walk } from "../../../test-support/programs/generate.ts";
import { graphs } from "../../../test-support/programs/graphs.ts";
import { laterMoves } from "../../../test-support/programs/moves.ts";
import { drawTensorCoreProduct } from "../../../test-support/programs/tensor-cores.ts";
import { drawWarpgroups } from "../../../test-support/programs/warpgroups.ts";
import { compileProgram } from "../../src/compile.ts";
import type { Intrinsic } from "../../src/ir/intrinsic.ts";
import type { TensorData } from "../../src/ir/numeric.ts";
import type { Schedule } from "../../src/schedule/schedule.ts";
import { type GpuJob, type GpuOutcome, runCudaOnGpu, type SanitizerTool } from "../run-cuda.testing.ts";
import { type Subject, subjectOf } from "../subject.ts";

const textCount = isFull ? 400 : 6;
/** So many of them also under racecheck, when all are run. */
const racechecked = 150;
const firstSeed = isFull ? 1_000_000 : 1;
/** So many texts each lose something that they need. */
const spoiledCount = 24;
/** A text that lacks a wait may hang until the launcher is ended, and a sanitizer takes seconds to begin. */
const spoiltPatienceMs = 12_000;

interface Drawn {
  readonly name: string;
  readonly subject: Subject;
  readonly schedule: Schedule;
  readonly intrinsics: readonly Intrinsic[];
}

const subjects = Object.entries(graphs).map(([name, make]) => ({ name, subject: subjectOf(make()) }));
function walked(random: Random): Drawn | undefined {
  const { name, subject } = random.pick(subjects);
  const schedule = new Walk(subject.graph, random, "cuda", new Map(), laterMoves).run(6 + random.below(7));
  return schedule && { name, subject, schedule, intrinsics: [] };
}
function multiplied(random: Random): Drawn | undefined {
  const product = drawTensorCoreProduct(random);
  return product && { ...product, subject: subjectOf(product.graph, ...product.range) };
}

function fed(random: Random): Drawn | undefined {
  const product = drawTensorCoreProduct(random, true);
  return product && { ...product, subject: subjectOf(product.graph, ...product.range) };
}
function boxed(random: Random): Drawn | undefined {
  const program = drawBoxes(random);
  return program && { ...program, subject: subjectOf(program.graph), intrinsics: [] };
}

function ofWarpgroups(random: Random): Drawn | undefined {
  const product = drawWarpgroups(random);
  return product && { ...product, subject: subjectOf(product.graph, ...product.range), intrinsics: product.schedule.intrinsics };
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

type Job = Drawn & GpuJob & { readonly seed: number };

const kinds = [
  ["with threads", walked, /threadIdx/],
  ["with pipelines in shared memory", walked, /cp_async_commit/],
  ["of tensor cores", multiplied, /\.sync/],
  ["of tensor cores with copies that make themselves", multiplied, /cp_async_\d/],
  ["of boxes", boxed, /tma_(load|store)_/],
  ["of tensor cores fed by the copy engine", fed, /tma_load_/],
  ["of warpgroups fed by the copy engine", ofWarpgroups, /wgmma_commit/],
] as const;
type Kind = (typeof kinds)[number];

function archHere(): string {
  const query = ["--query-gpu=compute_cap", "--format=csv,noheader", "--id=0"];
  return `sm_${execFileSync("nvidia-smi", query, { encoding: "utf8" }).trim().replace(".", "")}`;
}
/** What is of the architecture's own features is built for them. */
const builtFor = ([, draw]: Kind, arch: string): string => (draw === ofWarpgroups ? `${arch}a` : arch);

/** The first `textCount` whose texts hold what is wanted. */
function drawJobs(kind: Kind, arch: string): readonly Job[] {
  const [, draw, wants] = kind;
  const jobs: Job[] = [];
  for (let seed = firstSeed; jobs.length < textCount; seed++) {
    const drawn = draw(new Random(seed));
    const text = drawn && compiled(drawn, `cuda/${builtFor(kind, arch)}`);
    if (drawn && text?.ok && wants.test(text.value.text))
      jobs.push({ ...drawn, seed, text: text.value, given: drawn.subject.inputs });
  }
  return jobs;
}
const kept = new Map<string, readonly Job[]>();
/** Drawn once: that takes as long as running them. */
function jobsOf(kind: Kind, arch: string): readonly Job[] {
  const jobs = kept.get(kind[0]) ?? drawJobs(kind, arch);
  kept.set(kind[0], jobs);
  return jobs;
}

/**
 * Holds up every other warp for a moment, others each time. Not inlined: with its lines among a kernel's, nvcc 13.0 got one text
 * of 1,600 wrong (sums of int8 products two elements apart as dp2a, which takes the bytes between for upper halves), whatever the
 * threads did.
 */
const skew = `
static __device__ __noinline__ void skew(unsigned at) {
  unsigned now, warp = (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) / 32;
  asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(now));
  unsigned h = ((now >> 16) + warp * 0x9e3779b9u + at * 0x85ebca6bu) * 0xc2b2ae35u;
  if (((h ^ h >> 15) * 0x27d4eb2fu) >> 31) __nanosleep(1000);
}
`;
const withText = <J extends Job>(job: J, text: string): J => ({ ...job, text: { ...job.text, text } });
/**
 * Held up before each stage of a kernel, where a line says which it is; one with products in flight also before each wait for
 * boxes. That one is inlined: a call waits for the products.
 */
function skewed(job: Job): Job {
  let at = 0;
  const isUnderWay = job.text.text.includes("wgmma_commit");
  const places = isUnderWay ? /^( +)(?=\/\/ |mbarrier_wait\()/gm : /^( +)(?=\/\/ )/gm;
  const text = job.text.text.replace(places, (indent) => `${indent}skew(${at++});\n${indent}`);
  const helper = isUnderWay ? skew.replace("__noinline__", "__forceinline__") : skew;
  return withText(job, text.replace(/^(?=static|struct|extern)/m, helper));
}
const whatIsWrong = ({ subject }: Job, outcome: GpuOutcome): string | undefined =>
  typeof outcome === "string" ? outcome : mismatch(subject, outcome);

function skipIfUnknown(kind: Kind, ctx: TestContext): void {
  const arch = archHere();
  if (/tma_/.test(String(kind[2])) && Number(arch.slice(3)) < 90) ctx.skip("the copy engine is of 9.0 and later");
  if (kind[1] === ofWarpgroups && arch !== "sm_90") ctx.skip("warpgroups multiply on 9.0 alone");
}

it.for(kinds)(`${textCount} random schedules %s agree with the definition of their graphs on a GPU`, async (kind, ctx) => {
  needs(ctx, "gpu", "nvcc");
  skipIfUnknown(kind, ctx);
  const arch = archHere();
  const jobs = jobsOf(kind, arch);
  const wrong: string[] = [];
  const judge = (how: string, given: readonly Job[], outcomes: readonly GpuOutcome[]): void => {
    for (const [i, outcome] of outcomes.entries()) {
      const job = given[i] as Job;
      const why = whatIsWrong(job, outcome);
      if (why) wrong.push(`seed ${job.seed}, ${job.name}, ${how}: ${why}\n${job.text.text}`);
    }
  };
  const run = async (how: string, given: readonly Job[], tool?: SanitizerTool): Promise<string> => {
    const begun = performance.now();
    judge(how, given, await runCudaOnGpu(given, builtFor(kind, arch), { tool }));
    return `${given.length} ${how} in ${((performance.now() - begun) / 1000).toFixed(0)} s`;
  };
  const done = [await run("as they are", jobs), await run("with warps held up", jobs.map(skewed))];
  if (isFull) done.push(await run("with racecheck", jobs.slice(0, racechecked), "racecheck"));
  if (isFull) console.log(`${done.join(", ")}: ${wrong.length} wrong`);
  expect(wrong.join("\n\n")).toBe("");
});

interface Flaw {
  readonly what: string;
  readonly part: RegExp;
  /** Whether a kernel needs that part, given its text and its threads a block. */
  readonly isNeeded: (text: string, threads: number) => boolean;
  /** What stands in its place; absent = nothing. */
  readonly instead?: (part: string) => string;
}
const flaws: readonly Flaw[] = [
  // One thread needs no barrier, nor does a warp that goes through fragments as one.
  {
    what: "barriers",
    part: /__syncthreads\(\);/g,
    // Without the one behind its making, a barrier in memory is waited for until the launcher ends the process.
    isNeeded: (text, threads) =>
      text.includes("__syncthreads()") && !text.includes("mbarrier_init") && threads > (text.includes("tile_") ? 32 : 1),
  },
  {
    what: "waits for boxes",
    part: /(?<=^ +)mbarrier_wait\([^;]*\);(?=\n +__syncwarp)/gm,
    isNeeded: (text) => /tma_load_/.test(text),
  },
  {
    what: "waits for products",
    part: /wgmma_wait_\d\(\);/g,
    isNeeded: (text) => text.includes("wgmma_wait_"),
  },
  {
    what: "barriers of all threads, of which one warp stays away",
    part: /(?<=^ +)(?:__syncthreads|consumers_meet_\d+)\(\);/gm,
    // Whoever waits for a thread that stays away waits for ever: the launcher's end, or synccheck, says so.
    isNeeded: (text, threads) => threads > 32 && text.includes("mbarrier_init"),
    instead: (barrier) => `if (threadIdx.x >= 32) ${barrier}`,
  },
  {
    what: "waits for copies",
    part: /cp_async_wait_\d+\(\);/g,
    isNeeded: (text) => /cp_async_wait_\d+\(\)/.test(text) && /cp_async_(4|8|16)(_or_zero)?\(\(/.test(text),
  },
];
function hasNeedOf({ isNeeded }: Flaw, { text: { text, kernels } }: Job): boolean {
  const bodies = text.split('extern "C" __global__').slice(1);
  return kernels.some(({ name, block: [x, y, z] }) =>
    isNeeded(bodies.find((body) => new RegExp(`\\b${name}\\(`).test(body)) ?? "", x * y * z),
  );
}
function withoutOne({ part, instead = () => "" }: Flaw, text: string, random: Random): string {
  let left = random.below(text.match(part)?.length ?? 1);
  return text.replace(part, (found) => (left-- === 0 ? instead(found) : found));
}

/** How many of them are noticed, by what; prints a line for all such parts taken out, and one for one of them. */
async function countNoticed(kind: Kind, flaw: Flaw, jobs: readonly Job[]): Promise<readonly number[]> {
  const { what, part, instead = () => "" } = flaw;
  const counts: number[] = [];
  for (const [which, spoil] of [
    ["all", (text: string) => text.replace(part, instead)],
    ["one", (text: string, seed: number) => withoutOne(flaw, text, new Random(seed))],
  ] as const) {
    const spoiled = jobs.map((job) => withText(job, spoil(job.text.text, job.seed)));
    const noticed = async (given: readonly Job[], tool?: SanitizerTool) =>
      (await runCudaOnGpu(given, builtFor(kind, archHere()), { tool, patienceMs: spoiltPatienceMs })).map(
        (outcome, i) => whatIsWrong(jobs[i] as Job, outcome) !== undefined,
      );
    const found = [await noticed(spoiled), await noticed(spoiled.map(skewed))];
    for (const tool of ["racecheck", "synccheck"] as const) found.push(await noticed(spoiled, tool));
    const [values, held, races, meetings] = found.map((of) => of.filter(Boolean).length);
    const any = jobs.filter((_, i) => found.some((of) => of[i])).length;
    const missed = jobs.filter((_, i) => !found.some((of) => of[i])).map(({ seed }) => seed);
    console.log(
      `${kind[0]}, ${which} of the ${what} taken out: ${any} of ${jobs.length} noticed; ${values} as they are, ${held} with warps held up, ${races} by racecheck, ${meetings} by synccheck; not: ${missed.join(" ")}`,
    );
    counts.push(any);
  }
  return counts;
}

/** Part of the campaign. */
const spoilt = (isFull ? kinds : []).flatMap((kind) => flaws.map((flaw) => [kind[0], flaw.what, kind, flaw] as const));

it.for(spoilt)("schedules %s that lack %s are noticed on a GPU", async ([, what, kind, flaw], ctx) => {
  needs(ctx, "gpu", "nvcc");
  skipIfUnknown(kind, ctx);
  const jobs = jobsOf(kind, archHere())
    .filter((job) => hasNeedOf(flaw, job))
    .slice(0, spoiledCount);
  if (jobs.length === 0) ctx.skip(`none has ${what}`);
  // Not of each: where no wait for products is left at all, ptxas puts in its own (C7517), and nothing is wrong.
  expect(Math.max(...(await countNoticed(kind, flaw, jobs)))).toBeGreaterThan(0);
});
