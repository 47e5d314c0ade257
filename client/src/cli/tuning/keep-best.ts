/** The best kernel's text, written next to its log. */
import { writeFile } from "node:fs/promises";
import { decodeProgram, languageOf, lowerProgram } from "@warpfarm/compiler";
import type { Task } from "@warpfarm/templates";
import { codeAsMeasured } from "../../kernel/source-text.ts";
import { programOf } from "../flags/task-flags.ts";

export async function keepBest(task: Task, index: number, logPath: string): Promise<string> {
  const { extension, text } = textOf(task, index);
  const path = `${logPath.replace(/\.jsonl?$/, "")}.best.${extension}`;
  await writeFile(path, text);
  return path;
}

function textOf(task: Task, index: number): { readonly extension: string; readonly text: string | Uint8Array } {
  const decoded = decodeProgram(programOf(task, task.space.toIndex(index)).bytes);
  if (!decoded.ok) throw new Error("the best config's program does not decode");
  if (decoded.value.kind !== "schedule") {
    const { extension, bytes } = codeAsMeasured(decoded.value);
    return { extension, text: bytes };
  }
  const { name, extension } = languageOf(task.target);
  const text = lowerProgram(decoded.value, { emit: name });
  if (!text.ok) throw new Error(`the best config cannot be printed: ${text.error.message}`);
  return { extension, text: text.value };
}
