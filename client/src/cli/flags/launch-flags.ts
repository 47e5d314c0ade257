/** Flags that describe a kernel's launch in place of a spec, for code of another compiler. */
import { existsSync, readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { badInput, defined, didYouMean, type Json, unreadable } from "@warpfarm/common";
import type { Command } from "commander";
import type { Launch } from "../../kernel/load-kernel.ts";
import { isKernelFile } from "../../search/task-source.ts";
import type { CliContext } from "../context.ts";
import { inlineFields, integer, json, oneOf, positive, several } from "./parse.ts";
import type { TaskFlags } from "./task-flags.ts";

export interface GateFlags {
  readonly failAbove?: number;
  readonly junit?: string;
}

export const addGateFlags = (command: Command): Command =>
  command
    .option(
      "--fail-above <ratio>",
      "with --paired: end with exit 4 when the whole interval of the ratio to the base is above this, such as 1.02",
      positive("--fail-above", 1000),
    )
    .option("--junit <file>", "with --fail-above: write the verdict as JUnit XML");

export function checkGate({ paired, failAbove, junit }: GateFlags & { readonly paired?: string }): void {
  if (failAbove !== undefined && paired === undefined) throw badInput("--fail-above compares with a base; name it with --paired");
  if (junit !== undefined && failAbove === undefined) throw badInput("--junit writes a verdict, which needs --fail-above");
}

export interface LaunchFlags {
  readonly launch?: readonly string[];
}
export const launchGroup = "A kernel without a spec:";

const readers = {
  entry: (text: string) => text,
  grid: (text: string) => axes("grid", text),
  block: (text: string) => axes("block", text),
  cluster: (text: string) => axes("cluster", text),
  shared_bytes: (text: string) => integer("--launch shared_bytes", 0, 1 << 20)(text),
  cooperative: (text: string) => oneOf("--launch cooperative", ["true", "false"])(text) === "true",
  flags: (text: string) => text.split(/\s+/).filter(Boolean),
};
type LaunchField = keyof typeof readers;

/** `128`, `128x2` or `128x2x1`. */
function axes(name: string, text: string): readonly number[] {
  const numbers = text.split("x").map(Number);
  if (numbers.length <= 3 && numbers.every((n) => Number.isSafeInteger(n) && n >= 1)) return numbers;
  throw badInput(
    `--launch ${name} is ${JSON.stringify(text)}; it takes one to three whole numbers from 1, such as 128 or 128x2x1`,
  );
}

export const addLaunchFlags = (command: Command): Command =>
  command.option(
    "--launch <fields>",
    `entry=add,grid=128x2,block=256, with --args (a list or its file); also cluster, shared_bytes, cooperative=true, and flags of the compiler or of ptxas, such as 'flags=-O2 --maxrregcount=64'`,
    several,
  );

function fieldsOf(given: readonly string[]): { readonly [Name in LaunchField]?: ReturnType<(typeof readers)[Name]> } {
  const { words, fields } = inlineFields(given);
  const names = Object.keys(readers);
  const wrong = [...words, ...fields.keys()].find((name) => !Object.hasOwn(readers, name) || words.includes(name));
  if (wrong !== undefined)
    throw badInput(
      `--launch has ${JSON.stringify(wrong)}${didYouMean(wrong, names)}; it takes name=value of ${names.join(", ")}`,
    );
  return Object.fromEntries([...fields].map(([name, text]) => [name, readers[name as LaunchField](text)]));
}

/** The launch in the flags, undefined where a spec has it; and the task's flags without those of the launch. */
export function launchOf<F extends LaunchFlags & TaskFlags>(
  word: string,
  flags: F,
  { cwd }: Pick<CliContext, "cwd">,
): { readonly launch?: Launch; readonly flags: F } {
  if (flags.launch === undefined) return { flags };
  const { entry, grid, block, ...more } = fieldsOf(flags.launch);
  if (!isKernelFile(word)) throw badInput(`--launch is for files that end in .cu, .ptx or .cubin; ${word} is a template`);
  if (flags.spec !== undefined) throw badInput("--launch and --spec: give one of them");
  if (entry === undefined || grid === undefined || block === undefined || flags.args === undefined)
    throw badInput("--launch goes with entry, grid and block, and with --args, which lists the kernel's arguments");
  const launch = { entry, grid, block, shared_bytes: 0, cluster: [1], cooperative: false, flags: [], ...more };
  const { args, ...rest } = flags;
  return { launch: { ...launch, ...argsFrom(args as string, cwd) }, flags: rest as F };
}

function textOf(path: string, word: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    return unreadable(`--args names ${JSON.stringify(word)}, which`)(error);
  }
}

function argsFrom(text: string, cwd: string): Pick<Launch, "args" | "argsFile"> {
  const path = resolve(cwd, text);
  const isFile = !text.trimStart().startsWith("[") && (existsSync(path) || /^[\w./-]+\.json$/.test(text));
  const file = isFile ? { name: basename(path), text: textOf(path, text) } : undefined;
  const listed = json(isFile ? text : "--args", file?.text ?? text);
  if (!Array.isArray(listed))
    throw badInput(
      `--args: with --launch it is a list of the kernel's arguments, or a file of one, each {"name","dtype","shape","role"} or {"scalar","value"}`,
    );
  return { args: listed as Json, ...defined({ argsFile: file }) };
}
