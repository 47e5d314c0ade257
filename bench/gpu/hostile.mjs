/**
 * Hostile CUDA programs beside an honest tune, on one GPU: `npm run build && node bench/gpu/hostile.mjs`, some four minutes.
 * Candidates that crash, hang, read or write at illegal addresses, spoil their inputs, answer wrong or ask for more memory than
 * there is, and references that do the same, sent by clients of their own to a farm of processes (tracker, builder, runner).
 * Every one is told its own fault at attempt 1, the
 * node is ACTIVE at every look, and the honest runs are complete.
 *
 * With --dry nothing is run: every text is compiled for sm_90, by nvcc. Options: --rounds=N (of all kinds; 4).
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { remoteMeasurer } from "../../client/dist/index.js";
import { Random, systemClock } from "../../common/dist/index.js";
import { encodeDocument } from "../../compiler/dist/index.js";
import { connect } from "../../proto/dist/index.js";
import { watchNodeStates } from "../../test-support/node-states.mjs";
import { dry, measureOptions, openBuilds } from "./shared/device-host.mjs";
import { Expectations } from "./shared/expectations.mjs";
import { openHome, until } from "./shared/processes.mjs";
import { flag, outFolder } from "./shared/sections.mjs";

const taskName = "tutorial/conv2d_no_batching";
const N = 1 << 16;
const rounds = Number(flag("rounds") ?? 4);
const runMs = 2_000;
// A separate process asks, because this one must not occupy the GPU.
const ask = `import(${JSON.stringify(new URL("shared/device-host.mjs", import.meta.url).href)}).then((m) => console.log(m.targetHere()))`;
const target = dry ? "cuda/sm_90" : execFileSync(process.execPath, ["-e", ask], { encoding: "utf8" }).trim();
/**
 * @type {(name: string, role: "in" | "out", shape?: number[], dtype?: "float32" | "float64") =>
 * import("@warpfarm/compiler").CudaSourceArg}
 */
const arg = (name, role, shape = [N], dtype = "float32") => ({ name, dtype, shape, role, fill: "random" });
const plainArgs = [arg("x", "in"), arg("y", "out")];

/** One kernel over x and y, or over `args`. */
function program(body, args = plainArgs) {
  const types = { float32: "float", float64: "double" };
  const parameters = args.map(({ name, dtype }) => `${types[dtype]} *${name}`).join(", ");
  const text = `extern "C" __global__ void kernel(${parameters}) { int i = blockIdx.x * 256 + threadIdx.x; ${body} }\n`;
  /** @type {import("@warpfarm/compiler").CudaSourceKernel} */
  const kernel = { entry: "kernel", grid: [N / 256, 1, 1], block: [256, 1, 1], shared_bytes: 0, cluster: [1, 1, 1] };
  return encodeDocument({
    version: 1,
    kind: "cuda_source",
    target,
    files: { "kernel.cu": text },
    kernels: [kernel],
    defines: {},
    flags: [],
    args,
  });
}
const good = "y[i] = 2.0f * x[i];";
const reference = program(good);
const tooMuch = Array.from({ length: 12 }, (_, i) => arg(`big${i}`, i === 0 ? "out" : "in", [2 ** 31 - 1], "float64"));

/**
 * @typedef {import("@warpfarm/common").ProgramBytes} ProgramBytes
 * @typedef {import("@warpfarm/common").MeasureOptions} MeasureOptions
 */

/** By what they do: number k of each is told apart by a constant in its text. `told`: error number and rule. */
/**
 * @type {Record<string, { told: RegExp, of: (k: number) => ProgramBytes, options?: Partial<MeasureOptions>, isReference?:
 * boolean, rounds?: number }>}
 */
