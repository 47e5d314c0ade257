/**
 * A kernel from its files: the .cu, the headers beside it that it includes in quotes, and its spec. Throws FarmError in one
 * sentence.
 */
import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { FarmError, textBackends } from "@warpfarm/common";
import { parse } from "yaml";
import type { KernelSource } from "./kernel-task.ts";
import { readSpec } from "./spec.ts";

/** Of all files together; a program is a mebibyte at most. */
const mostBytes = 1 << 20;

const specNames = (path: string): readonly string[] => [".yaml", ".yml", ".json"].map((end) => path.replace(/\.cu$/, end));

/**
 * `path` and `specPath` are absolute, `word` is what the user wrote; without `specPath` the spec has the kernel's name and stands
 * beside it.
 */
export async function loadKernel(path: string, word: string, specPath?: string): Promise<KernelSource> {
  const { text, from } = await readSpecText(path, word, specPath);
  const spec = readSpec(parsed(text, from));
  if (!spec.ok) throw bad(`${basename(from)}: ${spec.error}`);
  const name = spec.value.name ?? basename(path, ".cu");
  const targets = textBackends().map((kind) => ({ kind }));
  return { name, word, targets, spec: spec.value, files: await sourcesOf(path) };
}

async function readSpecText(path: string, word: string, specPath: string | undefined): Promise<{ text: string; from: string }> {
  const names = specPath === undefined ? specNames(path) : [specPath];
  for (const from of names) {
    const text = await readFile(from, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw bad(`${from} cannot be read: ${error.code ?? error.message}`);
    });
    if (text !== undefined) return { text, from };
  }
  if (specPath !== undefined) throw bad(`--spec: there is no ${specPath}`);
  throw bad(
    `${word} needs a spec, which says what is tuned and how it is launched: ${names.map((name) => basename(name)).join(" or ")} beside it, or --spec FILE`,
  );
}

function parsed(text: string, from: string): unknown {
  try {
    return parse(text, { prettyErrors: true });
  } catch (error) {
    throw bad(`${basename(from)}: ${(error as Error).message.split("\n")[0]}`);
  }
}

const includeLine = /^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"/gm;

/**
 * The text and the headers it includes in quotes that stand beside it; what does not is the toolkit's, or the compiler says that
 * it is missing.
 */
async function sourcesOf(path: string): Promise<Record<string, string>> {
  const folder = dirname(path);
  const files: Record<string, string> = {};
  const open = [basename(path)];
  let bytes = 0;
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (name in files) continue;
    const isMain = Object.keys(files).length === 0;
    const text = await readFile(join(folder, name), "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" && !isMain) return undefined;
      throw bad(`${join(folder, name)} cannot be read: ${error.code ?? error.message}`);
    });
    if (text === undefined) continue;
    bytes += Buffer.byteLength(text);
    if (bytes > mostBytes)
      throw bad(`${basename(path)} and the headers it includes have over ${mostBytes} bytes; a program takes no more`);
    files[name] = text;
    for (const [, included = ""] of text.matchAll(includeLine)) open.push(included);
  }
  return files;
}

const bad = (message: string): FarmError => new FarmError("INVALID_ARGUMENT", message);
