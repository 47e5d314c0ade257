/**
 * The origin of a search's task: a built-in template, a template's file, or a kernel's file with its spec. A search names a file
 * by its base name and its digest; its log knows where the file was.
 */
import { readFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { badInput, defined, digestOf, fileFault, type Json } from "@warpfarm/common";
import { createTask, findOperator, findTemplate, isTemplateFile, type Task, type Template } from "@warpfarm/templates";
import type { KernelSource } from "../kernel/kernel-task.ts";
import type { Launch } from "../kernel/load-kernel.ts";
import type { SpecReference } from "../kernel/spec.ts";
import type { SearchTask } from "./search-spec.ts";
import type { KeptSearch, SearchPaths } from "./tuning-log.ts";

/** Whether this word names a kernel's text or code. */
export const isKernelFile = (word: string): boolean => /\.(?:cu|ptx|cubin)$/.test(word);

export type TaskSource = Template | KernelSource;
export const isKernel = (source: TaskSource): source is KernelSource => "spec" in source;

/** What a user says of a kernel besides its file. */
export interface SourceWords {
  readonly spec?: string | undefined;
  readonly reference?: string | undefined;
  /** Folders from which its spec may name files, besides its own. */
  readonly allowInclude?: readonly string[] | undefined;
}

/** The template of this name or file, or the kernel of its file with its spec. */
export async function sourceOf(
  word: string,
  { spec, reference, allowInclude }: SourceWords,
  { cwd, referenceFrom = cwd }: { readonly cwd: string; readonly referenceFrom?: string },
  launch?: Launch,
): Promise<TaskSource> {
  if (isKernelFile(word)) {
    const { loadKernel } = await import("../kernel/load-kernel.ts");
    const { allowedFolders } = await import("../kernel/reach.ts");
    return loadKernel({
      path: resolve(cwd, word),
      word,
      allowed: await allowedFolders(allowInclude, cwd),
      ...(spec === undefined ? {} : { specPath: resolve(cwd, spec) }),
      ...defined({ launch }),
      ...(reference === undefined ? {} : { reference: { said: referenceSaid(reference), cwd: referenceFrom } }),
    });
  }
  const given = reference !== undefined ? "reference" : spec !== undefined ? "spec" : undefined;
  if (given !== undefined)
    throw badInput(`--${given} is for kernels, files that end in .cu, .ptx or .cubin; ${word} is a template`);
  return templateOf(word, cwd);
}

function referenceSaid(word: string): SpecReference {
  if (word.startsWith("{")) {
    try {
      return JSON.parse(word) as SpecReference;
    } catch (error) {
      throw badInput(`--reference is not JSON: ${(error as Error).message} in ${JSON.stringify(word.slice(0, 100))}`);
    }
  }
  if (isKernelFile(word)) return { kernel: word };
  if (/\.(?:npy|safetensors)$/.test(word)) return { file: word };
  if (/^\d{1,15}$/.test(word)) return { config: Number(word) };
  return word.endsWith(".json") ? { program: word } : { task: word };
}

async function templateOf(word: string, cwd: string): Promise<Template> {
  const operator = findOperator(word);
  if (operator)
    throw badInput(
      `${word} is an operator, which tune takes; here name one of its templates: ${operator.templates.map(({ name }) => name).join(", ")}`,
    );
  if (!isTemplateFile(word)) return findTemplate(word);
  const { loadTemplate } = await import("../task/template-file.ts");
  return loadTemplate(resolve(cwd, word), word);
}

/** The source as a search names it. */
export function taskNamed({ name, word, version }: Pick<Task, "name" | "word" | "version">): SearchTask {
  if (isKernelFile(word)) return { kernel: basename(word), digest: version ?? "", name };
  if (isTemplateFile(word)) return { file: basename(word), digest: version ?? "", name };
  return { template: name, ...defined({ version }) };
}

/** Where a source's files are, for the log. */
export function pathsOf(source: TaskSource, { spec, reference }: SourceWords, logs: readonly string[], cwd: string): SearchPaths {
  const file = isKernel(source) ? source.word : source.file;
  return defined({
    file: file && resolve(cwd, file),
    spec: spec && resolve(cwd, spec),
    reference: reference === undefined ? undefined : { said: reference, from: cwd },
    logs: logs.length > 0 ? logs.map((log) => resolve(cwd, log)) : undefined,
  });
}

/** Files of a search that are elsewhere now (`--file`). A log is known by its contents, the others by how their names end. */
async function foundAgain(
  kept: KeptSearch,
  files: readonly string[],
  digest: (path: string) => Promise<string>,
): Promise<SearchPaths> {
  const { task, start } = kept.spec;
  const wanted = typeof start === "object" ? start.logs : [];
  let paths = kept.paths;
  for (const path of files) {
    const of = wanted.length > 0 ? await digest(path) : "";
    const log = wanted.findIndex((each) => each.digest === of);
    if (log >= 0) paths = { ...paths, logs: wanted.map((_, i) => (i === log ? path : (paths.logs?.[i] ?? ""))) };
    else if ("kernel" in task && /\.(?:ya?ml|json)$/.test(path)) paths = { ...paths, spec: path };
    else if (("kernel" in task && isKernelFile(path)) || ("file" in task && isTemplateFile(path)))
      paths = { ...paths, file: path };
    else {
      const needs = ["file" in task ? task.file : "kernel" in task ? task.kernel : undefined, ...wanted.map(({ file }) => file)];
      const named = needs.filter((each) => each !== undefined);
      throw badInput(
        `--file ${path} is no file of this search; ${named.length === 0 ? "it has none" : `it has ${named.join(", ")}`}`,
      );
    }
  }
  return paths;
}

/** A search with its task, its files found and unchanged. */
export interface FoundSearch {
  readonly source: TaskSource;
  readonly task: Task;
  readonly paths: SearchPaths;
}

/**
 * The task of a search that is continued. `files`: absolute paths of files that have moved. Throws FarmError INVALID_ARGUMENT
 * that names a file which is gone, or is another one now.
 */
export async function findSearch(
  kept: KeptSearch,
  files: readonly string[],
  { cwd, allowInclude }: { readonly cwd: string; readonly allowInclude?: readonly string[] | undefined },
): Promise<FoundSearch> {
  const { task: asked, args, target = "" } = kept.spec;
  const paths = await foundAgain(kept, files, digestAt);
  await checkLogs(kept, paths);
  if ("operator" in asked) throw badInput(`the search is of the operator ${asked.operator}, which has no space of its own`);
  if ("template" in asked) {
    const source = findTemplate(asked.template);
    if (source.version !== asked.version)
      throw badInput(`the search is of ${otherVersion(asked.template, asked.version, source.version)}; begin another search`);
    return { source, task: createTask(source, args as Json | undefined, target), paths };
  }
  const name = "file" in asked ? asked.file : asked.kernel;
  const path = await found(name, asked.digest, paths.file);
  if (paths.spec !== undefined) await found(basename(paths.spec), "", paths.spec);
  const words = { spec: paths.spec, reference: paths.reference?.said, allowInclude };
  const source = await sourceOf(path, words, { cwd, ...defined({ referenceFrom: paths.reference?.from }) });
  // A kernel's own list has its digest, and its refusal would not say what to do.
  const sizes = isKernel(source) && Array.isArray(args) ? args[0] : args;
  const { taskOfSource } = await import("./task-of-source.ts");
  const task = taskOfSource(source, sizes as Json | undefined, target);
  if (task.version !== asked.digest) throw badInput(changedWords(name, asked.digest, path, task.version ?? "another"));
  return { source, task, paths };
}

/** What a template's values meant then they do not mean now. */
export const otherVersion = (template: string, then: string | undefined, now: string | undefined): string =>
  `${template} ${then === undefined ? "before it had a version" : `of version ${then}`}, and this Warpfarm has ${now === undefined ? "none of it" : `version ${now}`}`;

const remedy = "--file PATH says where it is now";
const changedWords = (name: string, digest: string, path: string, now: string): string =>
  `the search has ${name} with digest ${digest}, and ${path} has ${now}: it has changed; begin another search, or put the file back as it was (${remedy})`;

async function found(name: string, digest: string, path: string | undefined): Promise<string> {
  if (path === undefined || path === "")
    throw badInput(
      `the search has ${name}${digest === "" ? "" : ` with digest ${digest}`}, and its log does not say where that is; ${remedy}`,
    );
  await digestAt(path).catch((error: NodeJS.ErrnoException) => {
    throw badInput(`the search has ${name}, and ${path} cannot be read: ${fileFault(error)}; ${remedy}`);
  });
  return path;
}

async function checkLogs({ spec: { start } }: KeptSearch, { logs: paths = [] }: SearchPaths): Promise<void> {
  for (const [i, { file, digest }] of (typeof start === "object" ? start.logs : []).entries()) {
    const path = await found(file, digest, paths[i]);
    const now = await digestAt(path);
    if (now !== digest) throw badInput(changedWords(file, digest, path, now));
  }
}

const digestAt = async (path: string): Promise<string> => digestOf(await readFile(path));
