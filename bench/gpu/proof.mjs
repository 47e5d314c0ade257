/**
 * The proof on a GPU, within nine minutes: `npm run build && node bench/gpu/proof.mjs`. Sections, each in a process of its own:
 *
 *   tune       250 random trials of the tutorial's convolution on the embedded farm; with what a trial costs beyond its timed events
 *   published  the 20 configs of the tutorial's log, and AutoTVM's best on an H100: valid, checked, times by both timers
 *   spread     ten kernels from 2 us to 5 ms, 20 times each; the same by a C program with a CUDA graph, and by Nsight Compute; and how much
 *              each varies while graph, code and buffers stay where they are, and when they move
 *   faults     200 candidates of which 80 hang, write astray, ask for too much or compute wrongly
 *   takeover   from a hang's deadline to the next result, 20 times, also two hangs in a row
 *   compile    seconds a kernel in one compile child, how it scales, and nvcc as a subprocess
 *   tests      the tests that need a GPU (node_modules must hold vitest)
 *
 * Results in $OUT/proof.json (or ./out). Options: --only=tune,published  --resume [--from=DIR]  --budget=SECONDS  --dry (no GPU: tries
 * the script)  --device=cpu (section tune on the processor).
 */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createTask } from "../../client/dist/index.js";
import { Random } from "../../common/dist/index.js";
import { gpuLimits } from "../../compiler/dist/index.js";
import { CudaDevice } from "../../runner/dist/device/cuda/cuda-device.js";
import { openCudaDriver } from "../../runner/dist/device/cuda/driver.js";
import { cores, dry, openBuilds, openHost, targetHere } from "./device-host.mjs";
import { compileText, cudaToolchain, tensor } from "./kernels.mjs";
import { placesOf } from "./places.mjs";
import { countLoops } from "./sass.mjs";
import { flag, median, outFolder, percent, runSections, spread, table } from "./sections.mjs";
import { tuningLogFacts } from "./tuning-log-facts.mjs";

const self = fileURLToPath(import.meta.url);
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const TASK = "tutorial/conv2d_no_batching";
const FLOP = 231_501_312;
const us = (seconds) => `${(seconds * 1e6).toFixed(2)} us`;
const root = here("../..");
const scratch = mkdtempSync(join(tmpdir(), "warpfarm-proof-"));

/** What a result is, in few words. */
const words = (r) =>
  r.kind === "timed" ? us(median(r.costs)) : `${r.kind} ${r.errorNo ?? ""} ${r.rule ?? ""}: ${(r.message ?? "").slice(0, 100)}`;

// AutoTVM's figures on an H100 80GB HBM3 (TVM v0.17.0), by its own loop timer.
const peer = { bestIndex: 10_280_619, bestUs: 65.4, secondsPerTrial: 1.04, buildSeconds: [1.7, 2.7] };

/** Index of the printed log, and whether it was valid there (48 KiB of shared memory). */
const printed = [
  [4881186, true],
  [7106118, false],
  [3605182, true],
  [9420813, false],
  [1721347, false],
  [6444505, false],
  [8675766, false],
  [2716108, true],
  [1263092, true],
  [8921130, true],
  [4036575, false],
  [5036371, true],
  [252051, false],
  [5057676, false],
  [3582580, true],
  [9705041, false],
  [4730274, false],
  [5003765, false],
  [4107668, true],
  [2440616, false],
];

/** Runs the command line to its end or its time, with SIGINT then; resolves with its code and the JSON it printed, if any. */
function warpfarm(args, env, seconds) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [here("../../bin/warpfarm.js"), ...args], {
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    let text = "";
    child.stdout.on("data", (chunk) => {
      text += chunk;
    });
    const timer = setTimeout(() => child.kill("SIGINT"), seconds * 1000);
    child.on("close", (code) => {
      clearTimeout(timer);
      const line = text.split("\n").find((l) => l.startsWith("{"));
      resolve({ code, report: line === undefined ? undefined : JSON.parse(line) });
    });
  });
}

