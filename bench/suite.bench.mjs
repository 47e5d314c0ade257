/**
 * A suite of 200 tasks on 64 devices: how much of the time the devices were busy, and what the client took. Searches, tuners, the
 * scheduler and the logs from which parked searches go on are the real ones; a device is a timer that holds a candidate for
 * JOB_MS (1000, what a trial takes on a GPU), and there is no network between. TASKS (200), DEVICES (64) and TRIALS (24 a task)
 * make a run smaller.
 */
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AsyncQueue, defaultMeasureOptions, digestOf, medianSeconds, systemClock, toArtifactDigest } from "@warpfarm/common";
import { limitsOf } from "../client/dist/search/farm-there.js";
import { wholeSpec } from "../client/dist/search/search-spec.js";
import { tune } from "../client/dist/search/session.js";
import { openTuningLog } from "../client/dist/search/tuning-log.js";
import { runSuite } from "../client/dist/suite/run-suite.js";
import { tuners } from "../client/dist/tuner/index.js";
import { createTask } from "../templates/dist/index.js";
import { table } from "./table.mjs";

const { TASKS = "200", DEVICES = "64", TRIALS = "24", JOB_MS = "1000" } = process.env;
const [tasks, devices, trials, jobMs] = [TASKS, DEVICES, TRIALS, JOB_MS].map(Number);
const target = "cuda/sm_90";

/** First come, first served, as builders work ahead of them. */
class Devices {
  #busyMs = 0;
  #running = new Set();
  #free = devices;
  #waiting = [];
  async run() {
    if (this.#free === 0) await new Promise((go) => this.#waiting.push(go));
    else this.#free--;
    const job = { begun: performance.now() };
    this.#running.add(job);
    await sleep(jobMs);
    this.#running.delete(job);
    this.#busyMs += performance.now() - job.begun;
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free++;
  }
  get busyMs() {
    const now = performance.now();
    return [...this.#running].reduce((sum, { begun }) => sum + now - begun, this.#busyMs);
  }
}

/** A time by the program's digest: the same whenever it is measured. */
function resultOf({ program }) {
  const seconds = 1e-4 * (1 + (Number.parseInt(program.digest.slice(-6), 16) % 1000) / 100);
  return {
    kind: "timed",
    costs: [seconds, seconds, seconds],
    number: 10,
    busyMs: jobMs,
    checked: true,
    device: { key: target, name: "scripted", uuid: "", node: "", driver: "" },
    observations: {},
    artifact: toArtifactDigest(digestOf("artifact")),
    buildMs: 0,
    runMs: jobMs,
    timestampMs: Date.now(),
    attempt: 1,
  };
}

const measurerOn = (farm) => ({
  async *measure(inputs) {
    const out = new AsyncQueue(Number.POSITIVE_INFINITY);
    const running = (async () => {
      const all = [];
      for await (const input of inputs)
        all.push(farm.run().then(() => out.tryPush({ sequence: input.sequence, result: resultOf(input) })));
      await Promise.all(all);
      out.close();
    })();
    yield* out;
    await running;
  },
});

const plannedTasks = () =>
  Array.from({ length: tasks }, (_, i) => ({
    id: `t${i}`,
    search: {
      version: /** @type {const} */ (1),
      task: { template: "matmul_simt" },
      args: [64 * (1 + (i % 20)), 128 * (1 + Math.floor(i / 20)), 1024, "NN"],
      ...{ key: target, target, tuner: "auto", finalists: { count: 0 }, budget: { trials, patience: trials } },
    },
    weight: 1 + (i % 3),
  }));

export async function run() {
  const farm = new Devices();
  const planned = plannedTasks();
  const folder = await mkdtemp(join(tmpdir(), "warpfarm-suite-bench-"));
  let openings = 0;
  let finished = 0;
  let endedAt;
  let mostMb = 0;
  const watch = setInterval(() => {
    mostMb = Math.max(mostMb, process.memoryUsage().rss / 1e6);
  }, 200);
  const begun = performance.now();
  const cpuBefore = process.cpuUsage();
  const isFilling = () => finished < tasks * trials - devices;
  let busyAtEnd = 0;
  const signal = new AbortController().signal;
  await runSuite({
    plan: { version: 1, name: "bench", tasks: planned, budget: {} },
    ended: new Map(),
    begun: new Map(),
    open: async ({ id, search }) => {
      openings++;
      const task = createTask("matmul_simt", search.args, target);
      const limits = limitsOf({}, target, []);
      const isValid = (index) => task.validate(task.space.toIndex(index), limits).length === 0;
      const tuner = { name: "auto", seed: 0, tuner: tuners.auto({ space: task.space, seed: 0, isValid }) };
      const path = join(folder, `${id}.jsonl`);
      const log = await openTuningLog(path, { spec: wholeSpec(search, task, target), resume: existsSync(path) });
      const common = { log, task, tuner, options: defaultMeasureOptions("cuda"), trials, inFlight: 16, session: "bench" };
      return {
        flops: task.flops,
        trials: log.trials,
        defaultSeconds: log.defaultResult?.kind === "timed" ? medianSeconds(log.defaultResult.costs) : undefined,
        events: (pace) => tune({ ...common, measurer: measurerOn(farm), pace, clock: systemClock, signal }),
        [Symbol.asyncDispose]: () => log[Symbol.asyncDispose](),
      };
    },
    capacity: () => 8 + 3 * devices,
    clock: systemClock,
    onChange: ({ kind }) => {
      if (kind !== "trial") return;
      finished++;
      // The last devices' worth has no candidates behind it: that is the suite's end and no idleness.
      if (endedAt === undefined && !isFilling()) {
        endedAt = performance.now();
        busyAtEnd = farm.busyMs;
      }
    },
    onEnded: async ({ id }, reason) => {
      if (reason.startsWith("failed")) throw new Error(`${id} ${reason}`);
    },
    signal,
  });
  clearInterval(watch);
  await rm(folder, { recursive: true });
  const wallMs = performance.now() - begun;
  const { user, system } = process.cpuUsage(cpuBefore);
  table("suite", [
    {
      tasks,
      devices,
      trials: finished,
      openings,
      "wall s": (wallMs / 1000).toFixed(1),
      "devices busy": `${((100 * busyAtEnd) / ((endedAt ?? performance.now()) - begun) / devices).toFixed(1)} %`,
      "client cores": ((user + system) / 1000 / wallMs).toFixed(2),
      "client MB": Math.round(mostMb),
    },
  ]);
}
