import { readFile } from "node:fs/promises";
import {
  badInput,
  canonicalJson,
  digestOf,
  type FarmError,
  type Json,
  reviveJson,
  toProgramDigest,
  unreadable,
} from "@warpfarm/common";
import { decodeProgram } from "@warpfarm/compiler/language";
import { createTask, findTemplate, isTemplateFile } from "@warpfarm/templates";
import { type Environment, evaluated } from "./evaluate.ts";
import { createKernelTask, isOwn, type KernelSource, type ReferenceOf, type ReferenceSource } from "./kernel-task.ts";
import { type Reach, reached } from "./reach.ts";
import type { SpecReference } from "./spec.ts";
import { outputValues } from "./tensor-values.ts";

/** `kernel` loads another kernel. `outputs` are the kernel's. Throws FarmError. */
export async function readReference(
  said: SpecReference,
  reach: Reach,
  outputs: readonly string[],
  kernel: (path: string, word: string, spec: string | undefined) => Promise<KernelSource>,
): Promise<ReferenceSource> {
  const { kernel: file, spec, task, args, program, file: recorded, config } = said;
  if ([file, task, program, recorded, config].filter((one) => one !== undefined).length !== 1)
    throw bad("takes one of kernel, task, program, file and config");
  if (spec !== undefined && file === undefined) throw bad("spec needs a kernel");
  if (args !== undefined && task === undefined) throw bad("args need a task");
  const at = (word: string) => reached(reach, word, bad);
  if (recorded !== undefined) return { outputs: await outputValues(recorded, outputs, reach) };
  if (config !== undefined) return { config };
  if (file !== undefined) return { kernel: await kernel(await at(file), file, spec === undefined ? undefined : await at(spec)) };
  if (task !== undefined) {
    const { loadTemplate } = await import("../task/template-file.ts");
    return { template: isTemplateFile(task) ? await loadTemplate(await at(task), task) : findTemplate(task).name, args };
  }
  return { program: await programIn(await at(program as string), program as string) };
}

/** Undefined for a reference that only the kernel's own task can make. */
export function referenceFrom(source: ReferenceSource): ReferenceOf | undefined {
  if (isOwn(source)) return undefined;
  if ("program" in source) return () => source.program;
  if ("kernel" in source)
    return (target, problem) => {
      const sizes = Object.entries(problem).filter(([name]) => Object.hasOwn(source.kernel.spec.problem, name));
      return createKernelTask(source.kernel, Object.fromEntries(sizes) as Json, target).reference;
    };
  const { template, args } = source;
  return (target, problem) => createTask(template, args === undefined ? undefined : filledIn(args, problem), target).reference;
}

const bad = (why: string): FarmError => badInput(`reference: ${why}`);

/** Evaluates texts that are expressions of the sizes. Others, such as a dtype, stay. */
function filledIn(args: Json, problem: Environment): Json {
  if (typeof args === "string") {
    const value = evaluated(args, problem);
    return value.ok && typeof value.value === "number" ? value.value : args;
  }
  if (Array.isArray(args)) return args.map((each) => filledIn(each, problem));
  if (typeof args !== "object" || args === null) return args;
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, filledIn(value, problem)]));
}

async function programIn(path: string, name: string) {
  const text = await readFile(path, "utf8").catch(unreadable(`reference: ${name}`));
  let json: Json;
  try {
    json = JSON.parse(text, reviveJson) as Json;
  } catch (error) {
    throw bad(`${name} is not JSON: ${(error as Error).message}`);
  }
  const bytes = Buffer.from(canonicalJson(json));
  const decoded = decodeProgram(bytes);
  if (!decoded.ok) throw bad(`${name} is not a Program document: ${decoded.error.message}`);
  return { digest: toProgramDigest(digestOf(bytes)), bytes };
}