async function tuneSection() {
  const device = flag("device") ?? "cuda:0";
  const onGpu = device !== "cpu";
  const [task, trials] = onGpu ? [TASK, 250] : ["conv2d_nchw_cpu", 8];
  const log = join(outFolder, "proof-tune.jsonl");
  writeFileSync(log, "");
  const env = { ...process.env };
  for (const name of ["XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"]) {
    env[name] = join(scratch, name);
    mkdirSync(env[name]);
  }
  const args = [
    "tune",
    task,
    "--device",
    device,
    "--tuner",
    "random",
    "--trials",
    String(trials),
    "--seed",
    "1",
    "--repeat",
    "3",
  ];
  args.push(
    "--min-repeat-ms",
    onGpu ? "100" : "20",
    "--check",
    "reference",
    "--in-flight",
    String(4 * cores),
    "--log",
    log,
    "--json",
  );
  const begun = performance.now();
  const { code, report } = await warpfarm(args, env, 230);
  const withStart = (performance.now() - begun) / 1000;
  const facts = tuningLogFacts(log, report?.wall_seconds);
  const flops = report?.best ? report.best.gflops * report.best.seconds * 1e9 : FLOP;
  const gflops = facts.best ? flops / facts.best.seconds / 1e9 : 0;
  const rows = [
    ["trials", `${facts.trials} of ${trials}, exit ${code}, ${facts.timed} timed`],
    ["best", facts.best ? `index ${facts.best.index}: ${us(facts.best.seconds)}, ${gflops.toFixed(0)} GFLOPS` : "none"],
    ["candidates per second", facts.candidatesPerSecond.toFixed(2)],
    ["wall, first ask to last tell", `${facts.wallSeconds.toFixed(1)} s (command ${withStart.toFixed(1)} s)`],
    ["device busy", `${percent(facts.busyShare)} (from the first run on ${percent(facts.busyShareWhileRunning)})`],
    ["a trial", `${facts.secondsPerTrial.toFixed(3)} s; AutoTVM ${peer.secondsPerTrial} s for a valid one`],
    [
      "beyond timed events, a trial",
      `${facts.overheadMsPerTrial.toFixed(1)} ms of wall; at the runner ${facts.runnerExtraMs?.toFixed(1)} ms`,
    ],
    ["in failed runs", `${facts.failedRunSeconds.toFixed(1)} s`],
    [
      "device without a job",
      `${facts.idle.seconds.toFixed(1)} s: before the first ${facts.idle.beforeFirst.toFixed(1)}, nothing built ${facts.idle.waiting.toFixed(1)} (${percent(facts.idle.waiting / facts.wallSeconds)} of wall), between jobs ${facts.idle.handing.toFixed(1)} (median ${facts.idle.medianMs.toFixed(1)} ms)`,
    ],
    [
      "builds",
      `sum ${facts.buildSeconds.sum.toFixed(0)} s, median ${facts.buildSeconds.median.toFixed(2)}, worst ${facts.buildSeconds.worst.toFixed(1)}`,
    ],
  ];
  table(["tune", device], rows);
  for (const [kind, { count, examples }] of Object.entries(facts.errors)) {
    console.log(`error ${kind}: ${count}`);
    for (const { index, message } of examples) console.log(`    index ${index}: ${message.slice(0, 200)}`);
  }
  return { device, code, gflops, withStart, report, ...facts };
}

async function publishedSection() {
  const target = targetHere();
  const task = createTask(TASK, undefined, target);
  const builds = await openBuilds(cores);
  const host = await openHost();
  try {
    const limits = { device: gpuLimits(target), autotvm: gpuLimits("autotvm") };
    const wanted = [
      ...printed.map(([index, valid], i) => [`log ${i + 1}`, index, valid]),
      ["AutoTVM's best", peer.bestIndex, true],
    ];
    const reference = await builds.build(task.reference);
    const building = wanted.map(async ([name, at, validInLog]) => {
      const index = task.space.toIndex(at);
      const verdict = (l) => task.validate(index, l)[0];
      const agrees = (verdict(limits.autotvm) === undefined) === validInLog;
      const refusal = verdict(limits.device);
      if (refusal !== undefined) return { name, index: at, agrees, refusal };
      const made = task.instantiate(index);
      return { name, index: at, agrees, ...(made.ok ? await builds.build(made.value.program) : { refusal: made.error }) };
    });
    const rows = [];
    const kept = [];
    for (const built of building) {
      const { name, index, agrees, refusal, refused, artifact, ms } = await built;
      const row = { name, index, agreesWithLog: agrees, refusal: refusal?.message, buildMs: ms };
      if (refused) row.refused = refused.message;
      if (artifact) {
        row.graph = await host.run(artifact, reference.artifact);
        row.events = await host.run(artifact, reference.artifact, { timer: "events" });
        row.resources = artifact.manifest.resources;
      }
      kept.push(row);
      rows.push([
        name,
        index,
        agrees ? "as in the log" : "NOT as in the log",
        row.graph ? words(row.graph) : `${refusal?.message ?? refused?.message}`.slice(0, 70),
        row.events ? words(row.events) : "",
        row.graph?.checked ? "agrees" : "",
        ms === undefined ? "" : (ms / 1000).toFixed(1),
      ]);
    }
    table(["config", "index", "48 KiB verdict", "by graph", "by events", "output", "build s"], rows);
    const best = kept.at(-1).graph;
    if (best?.kind === "timed")
      console.log(`AutoTVM's best: ${us(median(best.costs))} here, ${peer.bestUs} us by AutoTVM's loop timer`);
    return kept;
  } finally {
    await host.close();
    await builds.close();
  }
}

