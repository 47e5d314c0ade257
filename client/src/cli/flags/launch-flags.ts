/** Flags that describe a kernel's launch in place of a spec, for code of another compiler. */
import { existsSync, readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { defined, type Json, unreadable } from "@warpfarm/common";
import type { Command } from "commander";
import type { Launch } from "../../kernel/load-kernel.ts";
import { isKernelFile } from "../../search/task-source.ts";
import type { CliContext } from "../context.ts";
import { badInput } from "../exit.ts";
import { integer, json, positive } from "./parse.ts";
import type { TaskFlags } from "./task-flags.ts";

/** A regression gate: the base, and how much slower than it is too slow. */
export interface GateFlags {
  readonly against?: string;
  readonly failAbove?: number;
  readonly junit?: string;
}

export const addGateFlags = (command: Command): Command =>
  command
    .option("--against <base>", "like --paired; also takes a kernel's file, for its default config")
    .option(
      "--fail-above <ratio>",
      "with --against: end with exit 4 when the whole interval of the ratio to the base is above this, such as 1.02",
      positive("--fail-above", 1000),
    )
    .option("--junit <file>", "with --fail-above: write the verdict as JUnit XML");

/** The program to measure interleaved with, by either of its flags. */
export function baseOf({ paired, against, failAbove, junit }: GateFlags & { readonly paired?: string }): string | undefined {
  if (paired !== undefined && against !== undefined) throw badInput("--paired and --against name one thing; give one of them");
  if (failAbove !== undefined && against === undefined)
    throw badInput("--fail-above compares with a base; name it with --against");
  if (junit !== undefined && failAbove === undefined) throw badInput("--junit writes a verdict, which needs --fail-above");
  return against ?? paired;
}

export interface LaunchFlags {
  readonly entry?: string;
  readonly grid?: readonly number[];
  readonly block?: readonly number[];
  readonly smem?: number;
  readonly cluster?: readonly number[];
  readonly cooperative?: boolean;
  readonly compilerFlags?: string;
}

/** `128`, `128,2` or `128x2x1`. */
const axes =
  (flag: string) =>
  (text: string): readonly number[] => {
    const numbers = text.split(/[,x]/).map(Number);
    if (numbers.length <= 3 && numbers.every((n) => Number.isSafeInteger(n) && n >= 1)) return numbers;
    throw badInput(`${flag} is ${JSON.stringify(text)}; it takes one to three whole numbers from 1, such as 128 or 128,2,1`);
  };

export const addLaunchFlags = (command: Command): Command =>
  command
    .option(
      "--entry <symbol>",
      "for a kernel without a spec: the symbol to launch; needs --grid, --block and --args (a list or its file)",
    )
    .option("--grid <x,y,z>", "with --entry: blocks", axes("--grid"))
    .option("--block <x,y,z>", "with --entry: threads per block", axes("--block"))
    .option("--smem <bytes>", "with --entry: dynamic shared memory (default 0)", integer("--smem", 0, 1 << 20))
    .option("--cluster <x,y,z>", "with --entry: blocks per cluster (default 1)", axes("--cluster"))
    .option("--cooperative", "with --entry: a cooperative launch, for a kernel that waits for its whole grid")
    .option("--compiler-flags <flags>", "with --entry: flags of the compiler or of ptxas, separated by blanks");

const others = ["grid", "block", "smem", "cluster", "cooperative", "compilerFlags"] as const;
const spelled = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** The launch in the flags, undefined where a spec has it; and the task's flags without those of the launch. */
export function launchOf<F extends LaunchFlags & TaskFlags>(
  word: string,
  flags: F,
  { cwd }: Pick<CliContext, "cwd">,
): { readonly launch?: Launch; readonly flags: F } {
  const { entry, grid, block, smem = 0, cluster = [1], cooperative = false, compilerFlags = "", args } = flags;
  const given = others.find((name) => flags[name] !== undefined);
  if (entry === undefined) {
    if (given !== undefined) throw badInput(`${spelled(given)} is for kernels without a spec; name the kernel with --entry`);
    return { flags };
  }
  if (!isKernelFile(word)) throw badInput(`--entry is for files that end in .cu, .ptx or .cubin; ${word} is a template`);
  if (flags.spec !== undefined) throw badInput("--entry and --spec: give one of them");
  if (grid === undefined || block === undefined || args === undefined)
    throw badInput("--entry goes with --grid, --block and --args, which lists the kernel's arguments");
  const listed = argsFrom(args, cwd);
  const launch = {
    entry,
    grid,
    block,
    shared_bytes: smem,
    cluster,
    cooperative,
    flags: compilerFlags.split(/\s+/).filter(Boolean),
    ...listed,
  };
  const { args: _, ...rest } = flags;
  return { launch, flags: rest as F };
}

function textOf(path: string, word: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    return unreadable(`--args names ${JSON.stringify(word)}, which`)(error);
  }
}

/** JSON, or the name of a file of it. */
function argsFrom(text: string, cwd: string): Pick<Launch, "args" | "argsFile"> {
  const path = resolve(cwd, text);
  const isFile = !text.trimStart().startsWith("[") && (existsSync(path) || /^[\w./-]+\.json$/.test(text));
  const file = isFile ? { name: basename(path), text: textOf(path, text) } : undefined;
  const listed = json(isFile ? text : "--args", file?.text ?? text);
  if (!Array.isArray(listed))
    throw badInput(
      `--args: with --entry it is a list of the kernel's arguments, or a file of one, each {"name","dtype","shape","role"} or {"scalar","value"}`,
    );
  return { args: listed as Json, ...defined({ argsFile: file }) };
}
