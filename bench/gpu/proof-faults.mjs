/**
 * Sections faults and takeover of the proof: candidates that hang, write astray, ask for too much or compute wrongly, and what a
 * hang costs.
 */
import { readFileSync } from "node:fs";
import { Random } from "../../common/dist/index.js";
import { countLoops } from "./sass.mjs";
import { dry, openHost, targetHere } from "./shared/device-host.mjs";
import { compileText, cudaToolchain, tensor } from "./shared/kernels.mjs";
import { words } from "./shared/proof-facts.mjs";
import { median, table } from "./shared/sections.mjs";

const N = 1 << 16;
const faultBuffers = [tensor("x", "in", "float32", [N]), tensor("y", "out", "float32", [N])];
const faultShape = { grid: [N / 256, 1, 1], block: [256, 1, 1] };
const faultText = (body, before = "") =>
  `${before}extern "C" __global__ void kernel(float *x, float *y) { int i = blockIdx.x * 256 + threadIdx.x; ${body} }\n`;
const good = "y[i] = 2.0f * x[i];";

/**
 * By what they do: texts, launch shapes, and what the result must be. `errorNo` 4 runtime, 5 wrong answer, 7 run timeout, 2
 * refused by the compiler.
 */
const faultKinds = {
  right: {
    count: 120,
    is: (r) => r.kind === "timed" && r.checked,
    make: (k) => ({ text: faultText(k % 2 ? good : `y[i] = x[i] + x[i]; /* ${k} */`) }),
  },
  hangs: {
    count: 20,
    is: (r) => r.errorNo === 7,
    // Loops that the compiler must not remove; --dry checks that the machine code contains them.
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

/** 64 values live at once, in more registers than 1024 threads can have: refused at launch. */
function registers(k) {
  const n = 96 + k;
  const lines = (f) => Array.from({ length: n }, (_, j) => f(j)).join(" ");
  return `extern "C" __global__ void __launch_bounds__(256) kernel(float *x, float *y) { int i = blockIdx.x * 1024 + threadIdx.x;
${lines((j) => `float v${j} = x[(i + ${j}) % ${N}];`)} __syncthreads(); float s = 0;
for (int r = 0; r < 3; ++r) { ${lines((j) => `v${j} = v${j} * v${(j + 1) % n} + v${(j + 7) % n};`)} }
${lines((j) => `s += v${j};`)} y[i] = s; }\n`;
}

export async function faultsSection() {
  const target = targetHere();
  const toolchain = await cudaToolchain();
  const build = ({ text, over = {} }) => compileText(toolchain, text, target, faultBuffers, { ...faultShape, ...over });
  const reference = await build({ text: faultText(good) });
  /** @type {{ kind: string, k: number, text: string, over?: object, loops?: boolean }[]} */
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

const takeoverTimeoutMs = 300;

/** The time from a hang's own deadline to the next candidate's result, less the time of that candidate. */
export async function takeoverSection() {
  const target = targetHere();
  const toolchain = await cudaToolchain();
  const build = (text) => compileText(toolchain, text, target, faultBuffers, faultShape);
  const reference = await build(faultText(good));
  const hanging = await Promise.all([0, 1, 2, 3].map((k) => build(faultKinds.hangs.make(k).text)));
  const options = { repeat: 1, minRepeatMs: 5, runTimeoutMs: takeoverTimeoutMs };
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
        verdicts.push(result.wallMs - takeoverTimeoutMs);
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