/** A grid that keeps the GPU busy for about as long as LOOPS says: dependent multiply-adds, one store. */
const BLOCKS = 264;
const work = (loops) => `extern "C" __global__ void __launch_bounds__(256) kernel(const float *x, float *y) {
  int i = blockIdx.x * 256 + threadIdx.x;
  float v = x[i];
  for (int k = 0; k < ${loops}; ++k) v = fmaf(v, 0.999f, 0.001f);
  y[i] = v;
}
`;
const workBuffers = [tensor("x", "in", "float32", [BLOCKS * 256]), tensor("y", "out", "float32", [BLOCKS * 256])];
/** Loops of `work`; about 2 ns each on an H100. */
const workLoops = [405, 12_000, 2_400_000];

/** Random configs that build fast, over layers of several sizes: kernels from a few microseconds to some milliseconds. */
async function templateKernels(target, builds) {
  const random = new Random(3);
  const jobs = [];
  for (const [channels, height] of [
    [32, 7],
    [64, 14],
    [128, 14],
    [512, 7],
    [512, 14],
  ]) {
    const task = createTask(TASK, { H: height, W: height, CO: channels, CI: channels }, target);
    const limits = gpuLimits(target);
    const reference = builds.build(task.reference);
    const perStep = task.space.size / 6;
    for (let found = 0, tries = 0; found < (dry ? 1 : 5) && tries < 500; tries++) {
      const index = task.space.toIndex(random.below(perStep));
      if (task.validate(index, limits).length > 0) continue;
      const made = task.instantiate(index);
      if (!made.ok) continue;
      found++;
      jobs.push(
        Promise.all([builds.build(made.value.program, 15_000), reference]).then(([built, ref]) =>
          built.artifact && ref.artifact
            ? { name: `conv ${channels}x${height}x${height} #${index}`, artifact: built.artifact, reference: ref.artifact }
            : undefined,
        ),
      );
    }
  }
  return (await Promise.all(jobs)).filter((kernel) => kernel !== undefined);
}

async function spreadSection() {
  const target = targetHere();
  const toolchain = await cudaToolchain();
  const builds = await openBuilds(cores);
  const host = await openHost();
  let chosen;
  try {
    const found = await templateKernels(target, builds);
    const shape = { grid: [BLOCKS, 1, 1], block: [256, 1, 1] };
    for (const loops of workLoops) {
      const artifact = await compileText(toolchain, work(loops), target, workBuffers, shape);
      found.push({ name: `multiply-adds ${loops}`, artifact, reference: artifact, synthetic: true });
    }
    for (const kernel of found) {
      const first = await host.run(kernel.artifact, kernel.reference, { repeat: 1, minRepeatMs: 5, runTimeoutMs: 2000 });
      kernel.seconds = first.kind === "timed" ? first.costs[0] : undefined;
      if (first.kind !== "timed") console.log(`${kernel.name}: ${words(first)}`);
    }
    chosen = chooseTen(found.filter((kernel) => kernel.seconds !== undefined));
    for (const kernel of chosen) Object.assign(kernel, { values: [], within: [] });
    for (let round = 0; round < (dry ? 2 : 20); round++)
      for (const kernel of chosen) {
        const result = await host.run(kernel.artifact, kernel.reference, { repeat: 3, minRepeatMs: 30 });
        if (result.kind !== "timed") throw new Error(`${kernel.name}: ${words(result)}`);
        kernel.values.push(median(result.costs) * 1e6);
        kernel.within.push(spread(result.costs));
        kernel.observed = result.observations;
      }
  } finally {
    await host.close();
    await builds.close();
  }
  let places = [];
  try {
    if (!dry) places = placesOf(new CudaDevice(openedDriver(), 0), chosen);
  } catch (error) {
    console.log(`where times vary was not measured: ${error.message}`);
  }
  const others = otherTimers(chosen.map(({ artifact }) => artifact));
  const rows = [];
  const kept = chosen.map(({ name, values, within, observed }, i) => {
    const mid = median(values);
    const c = others.c?.[i].map(median);
    const ncu = others.ncu?.[i];
    const shown = (x) => (x === undefined ? "-" : percent(x));
    rows.push([
      name,
      mid.toFixed(3),
      percent(spread(values)),
      percent(median(within)),
      ...["same", "graph", "module", "buffers"].map((what) => shown(places[i]?.[what].spread)),
      c === undefined ? "-" : median(c).toFixed(3),
      c === undefined ? "-" : percent(spread(c)),
      c === undefined ? "-" : (mid / median(c)).toFixed(4),
      ncu === undefined ? "-" : median(ncu).toFixed(3),
      ncu === undefined || mid < NCU_FROM_US ? "-" : (mid / median(ncu)).toFixed(4),
    ]);
    return { name, median: mid, spread: spread(values), values, within, places: places[i], c, ncu, observed };
  });
  table(
    [
      "kernel",
      "us",
      "of 20",
      "in one",
      "same",
      "graph",
      "module",
      "buffers",
      "C graph us",
      "of 8 loads",
      "ratio",
      "ncu us",
      "ratio",
    ],
    rows,
  );
  console.log(
    "of 20: spread of 20 measurements; in one: of the repeats of one. same, graph, module, buffers: of 8 batches with nothing made anew, a new graph, new code, new buffers each",
  );
  console.log(`ncu counts the way to the first block as well, about 1.2 us a launch: compared from ${NCU_FROM_US} us on`);
  for (const note of others.notes) console.log(note);
  return { kernels: kept, notes: others.notes };
}

