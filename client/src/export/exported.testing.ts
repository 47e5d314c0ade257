/** Exports in folders of their own, for tests: written, compiled by the system's compiler, run by Debian's Python. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Random } from "@warpfarm/common";
import { compileProgram, decodeProgram, gpuLimits } from "@warpfarm/compiler";
import type { Task } from "@warpfarm/templates";
import { scratch } from "../cli/context.testing.ts";
import type { CliContext } from "../cli/context.ts";
import { createKernelTask } from "../kernel/kernel-task.ts";
import { loadKernel } from "../kernel/load-kernel.ts";
import { type ExportFormat, exportFiles } from "./files.ts";
import { codeFile, type ExportCode } from "./launch-json.ts";
import type { ExportUnit } from "./unit.ts";

export const here = process.arch === "arm64" ? "cpu/arm64" : "cpu/x86-64-v2";

/** A config that the target can launch. */
export function anyConfig(task: Task, seed: number) {
  const random = new Random(seed);
  for (let i = 0; i < 2000; i++) {
    const index = task.space.random(random);
    if (task.validate(index, gpuLimits(task.target)).length === 0) return index;
  }
  throw new Error(`${task.name} has no config that can be launched`);
}

export function writeAll(folder: string, files: ReadonlyMap<string, string | Uint8Array>): string {
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of files) writeFileSync(join(folder, name), content);
  return folder;
}

export const written = (
  format: ExportFormat,
  units: readonly ExportUnit[],
  codes: ReadonlyMap<string, ExportCode> = new Map(),
): string => writeAll(join(scratch(), "out"), exportFiles(format, "taken", units, codes));

/** Compiled without regard to speed. */
export function sharedObject(name: string, text: string): Buffer {
  const folder = scratch();
  writeFileSync(join(folder, "kernel.c"), text);
  const march = here === "cpu/arm64" ? [] : ["-march=x86-64-v2"];
  const flags = ["-std=gnu11", "-O1", "-fopenmp", ...march, "-shared", "-fPIC", "-w"];
  execFileSync("cc", [...flags, "-o", `${name}.so`, "kernel.c", "-lm"], { cwd: folder });
  return readFileSync(join(folder, `${name}.so`));
}

/** Builds for processors, as a command does it without a farm. */
export const buildHere: CliContext["buildHere"] = async ({ bytes }) => {
  const program = decodeProgram(bytes);
  const text = program.ok ? compileProgram(program.value) : program;
  if (!text.ok) throw new Error(text.error.message);
  const resources = { registers: 0, spill_bytes: 0, static_shared_bytes: 0 };
  const code = sharedObject("kernel", text.value.text);
  return { kind: "built", manifest: { format: "so", toolchain: "cc", resources }, code, buildMs: 1 } as never;
};

/** The code of kernels for processors, by name. */
export const compiledHere = (units: readonly ExportUnit[]): Map<string, ExportCode> =>
  new Map(
    units.map(({ name, kernel }) => [
      name,
      { format: "so", file: codeFile(name, "so"), bytes: sharedObject(name, kernel.text), toolchain: "cc" },
    ]),
  );

/** What Debian's Python, which has NumPy, writes to its standard output. */
export const python = (folder: string, text: string, env: Readonly<Record<string, string>> = {}): string =>
  execFileSync("/usr/bin/python3", ["-u", "-c", text], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1", ...env },
  });

/** A folder with a libcuda.so.1 whose device is this processor; see testdata/processor-driver.c. Needs nvcc, for cuda.h. */
export function processorDriver(): string {
  const folder = scratch();
  const source = new URL("testdata/processor-driver.c", import.meta.url).pathname;
  const flags = ["-x", "c", "-shared", "--cudart", "none", "-Xcompiler", "-fPIC"];
  execFileSync("nvcc", [...flags, "-o", join(folder, "libcuda.so.1"), source, "-ldl"]);
  return folder;
}

export async function vectorAdd(): Promise<Task> {
  const folder = new URL("../../../examples/", import.meta.url).pathname;
  return createKernelTask(
    await loadKernel({ path: join(folder, "vector_add.cu"), word: "vector_add.cu" }),
    { n: 1000 },
    "cuda/sm_90",
  );
}
