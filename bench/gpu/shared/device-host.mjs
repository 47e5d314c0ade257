/**
 * The runner's own way to a device, for scripts: its host with child and spare, jobs in, results out. And the builder's: programs
 * of a task compiled in its children. With --dry no device is opened and every job is answered with made-up times, to try a
 * script without a GPU.
 */
import { mkdtempSync, writeFileSync } from "node:fs";
import { availableParallelism, hostname, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { LocalBuildExecutor } from "../../../builder/dist/build-executor.js";
import { cudaHomes, findCudaToolchain } from "../../../builder/dist/toolchain/index.js";
import { openCudaDriver } from "../../../runner/dist/device/cuda/driver.js";
import { cudaEnvironment } from "../../../runner/dist/device/cuda/environment.js";
import { DeviceHost } from "../../../runner/dist/worker/host.js";

/**
 * @typedef {import("../../../runner/dist/worker/messages.js").LocalArtifact} LocalArtifact
 * @typedef {import("../../../runner/dist/worker/host.js").JobOutcome} JobOutcome
 * @typedef {import("@warpfarm/common").FailedResult} FailedResult
 * @typedef {import("@warpfarm/common").MeasureOptions} MeasureOptions
 * @typedef {import("@warpfarm/common").ProgramBytes} ProgramBytes
 *
 * @typedef {{ artifact: LocalArtifact, refused?: undefined, ms: number, compileMs: number }
 *   | { artifact?: undefined, refused: FailedResult, ms: number, compileMs?: undefined }} Built
 *
 * What a job ended with. A node at fault and a job that was cancelled are told apart from a kernel's failure by `kind`.
 * @typedef {{ wallMs: number, runMs?: number, costs?: undefined, errorNo?: undefined, rule?: string, message?: string }} NotTimed
 * @typedef {{ kind: "timed", wallMs: number, runMs: number, costs: readonly number[], number: number, busyMs: number,
 *   checked: boolean, observations?: import("@warpfarm/common").Observations, errorNo?: undefined, rule?: undefined,
 *   message?: undefined }} Timed
 * @typedef {Timed | (Omit<FailedResult, "costs"> & { wallMs: number, costs?: undefined }) | (NotTimed & { kind: "fault" |
 * "cancelled" })} Told
 * @typedef {(artifact: LocalArtifact, reference?: LocalArtifact, options?: Partial<MeasureOptions>, more?: object) =>
 * Promise<Told>} Run
 */

export const dry = process.argv.includes("--dry");
export const cores = availableParallelism();
const scratch = mkdtempSync(join(tmpdir(), "warpfarm-proof-"));

export function targetHere() {
  if (dry) return "cuda/sm_90";
  const opened = openCudaDriver();
  if (!opened.ok) throw new Error(opened.error.message);
  const { attributes } = opened.value.device(0);
  return `cuda/sm_${attributes.compute_capability_major}${attributes.compute_capability_minor}`;
}

const hostSettings = {
  device: "cuda:0",
  threads: cores,
  lockDirectory: tmpdir(),
  addressSpaceBytes: 2 * totalmem(),
  keepBytes: 2 ** 30,
};

/**
 * What a DeviceHost's child gets of this process's environment.
 * @type {Record<string, string>}
 */
const hostEnv = Object.fromEntries(cudaEnvironment.map((name) => [name, process.env[name] ?? ""]).filter(([, text]) => text));

/** @type {MeasureOptions} */
const measureOptions = {
  number: 0,
  repeat: 3,
  precision: 0,
  minRepeatMs: 100,
  buildTimeoutMs: 40_000,
  runTimeoutMs: 10_000,
  cooldownMs: 0,
  l2: "warm",
  timer: "cuda_graph",
  check: "reference",
  inputs: "full",
  power: "as_asked",
};

/** `run(artifact, reference, options)` gives a MeasureResult, or { kind: "fault", message } when the node was at fault. */
export async function openHost() {
  if (dry) {
    let calls = 0;
    /** @type {Run} */
    const run = async () => ({
      kind: "timed",
      costs: [1e-4 * (1 + (calls++ % 7) / 1000)],
      number: 1,
      busyMs: 1,
      checked: true,
      runMs: 1,
      wallMs: 1,
    });
    return { run, description: { facts: { name: "dry" } }, async close() {} };
  }
  const host = new DeviceHost({
    node: hostname(),
    settings: hostSettings,
    env: hostEnv,
    onLine: (line) => console.log(`  child: ${line}`),
  });
  const description = await host.start();
  /** @type {Run} */
  const run = async (artifact, reference, options = {}, more = {}) => {
    const begun = performance.now();
    const compared = reference === undefined ? {} : { reference };
    const outcome = await host.run({
      artifact,
      ...compared,
      options: { ...measureOptions, ...options },
      attempt: 1,
      buildMs: 0,
      owner: "bench",
      ...more,
    });
    const wallMs = performance.now() - begun;
    if (outcome.kind !== "result") return { ...outcome, wallMs };
    if (outcome.result.kind === "slower") throw new Error("a job without an incumbent ended early");
    return { ...outcome.result, wallMs };
  };
  return {
    description,
    run,
    close: () => host[Symbol.asyncDispose](),
  };
}

/**
 * The builder's children, `slots` at a time; nothing is cached.
 * @param {number} slots
 */
export async function openBuilds(slots) {
  const found = await findCudaToolchain(process.env.PATH ?? "", tmpdir(), cudaHomes(process.env));
  if (!found.ok) throw new Error(found.error);
  const executor = new LocalBuildExecutor({
    compilerVersion: "0",
    toolchains: [found.value],
    clientText: "all",
    lockDirectory: tmpdir(),
    workDirectory: mkdtempSync(join(scratch, "builds-")),
  });
  await executor.start();
  /** @type {((_: void) => void)[]} */
  const waiting = [];
  let free = slots;
  let files = 0;
  /** @type {(program: ProgramBytes) => Promise<Built>} */
  const build = async (program) => {
    if (free === 0) await new Promise((go) => waiting.push(go));
    else free--;
    const begun = performance.now();
    try {
      const built = await executor.build({ program, timeoutMs: measureOptions.buildTimeoutMs });
      const ms = performance.now() - begun;
      if (built.kind === "failed") return { refused: built.result, ms };
      const { digest, manifest, code } = built.artifact;
      const codePath = join(scratch, `${files++}.cubin`);
      writeFileSync(codePath, code);
      return { artifact: { digest, manifest, codePath }, ms, compileMs: built.buildMs };
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
  // Builds that time cut off may still write into the folder that goes.
  const close = () => executor[Symbol.asyncDispose]().catch((error) => console.log(`closing the builder: ${error.message}`));
  return { build, close };
}