const NCU_FROM_US = 128;

function openedDriver() {
  const opened = openCudaDriver();
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}

/** Ten of them whose times are about evenly apart on a logarithmic scale from 2 us to 5 ms. */
export function chooseTen(kernels) {
  const left = [...kernels];
  const chosen = [];
  for (let i = 0; i < 10 && left.length > 0; i++) {
    const wanted = Math.log(2e-6) + (i * Math.log(2500)) / 9;
    left.sort((a, b) => Math.abs(Math.log(a.seconds) - wanted) - Math.abs(Math.log(b.seconds) - wanted));
    chosen.push(left.shift());
  }
  return chosen.sort((a, b) => a.seconds - b.seconds);
}

/** The C program's and Nsight Compute's times of the same cubins; what could not be had is a note. */
function otherTimers(artifacts) {
  const notes = [];
  const specs = join(scratch, "specs");
  writeFileSync(
    specs,
    artifacts
      .map(({ manifest, codePath }) => {
        const [kernel] = manifest.kernels;
        const bytes = kernel.args.map((arg) => manifest.buffers.find((b) => b.name === arg).bytes);
        return [codePath, kernel.name, ...kernel.grid, ...kernel.block, kernel.dynamic_shared_bytes, bytes.length, ...bytes].join(
          " ",
        );
      })
      .join("\n")
      .concat("\n"),
  );
  if (artifacts.some(({ manifest }) => manifest.kernels.length !== 1))
    notes.push("a program has several kernels: ratios are wrong");
  const clock = join(scratch, "clock");
  const attempt = (what, work) => {
    try {
      return work();
    } catch (error) {
      notes.push(
        `${what}: ${String(error.stderr ?? error.message ?? error)
          .trim()
          .slice(0, 400)}`,
      );
      return undefined;
    }
  };
  const includes = ["/usr/local/cuda/include", "/usr/local/cuda/targets/x86_64-linux/include"].map((folder) => `-I${folder}`);
  const compile = (cc, flags) =>
    execFileSync(cc, [...flags, "-O2", ...includes, here("clock.c"), "-o", clock, "-ldl"], { stdio: "pipe" });
  const built =
    attempt("cc", () => compile("cc", [])) ??
    attempt("gcc", () => compile("gcc", [])) ??
    attempt("nvcc", () => compile("nvcc", []));
  if (built === undefined) return { notes };
  const say = (file, args) => execFileSync(file, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], timeout: 60_000 });
  const c = attempt("clock", () =>
    say(clock, [specs])
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).us),
  );
  const N = 10;
  const ncu = attempt("ncu", () => {
    const args = [
      "--set",
      "none",
      "--metrics",
      "gpu__time_duration.sum",
      "--clock-control",
      "none",
      "--cache-control",
      "none",
      "--csv",
    ];
    return perKernel(ncuMicroseconds(say("ncu", [...args, clock, specs, "plain", String(N)])), N + 1, artifacts.length);
  });
  return { c, ncu, notes };
}

/** gpu__time_duration.sum of each launch, from ncu's CSV. */
export function ncuMicroseconds(csv) {
  const toUs = { ns: 1e-3, nsecond: 1e-3, us: 1, usecond: 1, ms: 1e3, msecond: 1e3, s: 1e6, second: 1e6 };
  return csv
    .split("\n")
    .filter((line) => line.includes('"gpu__time_duration.sum"'))
    .map((line) => {
      const [, unit, value] = /"gpu__time_duration\.sum","(\w+)","([\d.,]+)"/.exec(line) ?? [];
      if (!(unit in toUs)) throw new Error(`ncu's line is not understood: ${line}`);
      return Number(value.replaceAll(",", "")) * toUs[unit];
    });
}
/** In launch order, the first of each kernel left out. */
function perKernel(values, each, kernels) {
  if (values.length !== each * kernels) throw new Error(`ncu saw ${values.length} launches, not ${each * kernels}`);
  return Array.from({ length: kernels }, (_, k) => values.slice(k * each + 1, (k + 1) * each));
}