const kinds = {
  "a trap": { told: /^4 CUDA_ERROR_/, of: (k) => program(`${good} if (i == ${k}) asm volatile("trap;");`) },
  "a read at an illegal address": {
    told: /^4 CUDA_ERROR_(ILLEGAL_ADDRESS|LAUNCH_FAILED)$/,
    of: (k) => program(`y[i] = x[i] + *(volatile float *)(${16 + 4 * k}ull);`),
  },
  "a write at an illegal address": {
    told: /^4 CUDA_ERROR_(ILLEGAL_ADDRESS|LAUNCH_FAILED)$/,
    of: (k) => program(`${good} y[(1ll << 40) + ${k}] = 1.0f;`),
  },
  "a misaligned address": {
    told: /^4 CUDA_ERROR_MISALIGNED_ADDRESS$/,
    of: (k) => program(`${good} if (i == ${k}) *(volatile double *)((char *)y + 4 + 8 * ${k}) = 1.0;`),
  },
  "a hang": { told: /^7 run_timeout$/, of: (k) => program(`${good} if (i >= ${k}) for (;;) asm volatile("" ::: "memory");`) },
  "a write behind its output": {
    told: /^4 out_of_bounds_write$/,
    of: (k) => program(`${good} if (i == 7) y[${N} + ${k}] = 1.0f;`),
  },
  "a write into its input": { told: /^4 out_of_bounds_write$/, of: (k) => program(`${good} if (i == 7) x[${k}] = 9.0f;`) },
  "a wrong answer": { told: /^5 reference$/, of: (k) => program(`y[i] = i == ${k} ? 7.0f : 2.0f * x[i];`) },
  "more memory than there is": {
    told: /^4 out_of_memory$/,
    of: (k) => program(`if (i == ${k}) big0[i] = 1.0;`, tooMuch),
    options: { check: "none" },
  },
  "a reference at an illegal address": {
    told: /^8 reference\.CUDA_ERROR_(ILLEGAL_ADDRESS|LAUNCH_FAILED)$/,
    of: (k) => program(`${good} y[(1ll << 41) + ${k}] = 1.0f;`),
    isReference: true,
  },
  "a reference that hangs": {
    told: /^8 reference\.run_timeout$/,
    of: (k) => program(`${good} if (i >= ${k}) for (;;) asm volatile("" ::: "memory");`),
    isReference: true,
    rounds: 1,
  },
};
const all = Object.entries(kinds).flatMap(([kind, { rounds: most = rounds, of, ...rest }]) =>
  Array.from({ length: Math.min(rounds, most) }, (_, k) => ({ kind, made: of(k), ...rest })),
);

if (dry) {
  const builds = await openBuilds(2, "nvcc");
  const built = await Promise.all([...all.map(({ made }) => made), reference].map((made) => builds.build(made)));
  await builds.close();
  const refused = built.flatMap(({ refused: why }) => why ?? []);
  console.log(`${built.length - refused.length} of ${built.length} texts compile for ${target}`);
  for (const why of refused) console.log(why.message, why.log ?? "");
  process.exit(refused.length === 0 ? 0 : 1);
}

const wanted = new Expectations();
const { home, start } = openHome("hostile");
const parts = [];
const part = async (ready, ...args) => {
  const process = start(...args);
  parts.push(process);
  return (await until(args[0], 60, () => ready.exec(process.said()))).found[1];
};

/**
 * One client with one program, in a session of its own.
 * @param {string} address
 * @param {(typeof all)[number]} who
 */
async function meet(address, { kind, made, isReference, told, options }) {
  const tracker = connect({ address });
  const begun = performance.now();
  const asked = { ...measureOptions, minRepeatMs: 10, runTimeoutMs: runMs, ...options };
  const measurer = remoteMeasurer({
    farm: tracker.farm,
    task: kind,
    selector: "cuda",
    options: asked,
    maxInFlight: 1,
    clock: systemClock,
    random: new Random(1),
  });
  const against = asked.check === "none" ? {} : { reference: isReference ? made : reference };
  const input = { sequence: 1, program: isReference ? reference : made, ...against };
  try {
    for await (const { result } of measurer.measure(Readable.from([input]), { signal: new AbortController().signal })) {
      const words = result.kind === "failed" ? `${result.errorNo} ${result.rule}` : result.kind;
      return {
        kind,
        words,
        isRight: told.test(words) && result.attempt === 1,
        seconds: (performance.now() - begun) / 1000,
        message: result.kind === "failed" ? result.message : undefined,
      };
    }
  } finally {
    await tracker[Symbol.asyncDispose]();
  }
}

