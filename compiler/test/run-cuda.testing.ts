/**
 * Runs CUDA texts on this machine's GPU, made by nvcc and launched by a program of their own (launch.testing.cu), as
 * run-c.testing.ts does on the processor. It shares nothing with the builder and the runner. Buffers that are not given start as
 * 0xff bytes, and so does shared memory.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TensorMap } from "@warpfarm/common";
import { decodeAll, encodeAll, slotsOf } from "../../test-support/run-c.ts";
import type { TensorData } from "../src/ir/numeric.ts";
import type { DeviceText } from "../src/target/index.ts";

export interface GpuJob {
  readonly text: DeviceText;
  readonly given: ReadonlyMap<string, TensorData>;
}
/** All buffers after a run, or what went wrong. */
export type GpuOutcome = ReadonlyMap<string, TensorData> | string;

/** Kernels run for microseconds, and nvcc for seconds. */
const usualPatienceMs = 60_000;

interface Ended {
  readonly code: number | null;
  readonly words: string;
}
/** Ends a process that says nothing for so long. */
function run(patienceMs: number, command: string, ...args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(command, args, { maxBuffer: 2 ** 28 }, (error, stdout, stderr) => {
      clearTimeout(late);
      resolve({ code: error === null ? 0 : typeof error.code === "number" ? error.code : null, words: stdout + stderr });
    });
    const late = setTimeout(() => child.kill("SIGKILL"), patienceMs);
    child.stdout?.on("data", () => late.refresh());
  });
}

/**
 * `arch`: the GPU's own, for instance sm_90. `tool` of compute-sanitizer: racecheck reports accesses to shared memory that no
 * barrier orders, synccheck barriers that not all come to whom they are for.
 */
export type SanitizerTool = "racecheck" | "synccheck";
export async function runCudaOnGpu(
  jobs: readonly GpuJob[],
  arch: string,
  { tool, patienceMs = usualPatienceMs }: { readonly tool?: SanitizerTool | undefined; readonly patienceMs?: number } = {},
): Promise<readonly GpuOutcome[]> {
  const dir = mkdtempSync(join(tmpdir(), "warpfarm-cu-"));
  const path = (name: string) => join(dir, name);
  try {
    const source = fileURLToPath(new URL("./launch.testing.cu", import.meta.url));
    const made = await run(usualPatienceMs, "nvcc", `-arch=${arch}`, "-o", path("launch"), source);
    if (made.code !== 0) throw new Error(`launch.testing.cu: ${made.words}`);
    const refused = new Map<number, string>();
    const left = [...jobs.entries()];
    const lane = async (): Promise<void> => {
      for (let next = left.shift(); next; next = left.shift()) {
        const [i, { text, given }] = next;
        writeFileSync(path(`${i}.cu`), text.text);
        writeFileSync(path(`${i}.in`), encodeAll(text, given));
        const built = await run(usualPatienceMs, "nvcc", "-cubin", `-arch=${arch}`, "-o", path(`${i}.cubin`), path(`${i}.cu`));
        if (built.code !== 0) refused.set(i, `nvcc: ${built.words}`);
      }
    };
    await Promise.all(Array.from({ length: availableParallelism() }, lane));
    const built = [...jobs.keys()].filter((i) => !refused.has(i));
    writeFileSync(path("programs"), built.map((i) => programLine(jobs[i] as GpuJob, path(String(i)))).join(""));
    const wrong = await launchAll(built.length, [path("launch"), path("programs")], tool, patienceMs);
    return jobs.map(
      ({ text }, i) => refused.get(i) ?? wrong.get(built.indexOf(i)) ?? decodeAll(text, readFileSync(path(`${i}.out`))),
    );
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** The driver's numbers (cuda.h, CUtensorMap*), its dimensions innermost first. */
function mapLine(map: TensorMap, { buffers }: DeviceText): string {
  const type = {
    int8: 0,
    uint8: 0,
    float8_e4m3fn: 0,
    float8_e5m2: 0,
    int32: 3,
    int64: 5,
    float16: 6,
    float32: 7,
    float64: 8,
    bfloat16: 9,
    tfloat32: 11,
  }[map.type];
  const swizzle = [0, 32, 64, 128].indexOf(map.swizzle);
  const l2 = [0, 64, 128, 256].indexOf(map.l2);
  const buffer = buffers.findIndex(({ name }) => name === map.buffer);
  const numbers = [buffer, type, map.dims.length, map.interleave / 16, swizzle, l2, map.oob === "nan" ? 1 : 0];
  const lists = [map.dims, map.strides_bytes, map.box, map.element_strides].flatMap((list) => list.toReversed());
  return [...numbers, ...lists].join(" ");
}

/** As launch.testing.cu reads it. */
function programLine({ text }: GpuJob, base: string): string {
  const slots = slotsOf(text);
  const kernels = text.kernels.map(({ name, grid, block, cluster, dynamic_shared_bytes: shared, args }, i) =>
    [name, ...grid, ...block, ...cluster, shared, args.length, ...(slots[i] ?? [])].join(" "),
  );
  const buffers = text.buffers.map(({ bytes }) => bytes);
  const maps = (text.maps ?? []).map((map) => mapLine(map, text));
  const files = [`${base}.cubin`, `${base}.in`, `${base}.out`];
  const words = [...files, buffers.length, ...buffers, maps.length, ...maps, kernels.length, ...kernels];
  return `${words.join(" ")}\n`;
}

/**
 * What went wrong, by the programs' numbers. One that ends the launcher, or hangs it, is passed over, and the launcher begins
 * anew.
 */
async function launchAll(
  count: number,
  [launch = "", programs = ""]: readonly string[],
  tool: SanitizerTool | undefined,
  patienceMs: number,
): Promise<Map<number, string>> {
  const wrong = new Map<number, string>();
  for (let first = 0; first < count; ) {
    const ended = await (tool
      ? run(patienceMs, "compute-sanitizer", "--tool", tool, launch, programs, String(first), "1")
      : run(patienceMs, launch, programs, String(first), "4"));
    let at = first - 1;
    let isDone = true;
    for (const line of ended.words.split("\n")) {
      const [, kind, number, why] = /^(begin|done|wrong) (\d+) ?(.*)$/.exec(line) ?? [];
      if (kind === "begin") [at, isDone] = [Number(number), false];
      else if (kind !== undefined) isDone = true;
      if (kind === "wrong") wrong.set(Number(number), why ?? "");
      if (tool && /=+ (?:Error|Warning): /.test(line) && !wrong.has(at)) wrong.set(at, line);
    }
    if (at < first) throw new Error(`the launcher says nothing: ${ended.words}`);
    if (!isDone) wrong.set(at, "hangs, or ends the process");
    first = at + 1;
  }
  return wrong;
}