const N = 1 << 16;
const faultBuffers = [tensor("x", "in", "float32", [N]), tensor("y", "out", "float32", [N])];
const faultShape = { grid: [N / 256, 1, 1], block: [256, 1, 1] };
const faultText = (body, before = "") =>
  `${before}extern "C" __global__ void kernel(float *x, float *y) { int i = blockIdx.x * 256 + threadIdx.x; ${body} }\n`;
const good = "y[i] = 2.0f * x[i];";

/** By what they do: texts, launch shapes, and what the result must be. `errorNo` 4 runtime, 5 wrong answer, 7 run timeout, 2 refused by the compiler. */
export const faultKinds = {
  right: {
    count: 120,
    is: (r) => r.kind === "timed" && r.checked,
    make: (k) => ({ text: faultText(k % 2 ? good : `y[i] = x[i] + x[i]; /* ${k} */`) }),
  },
  hangs: {
    count: 20,
    is: (r) => r.errorNo === 7,
    // Loops that the compiler may not prove useless; --dry looks for them in the machine code.
    make: (k) => ({
      loops: true,
      text: faultText(
        [
          `if (i == ${k}) for (;;) asm volatile("nanosleep.u32 100;"); ${good}`,
          `volatile float *seen = x; float first = seen[i]; y[i] = 2.0f * first; if (i == ${k}) while (seen[i] == first) {}`,
          `${good} if (i >= ${k}) for (;;) asm volatile("" ::: "memory");`,
          `${good} __shared__ volatile int go; if (threadIdx.x == 0) go = ${k}; __syncthreads(); if (blockIdx.x == 0) while (go == ${k}) {}`,
        ][k % 4],
      ),
    }),
  },
  astray: {
    count: 20,
    is: (r) => r.errorNo === 4 && ["CUDA_ERROR_ILLEGAL_ADDRESS", "out_of_bounds_write"].includes(r.rule),
    make: (k) => ({
      text: faultText(
        [
          `${good} if (i == 7) y[${N} + ${k}] = 1.0f;`,
          `${good} if (i == 7) y[-1 - ${k}] = 1.0f;`,
          `${good} if (i == 7) y[(1ll << 40) + ${k}] = 1.0f;`,
          `${good} if (i == 7) x[${k}] = 9.0f;`,
          `${good} if (i == 7) *(float *)${16 + 4 * k}ull = 1.0f;`,
        ][k % 5],
      ),
    }),
  },
  "asks for too much": {
    count: 20,
    is: (r) =>
      (r.errorNo === 4 && /INVALID_VALUE|OUT_OF_RESOURCES|INVALID_CONFIGURATION/.test(r.rule)) || r.rule === "ptxas.resources",
    make: (k) =>
      [
        { text: faultText(good), over: { block: [1056 + 32 * k, 1, 1] } },
        { text: faultText(good), over: { dynamic_shared_bytes: 240_000 + 1024 * k } },
        { text: faultText(`__shared__ float s[${20_000 + k}]; s[i & 255] = x[i]; __syncthreads(); y[i] = 2.0f * s[i & 255];`) },
        { text: registers(k), over: { grid: [N / 1024, 1, 1], block: [1024, 1, 1] } },
      ][k % 4],
  },
  "computes wrongly": {
    count: 20,
    is: (r) => r.errorNo === 5,
    make: (k) => ({
      text: faultText(
        [
          `y[i] = i == ${777 + k} ? 1.25f : 2.0f * x[i];`,
          `if (i < ${N} - 1 - ${k}) ${good}`,
          `y[i] = ${(2 + 0.001 * (k + 1)).toFixed(4)}f * x[i];`,
          `y[i] += 2.0f * x[i];`,
        ][k % 4],
      ),
    }),
  },
};

/** 64 values live at once in more registers than 1024 threads can have: refused at launch. */
function registers(k) {
  const n = 96 + k;
  const lines = (f) => Array.from({ length: n }, (_, j) => f(j)).join(" ");
  return `extern "C" __global__ void __launch_bounds__(256) kernel(float *x, float *y) { int i = blockIdx.x * 1024 + threadIdx.x;
${lines((j) => `float v${j} = x[(i + ${j}) % ${N}];`)} __syncthreads(); float s = 0;
for (int r = 0; r < 3; ++r) { ${lines((j) => `v${j} = v${j} * v${(j + 1) % n} + v${(j + 7) % n};`)} }
${lines((j) => `s += v${j};`)} y[i] = s; }\n`;
}

