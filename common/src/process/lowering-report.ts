/** Prints the messages of a lowering (compiler/src/lowering-log.ts), and writes its files into the folder of WARPFARM_DUMP. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DebugOptions } from "../debug.ts";

export interface LoweringTold {
  readonly lines: readonly string[];
  readonly files: readonly { readonly name: string; readonly text: string }[];
}

const digestDigits = 12;

/**
 * Each line begins with the program's digest, because several programs are lowered at the same time. Files go into
 * `dumpDir/<digest>/`, where they replace an earlier dump of the same program. A folder that cannot be written is reported in a
 * line, since debugging must not end a build.
 */
export function reportLowering(
  { dumpDir }: Pick<DebugOptions, "dumpDir">,
  digest: string,
  told: LoweringTold,
  write: (line: string) => void,
): void {
  const name = digest.replace(/^sha256:/, "").slice(0, digestDigits);
  for (const line of told.lines) write(`${name} ${line}`);
  if (dumpDir === undefined || told.files.length === 0) return;
  const folder = join(dumpDir, name);
  try {
    mkdirSync(folder, { recursive: true });
    for (const file of told.files) writeFileSync(join(folder, file.name), file.text);
    write(`${name} ${told.files.length} files in ${folder}`);
  } catch (error) {
    write(`${name} WARPFARM_DUMP=${dumpDir} cannot be written: ${(error as Error).message}`);
  }
}
