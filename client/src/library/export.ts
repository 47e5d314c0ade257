import { mkdir, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { defined, FarmError, measureErrorName } from "@warpfarm/common";
import { languageOf } from "@warpfarm/compiler";
import { usualTarget } from "@warpfarm/templates";
import { readSettings } from "../cli/flags/settings.ts";
import { type ExportFormat, exportFiles, formatKind, hasCode } from "../export/files.ts";
import { codeFile } from "../export/launch-json.ts";
import { type ExportUnit, exportUnit, symbolOf } from "../export/unit.ts";
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
      throw new FarmError("INVALID_ARGUMENT", `format ${format} is for kernels of ${kind}, and the target is ${target}`);
    const codes = new Map(hasCode(format) ? [[unit.name, await compiled(await machine(), unit, format, signal)]] : []);
    const files = exportFiles(format, unit.name, [unit], codes);
    return write(resolve(folder), files);
  });
}

async function compiled({ buildHere }: Machine, unit: ExportUnit, form: ExportFormat, signal: AbortSignal) {
  const { cacheDir } = await readSettings({ env: process.env, cwd: process.cwd(), home: homedir() });
  const bundles = [...unit.uploads].map(([digest, bytes]) => ({ digest, bytes }));
  const built = await buildHere(unit.program, {
    ...{ timeoutMs: 60_000, cacheDir, signal },
    ...(bundles.length > 0 ? { bundles } : {}),
    ...(form === "ptx" ? { form } : {}),
  });
  if (built.kind === "failed") {
    const { errorNo, message } = built.result;
    throw new FarmError("INVALID_ARGUMENT", `${unit.name} does not build: ${measureErrorName(errorNo)}: ${message}`);
  }
  const { format, toolchain, resources } = built.manifest;
  return { format, file: codeFile(unit.name, format), bytes: built.code, ...defined({ toolchain, resources }) };
}

async function write(folder: string, files: ReadonlyMap<string, string | Uint8Array>): Promise<readonly string[]> {
  try {
    for (const [name, content] of files) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), content);
    }
    return [...files.keys()].map((name) => join(folder, name));
  } catch (error) {
    throw new FarmError("INVALID_ARGUMENT", `folder ${folder} cannot be written: ${(error as NodeJS.ErrnoException).code}`);
  }
}