async function faultsSection() {
  const target = targetHere();
  const toolchain = await cudaToolchain();
  const build = ({ text, over = {} }) => compileText(toolchain, text, target, faultBuffers, { ...faultShape, ...over });
  const reference = await build({ text: faultText(good) });
  const all = Object.entries(faultKinds).flatMap(([kind, { count, make }]) =>
    Array.from({ length: dry ? Math.min(4, count) : count }, (_, k) => ({ kind, k, ...make(k) })),
  );
  const random = new Random(5);
  for (let i = all.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [all[i], all[j]] = [all[j], all[i]];
  }
  const host = await openHost();
  const begun = performance.now();
  const options = { repeat: 3, minRepeatMs: 10, runTimeoutMs: 1000 };
  const kept = [];
  try {
    for (const { kind, k, text, over, loops } of all) {
      let result;
      try {
        const artifact = await build({ text, over });
        if (loops && countLoops(readFileSync(artifact.codePath)) === 0)
          throw new Error(`${kind} ${k}: the compiler dropped the loop`);
        result = await host.run(artifact, reference, options);
      } catch (error) {
        const resources = /uses too much|too many (?:resources|registers)/.test(error.message);
        result = {
          kind: "failed",
          errorNo: 2,
          rule: resources ? "ptxas.resources" : "front_end",
          message: error.message,
          wallMs: 0,
        };
      }
      const { errorNo, rule, message, costs, wallMs } = result;
      kept.push({ kind, k, named: faultKinds[kind].is(result), result: result.kind, errorNo, rule, message, costs, wallMs });
    }
    const seconds = (performance.now() - begun) / 1000;
    const after = await host.run(reference, reference, options);
    const rows = Object.keys(faultKinds).map((kind) => {
      const mine = kept.filter((c) => c.kind === kind);
      const rules = [...new Set(mine.map((c) => (c.result === "timed" ? "timed" : `${c.errorNo} ${c.rule}`)))];
      return [
        kind,
        mine.length,
        mine.filter((c) => c.named).length,
        median(mine.map((c) => c.wallMs)).toFixed(0),
        rules.join(", "),
      ];
    });
    table(["candidates that are/do", "count", "named so", "median ms", "as"], rows);
    const wrong = kept.filter((c) => !c.named);
    for (const { kind, k, result, errorNo, rule, message } of wrong.slice(0, 10))
      console.log(`NOT NAMED: ${kind} ${k}: ${result} ${errorNo ?? ""} ${rule ?? ""} ${(message ?? "").slice(0, 150)}`);
    console.log(`${seconds.toFixed(1)} s for all; afterwards the device gives ${words(after)}`);
    return { seconds, wrong: wrong.length, after: words(after), candidates: kept };
  } finally {
    await host.close();
  }
}

const TAKEOVER_TIMEOUT_MS = 300;

/** What a hang costs beyond its own deadline until the next candidate's result is there, less what that one takes by itself. */
async function takeoverSection() {
  const target = targetHere();
  const toolchain = await cudaToolchain();
  const build = (text) => compileText(toolchain, text, target, faultBuffers, faultShape);
  const reference = await build(faultText(good));
  const hanging = await Promise.all([0, 1, 2, 3].map((k) => build(faultKinds.hangs.make(k).text)));
  const options = { repeat: 1, minRepeatMs: 5, runTimeoutMs: TAKEOVER_TIMEOUT_MS };
  const host = await openHost();
  try {
    const right = async () => {
      const result = await host.run(reference, reference, options);
      if (result.kind !== "timed") throw new Error(`the right one: ${words(result)}`);
      return result.wallMs;
    };
    const usual = [];
    for (let i = 0; i < 8; i++) usual.push(await right());
    const usualMs = median(usual.slice(1));
    const found = [];
    for (let i = 0; i < 17; i++) {
      const hangs = i % 6 === 5 ? 2 : i === 16 ? 2 : 1;
      const verdicts = [];
      for (let k = 0; k < hangs; k++) {
        const result = await host.run(hanging[(i + k) % 4], reference, options);
        if (!dry && result.errorNo !== 7) throw new Error(`a hang was called ${words(result)}`);
        verdicts.push(result.wallMs - TAKEOVER_TIMEOUT_MS);
      }
      const nextMs = (await right()) - usualMs;
      found.push({ hangs, verdicts, nextMs, eachMs: (verdicts.reduce((a, b) => a + b, 0) + nextMs) / hangs });
    }
    const row = (name, list) => {
      const each = list.map((f) => f.eachMs);
      const first = list.map((f) => f.verdicts[0]);
      const next = list.map((f) => f.nextMs);
      return [name, list.length, ...[each, first, next].flatMap((v) => [median(v).toFixed(0), Math.max(...v).toFixed(0)])];
    };
    table(
      ["take-overs (ms)", "count", "each", "worst", "to the verdict", "worst", "next one waits", "worst"],
      [
        row(
          "one hang",
          found.filter((f) => f.hangs === 1),
        ),
        row(
          "two in a row",
          found.filter((f) => f.hangs === 2),
        ),
      ],
    );
    console.log(`a right one takes ${usualMs.toFixed(0)} ms; wanted: 300 ms a take-over`);
    return { usualMs, found };
  } finally {
    await host.close();
  }
}

