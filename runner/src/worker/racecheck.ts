/**
 * Looks for races in shared memory with racecheck, a tool of NVIDIA's compute-sanitizer, where that is on the path: of what was
 * audited and of finalists, after their result. The tool runs a process of its own (racecheck-run.ts), which launches the kernels
 * once. It sees shared memory only, and knows not every way to synchronize, so its verdict is kept with the result and refuses
 * nothing (docs/adr/0083-judged-measurement.md).
 *
 * Source of the options, and of the summary: "Compute Sanitizer", NVIDIA, command line options and racecheck tool.
 */
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  after,
  type Clock,
  type MeasureResult,
  type Racecheck,
  racechecks,
  systemClock,
  type TimedResult,
} from "@warpfarm/common";
import { executableOn, killGroup, moduleBeside, trackGroup } from "@warpfarm/common/process";
import type { DeviceJob } from "./host.ts";
import type { LocalArtifact } from "./messages.ts";
import type { RacecheckRun } from "./racecheck-run.ts";
import { programsOf } from "./verdict.ts";

interface RacecheckOptions {
  readonly searchPath: string;
  readonly device: string;
  readonly threads: number;
  readonly env: Readonly<Record<string, string>>;
  /** For all programs of a job. */
  readonly limitMs?: number;
  readonly clock?: Clock;
}

const defaultLimitMs = 60_000;
/** What the tool ends with when it found a hazard. Node and the tool itself end with other numbers. */
const hazardCode = 86;
/** Of the tool's report, more than its end is not kept. */
const keptBytes = 1 << 14;
const itFailed = "not run: it failed" as const satisfies Racecheck;

/** Looks at the programs of a job whose result this is. Returns the result with the worst outcome. */
export type AfterJob = (job: DeviceJob, result: MeasureResult, signal: AbortSignal) => Promise<MeasureResult>;

export function racecheckWith(options: RacecheckOptions): AfterJob {
  const { clock = systemClock, limitMs = defaultLimitMs } = options;
  const tool = executableOn(options.searchPath, "compute-sanitizer");
  return async (job, result, signal) => {
    const judged = result.kind === "timed" ? auditedOf(result) : undefined;
    if (result.kind !== "timed" || judged === undefined) return result;
    const over = new AbortController();
    const stopped = AbortSignal.any([over.signal, signal]);
    using _limit = after(clock, limitMs, () => over.abort());
    const found: Racecheck[] = [];
    for (const artifact of programsOf(job)) {
      // A disk without room for the request's file costs no result.
      const looked = tool === undefined ? undefined : outcomeOf(tool, artifact, job, options, stopped).catch(() => itFailed);
      found.push((await looked) ?? "not run: no compute-sanitizer");
    }
    const racecheck = racechecks.find((one) => found.includes(one)) ?? itFailed;
    return { ...result, judged: { ...judged, racecheck } };
  };
}

/** Programs measured interleaved are finalists, which are all audited. */
function auditedOf({ judged, paired }: TimedResult) {
  return judged === undefined || "not" in judged || (paired === undefined && judged.audit === undefined) ? undefined : judged;
}

async function outcomeOf(
  tool: string,
  artifact: LocalArtifact,
  { options: { inputs } }: Pick<DeviceJob, "options">,
  { device, threads, env, searchPath }: RacecheckOptions,
  signal: AbortSignal,
): Promise<Racecheck> {
  const folder = await mkdtemp(join(tmpdir(), "warpfarm-racecheck-"));
  try {
    const run: RacecheckRun = { artifact, inputs, device, threads };
    const file = join(folder, "run.json");
    await writeFile(file, JSON.stringify(run));
    // Only these kernels, since the runner's own would take longer than they do. Names are mangled in both places.
    const names = artifact.manifest.kernels.flatMap(({ name }) => ["--kernel-name", `kernel_substring=${name}`]);
    const given = ["--tool", "racecheck", "--error-exitcode", String(hazardCode), ...names];
    const command = [process.execPath, moduleBeside(import.meta.url, "racecheck-run"), file];
    const { code, said } = await ended(tool, [...given, ...command], { PATH: searchPath, ...env }, signal);
    if (code === undefined) return "not run: time limit";
    if (code === hazardCode) return "hazards";
    return code === 0 && said.includes("RACECHECK SUMMARY") ? "no hazards" : itFailed;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Ended {
  /** Undefined when it was stopped; 1 when it could not be started or a signal ended it. */
  readonly code: number | undefined;
  readonly said: string;
}

/** Runs it in a process group of its own, all of which ends with it. */
function ended(
  tool: string,
  given: readonly string[],
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(tool, given, { env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    let isStopped = false;
    const stop = (): void => {
      isStopped = true;
      if (child.pid !== undefined) killGroup(child.pid);
    };
    signal.addEventListener("abort", stop);
    if (signal.aborted) stop();
    if (child.pid !== undefined) trackGroup(child.pid);
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (text: Buffer) => {
        said = (said + text.toString("latin1")).slice(-keptBytes);
      });
    const end = (code: number): void => {
      signal.removeEventListener("abort", stop);
      if (child.pid !== undefined) killGroup(child.pid);
      resolve({ code: isStopped ? undefined : code, said });
    };
    child.on("error", () => end(1));
    child.on("close", (code) => end(code ?? 1));
  });
}
