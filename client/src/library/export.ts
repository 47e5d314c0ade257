import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { badInput, measureErrorName } from "@warpfarm/common";
import { languageOf } from "@warpfarm/compiler";
import { usualTarget } from "@warpfarm/templates";
import { readSettings } from "../cli/flags/settings.ts";
import { type ExportFormat, exportFiles, formatKind, hasCode } from "../export/files.ts";
import { type ExportUnit, exportUnit, symbolOf } from "../export/unit.ts";
import { compiled, writeFiles } from "../export/write-export.ts";
import { taskOfSource } from "../search/task-of-source.ts";
import type { Machine, Outside } from "./farm.ts";
import type { ExportOptions, KernelNamed } from "./index.ts";
import { heeding } from "./stopped.ts";
import { configOf, sourceNamed } from "./task.ts";

export async function exportKernel(
  { machine }: Outside,
  kernel: KernelNamed,
  { folder, format: asked, name, signal = new AbortController().signal }: ExportOptions,
): Promise<readonly string[]> {
  return heeding("exportKernel", signal, async () => {
    const source = await sourceNamed(kernel);
    const target = kernel.target ?? usualTarget(source.targets, await (await machine()).hostKey());
    const task = taskOfSource(source, kernel.args, target);
    const unit = exportUnit(name ?? symbolOf(task.name), task, configOf(task, kernel.config));
    const format: ExportFormat = asked ?? (languageOf(target).name === "c" ? "c" : "cuda");
    const kind = formatKind[format];
    if (kind !== undefined && !target.startsWith(`${kind}/`))
      throw badInput(`format ${format} is for kernels of ${kind}, and the target is ${target}`);
    const codes = new Map(hasCode(format) ? [[unit.name, await codeOf(await machine(), unit, format, signal)]] : []);
    const files = exportFiles(format, unit.name, [unit], codes);
    await writeFiles(folder, files).catch((error: NodeJS.ErrnoException) => {
      throw badInput(`folder ${folder} cannot be written: ${error.code}`);
    });
    return [...files.keys()].map((file) => join(resolve(folder), file));
  });
}

async function codeOf(machine: Machine, unit: ExportUnit, form: ExportFormat, signal: AbortSignal) {
  const { cacheDir } = await readSettings({ env: process.env, cwd: process.cwd(), home: homedir() });
  const code = await compiled(machine, unit, form, { timeoutMs: 60_000, cacheDir, signal });
  if (code.ok) return code.value;
  const { errorNo, message } = code.error;
  throw badInput(`${unit.name} does not build: ${measureErrorName(errorNo)}: ${message}`);
}