/** The tests of what needs a GPU or its compiler, as vitest runs them. */
async function testsSection() {
  const args = [
    "node_modules/vitest/vitest.mjs",
    "run",
    "runner/src/device/cuda",
    "builder/src/toolchain/cuda",
    "--no-color",
    "--maxWorkers=4",
  ];
  const env = { ...process.env, NO_COLOR: "1", ...(dry ? {} : { WARPFARM_REQUIRE: "gpu" }) };
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      text += chunk;
    });
  const code = await new Promise((resolve) => child.on("close", resolve));
  writeFileSync(join(outFolder, "proof-tests.txt"), text);
  const lines = text.split("\n").map((line) => line.trim());
  const failures = lines.filter((line) => /^(?:FAIL|×|Error:|AssertionError)/.test(line));
  const last = lines.filter((line) => /^(?:Test Files|Tests|Duration) /.test(line));
  for (const line of [...failures.slice(0, 40), ...last]) console.log(line.slice(0, 300));
  if (last.length === 0) console.log(text.slice(-2000));
  return { code, failures, last };
}

/** Random configs of the task that a builder might meet, as programs. */
function randomPrograms(task, count) {
  const random = new Random(11);
  const limits = gpuLimits("autotvm");
  const programs = [];
  while (programs.length < count) {
    const index = task.space.toIndex(random.below(task.space.size));
    if (task.validate(index, limits).length > 0) continue;
    const made = task.instantiate(index);
    if (made.ok) programs.push(made.value.program);
  }
  return programs;
}

const COMPILE_SECONDS = 55;

/**
 * The same few kernels once for each child, so that the wall time stays the same as far as children do not wait for each other. Kernels that
 * need more than three seconds are left out, which bounds the section; the share that was left out is said.
 */
async function compileSection() {
  const target = targetHere();
  const task = createTask(TASK, undefined, target);
  const begun = performance.now();
  const spent = () => (performance.now() - begun) / 1000;
  const seconds = ({ refused, compileMs, ms }) => (refused ? undefined : (compileMs ?? ms) / 1000);
  const tried = randomPrograms(task, dry ? 3 : 24);
  const first = await openBuilds(cores);
  const probed = [];
  await Promise.all(
    tried.map(async (program) => {
      const took = seconds(await first.build(program, 3000));
      if (took !== undefined) probed.push({ program, took });
    }),
  );
  await first.close();
  probed.sort((a, b) => a.took - b.took);
  const wanted = dry ? 1 : 4;
  const from = Math.max(0, (probed.length - wanted) >> 1);
  const programs = probed.slice(from, from + wanted).map(({ program }) => program);
  console.log(
    `${probed.length} of ${tried.length} random configs build within 3 s, ${programs.length} around their median are taken`,
  );
  const sets = [
    ["random configs", programs],
    ["default schedule", [task.reference]],
  ];
  const levels = [];
  for (const [toolchain, slots] of [
    [undefined, cores],
    [undefined, 4],
    [undefined, 1],
    ["nvcc", 1],
  ]) {
    if (spent() > COMPILE_SECONDS - 12 || programs.length === 0) {
      console.log(`${toolchain ?? "first found"}, ${slots} children: left out, ${spent().toFixed(0)} s are spent`);
      continue;
    }
    const builds = await openBuilds(slots, toolchain);
    try {
      // Children start and load the compiler outside of the time.
      await Promise.all(Array.from({ length: slots }, () => builds.build(task.reference)));
      for (const [what, list] of sets) {
        const jobs = list.flatMap((program) => Array.from({ length: slots }, () => program));
        const start = performance.now();
        const stop = start + 14_000;
        const built = await Promise.all(
          jobs.map(async (program) => {
            const done = await builds.build(program, () => Math.min(12_000, stop - performance.now()));
            return done === undefined ? undefined : seconds(done);
          }),
        );
        const wall = (performance.now() - start) / 1000;
        const compile = built.filter((s) => s !== undefined);
        const level = { what, toolchain: builds.toolchain, slots, kernels: compile.length, of: jobs.length, wall, compile };
        levels.push(level);
        console.log(
          `${level.toolchain}, ${slots} children, ${what}: ${compile.length} of ${jobs.length} in ${wall.toFixed(1)} s`,
        );
      }
    } finally {
      await builds.close();
    }
  }
  const rows = levels.map(({ what, toolchain, slots, kernels, wall, compile }) => [
    `${toolchain}: ${what}`,
    slots,
    kernels,
    wall.toFixed(2),
    compile.length > 0 ? median(compile).toFixed(3) : "-",
    (wall / kernels).toFixed(3),
    ((wall * Math.min(slots, cores)) / kernels).toFixed(3),
  ]);
  table(["compiler", "children", "kernels", "wall s", "median s in a child", "wall s a kernel", "core s a kernel"], rows);
  const rate = (what, slots, nvcc) => {
    const l = levels.find((x) => x.what === what && x.slots === slots && x.toolchain.startsWith("nvcc") === nvcc);
    return l && l.kernels / l.wall;
  };
  for (const [what] of sets) {
    const [one, many, nvcc] = [rate(what, 1, false), rate(what, cores, false), rate(what, 1, true)];
    if (one && nvcc)
      console.log(`${what}: one warm child makes ${(one / nvcc).toFixed(2)}x the kernels of nvcc as a subprocess (wanted 1.7x)`);
    if (one && many) console.log(`${what}: ${cores} children make ${(many / one).toFixed(1)}x the kernels of one`);
  }
  return { levels, tried: tried.length, within3s: probed.length, seconds: spent() };
}

