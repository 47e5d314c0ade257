/** What exports of the command and of a program share: code compiled on this machine, and files in a folder. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { err, type FailedResult, ok, type Result } from "@warpfarm/common";
import type { CliContext } from "../cli/context.ts";
import type { ExportFormat } from "./files.ts";
import { codeFile, type ExportCode } from "./launch-json.ts";
import type { ExportUnit } from "./unit.ts";

export async function compiled(
  { buildHere }: Pick<CliContext, "buildHere">,
  unit: ExportUnit,
  form: ExportFormat,
  options: { readonly timeoutMs: number; readonly cacheDir: string; readonly signal: AbortSignal },
): Promise<Result<ExportCode, FailedResult>> {
  const bundles = [...unit.uploads].map(([digest, bytes]) => ({ digest, bytes }));
  const built = await buildHere(unit.program, { ...options, bundles, ...(form === "ptx" ? { form } : {}) });
  if (built.kind === "failed") return err(built.result);
  const { format, toolchain, resources } = built.manifest;
  return ok({ format, file: codeFile(unit.name, format), bytes: built.code, toolchain, resources });
}

/** Makes what folders are missing. */
export async function writeFiles(folder: string, files: ReadonlyMap<string, string | Uint8Array>): Promise<void> {
  for (const [name, content] of files) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
}
