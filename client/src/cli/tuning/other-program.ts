/**
 * The program that `--paired` names: another config of the task, its default schedule, a program of the farm by its digest, or
 * the user's document.
 */
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import {
  badInput,
  canonicalJson,
  defined,
  digestOf,
  isDigest,
  type ProgramName,
  toProgramDigest,
  unreadable,
} from "@warpfarm/common";
import { programEnvelope } from "@warpfarm/proto";
import type { Task } from "@warpfarm/templates";
import type { Launch } from "../../kernel/load-kernel.ts";
import { taskOfSource } from "../../search/task-of-source.ts";
import { isKernel, isKernelFile, sourceOf, type TaskSource } from "../../search/task-source.ts";
import type { CliContext } from "../context.ts";
import { argsOf, indexOf, programOf, type TaskFlags, tellSent } from "../flags/task-flags.ts";

export interface OtherProgram {
  readonly what: string;
  readonly index?: number;
  readonly program: ProgramName;
}

const allowed =
  "a config's number or values, published, default, the digest of an artifact or program that the farm has (sha256:...), " +
  "or a file: a kernel of your own, a Program document, or code that warpfarm build wrote with its manifest beside it";

const namesConfig = (text: string): boolean => /^(\d{1,16}|published|\{.*\})$/.test(text);

/** Finds mistakes before a farm is started. */
export function refuseOther(text: string, { cwd }: Pick<CliContext, "cwd">): void {
  if (namesConfig(text) || text === "default" || isDigest(text) || existsSync(resolve(cwd, text))) return;
  throw badInput(`--paired is ${JSON.stringify(text)}, and there is no such file; it takes ${allowed}`);
}

/** The default config of a kernel's file, on a target, by the spec next to it or by the launch of the command. */
export async function kernelBase(
  text: string,
  source: TaskSource,
  launch: Launch | undefined,
  flags: TaskFlags,
  context: Pick<CliContext, "cwd" | "stderr">,
): Promise<((target: string) => OtherProgram) | undefined> {
  if (!isKernelFile(text) || existsSync(`${resolve(context.cwd, text)}.manifest.json`)) return undefined;
  const spec = isKernel(source) && launch === undefined && flags.spec !== undefined ? { spec: flags.spec } : {};
  const other = await sourceOf(text, { ...spec, ...defined({ allowInclude: flags.allowInclude }) }, context, launch);
  tellSent(other, context);
  return (target) => {
    const task = taskOfSource(other, argsOf(flags), target);
    return { what: `${text}'s default config`, program: programOf(task, task.standard ?? task.space.toIndex(0)) };
  };
}

export function otherProgram(text: string, task: Task, { cwd }: Pick<CliContext, "cwd">): OtherProgram {
  if (text === "default") return { what: "the default schedule", program: task.base ?? task.reference };
  if (isDigest(text)) return { what: text, program: { digest: toProgramDigest(text) } };
  if (!namesConfig(text)) return ofFile(resolve(cwd, text), text);
  const index = indexOf(task, text, "--paired");
  return { what: `index ${index}`, index, program: programOf(task, index) };
}

/** Code is not sent. The farm builds the program that the manifest names, if it has the program. */
function ofFile(path: string, name: string): OtherProgram {
  const manifest = `${path}.manifest.json`;
  const json = readJson(existsSync(manifest) ? manifest : path, name);
  if (typeof json.code === "string" && isDigest(String(json.program)))
    return { what: `the program of ${name}`, program: { digest: toProgramDigest(String(json.program)) } };
  const bytes = Buffer.from(canonicalJson(json));
  programEnvelope(`--paired ${name}`, bytes);
  return { what: name, program: { digest: toProgramDigest(digestOf(bytes)), bytes } };
}

function readJson(path: string, name: string): Readonly<Record<string, unknown>> {
  try {
    const json: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (typeof json === "object" && json !== null && !Array.isArray(json)) return json as Record<string, unknown>;
  } catch (error) {
    if (!(error instanceof SyntaxError)) unreadable(`--paired names ${JSON.stringify(name)}, which`)(error);
  }
  throw badInput(
    `--paired names ${JSON.stringify(name)}, which is not a Program document and has no manifest; it takes ${allowed}`,
  );
}