/** What remains in the reader's eye. */
function summary(results) {
  const { tests, takeover, tune, published, spread: spreads, faults, compile } = results;
  const rows = [];
  if (tune) {
    rows.push(["tune", `${tune.trials} trials, ${tune.candidatesPerSecond.toFixed(2)}/s, best ${tune.gflops.toFixed(0)} GFLOPS`]);
    rows.push(["  busy share", percent(tune.busyShare)], ["  overhead a trial", `${tune.overheadMsPerTrial.toFixed(1)} ms`]);
    rows.push([
      "  errors",
      Object.entries(tune.errors)
        .map(([kind, { count }]) => `${kind}: ${count}`)
        .join("; ") || "none",
    ]);
  }
  if (published) {
    const best = published.at(-1);
    rows.push([
      "AutoTVM's best config",
      best.graph ? `${words(best.graph)} by graph, ${words(best.events)} by events` : "not run",
    ]);
    rows.push(["  verdicts as in the log", `${published.filter((p) => p.agreesWithLog).length} of ${published.length}`]);
  }
  if (spreads) {
    const worst = Math.max(...spreads.kernels.map((k) => k.spread));
    const ratios = spreads.kernels.flatMap((k) => (k.c ? [Math.abs(k.median / median(k.c) - 1)] : []));
    rows.push(["worst spread of 20", percent(worst)]);
    rows.push(["  of the C program's own loads", percent(Math.max(0, ...spreads.kernels.map((k) => (k.c ? spread(k.c) : 0))))]);
    rows.push(["furthest from the C program", ratios.length > 0 ? percent(Math.max(...ratios)) : "not measured"]);
  }
  if (tests) rows.push(["GPU tests", tests.last.find((line) => line.startsWith("Tests")) ?? `exit code ${tests.code}`]);
  if (takeover) {
    const each = takeover.found.map((f) => f.eachMs);
    rows.push(["take-over after a hang", `${median(each).toFixed(0)} ms, worst ${Math.max(...each).toFixed(0)}`]);
  }
  if (faults)
    rows.push([
      "faults",
      `${faults.candidates.length - faults.wrong} of ${faults.candidates.length} named right; after: ${faults.after}`,
    ]);
  for (const { what, toolchain, slots, kernels, wall } of compile?.levels ?? [])
    rows.push([`compile, ${toolchain}, ${slots} children, ${what}`, `${(kernels / wall).toFixed(2)} kernels/s`]);
  if (rows.length > 0) table(["proof", ""], rows);
}

await runSections(
  self,
  "proof",
  {
    tune: { seconds: 255, run: tuneSection },
    tests: { seconds: 60, run: testsSection },
    takeover: { seconds: 40, run: takeoverSection },
    faults: { seconds: 110, run: faultsSection },
    compile: { seconds: 75, run: compileSection },
    published: { seconds: 75, run: publishedSection },
    spread: { seconds: 115, run: spreadSection },
  },
  { budget: 535, last: summary },
);