try {
  const listen = ["--listen", "127.0.0.1:0", "--http", "none", "--data", join(home, "farm")];
  const address = await part(/^tracker ready grpc=(\S+)/m, "tracker", ...listen);
  const at = ["--tracker", address];
  await part(/^(builder) ready/m, "builder", ...at);
  await part(/^runner ready (\S+)/m, "runner", ...at, "--device", "cuda:0");

  const tracker = connect({ address });
  const nodes = watchNodeStates(tracker, systemClock);
  let areOver = false;
  const honest = [];
  const trials = 16;
  const working = (async () => {
    while (!areOver || honest.length === 0) {
      const flags = [
        "--trials",
        String(trials),
        "--seed",
        String(honest.length),
        "--tuner",
        "random",
        "--measure",
        "repeat=2,min_repeat=20ms",
      ];
      honest.push(
        await start(
          "tune",
          taskName,
          ...at,
          ...flags,
          "--finalists",
          "0",
          "--log",
          join(home, `honest-${honest.length}.jsonl`),
          "--json",
        ).ended,
      );
    }
  })();
  const waiting = new Random(1).shuffle(all);
  const told = [];
  const clients = [0, 1].map(async () => {
    for (let who = waiting.pop(); who !== undefined; who = waiting.pop()) told.push(await meet(address, who));
  });
  await Promise.all(clients);
  areOver = true;
  await working;
  const states = await nodes.stop();
  await tracker[Symbol.asyncDispose]();

  for (const kind of Object.keys(kinds)) {
    const mine = told.filter((one) => one.kind === kind);
    const wrong = mine.filter(({ isRight }) => !isRight);
    const slowest = Math.max(...mine.map(({ seconds }) => seconds)).toFixed(1);
    const seen = `${mine.length} times ${[...new Set(mine.map(({ words }) => words))].join(", ")}; the slowest after ${slowest} s`;
    wanted.expect(kind, wrong.length === 0, wrong.length === 0 ? seen : `${seen}; ${wrong[0].message}`);
  }
  const limit = Math.max(60, (4 * runMs) / 1000) + 30;
  wanted.expect(
    `each told within ${limit} s`,
    told.every(({ seconds }) => seconds <= limit),
    Math.max(...told.map(({ seconds }) => seconds)).toFixed(1),
  );
  wanted.expect(
    "no node changes its state",
    states.size === 2 && [...states.keys()].every((words) => words.endsWith(" ACTIVE")),
    [...states].map(([words, looks]) => `${words} (${looks} looks)`).join("; "),
  );
  const reports = honest.map(({ code, stdout }) => (code === 0 ? JSON.parse(stdout) : { code }));
  const isWhole = ({ trials: done, errors }) => done === trials && (errors?.UNKNOWN_ERROR ?? 0) === 0;
  wanted.expect(
    "the honest runs are complete",
    reports.every(isWhole),
    `${reports.length} runs of ${trials} trials: ${JSON.stringify(reports.map(({ errors, code }) => errors ?? `exit ${code}`))}`,
  );
  mkdirSync(outFolder, { recursive: true });
  writeFileSync(
    join(outFolder, "hostile.json"),
    `${JSON.stringify({ told, states: [...states], honest: reports }, undefined, 1)}\n`,
  );
  wanted.end();
} finally {
  for (const one of parts) one.kill("SIGTERM");
}
