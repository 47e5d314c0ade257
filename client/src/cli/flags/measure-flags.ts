/** `--measure`, how a candidate is measured, and the flags of interleaved programs. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { badInput, defaultPaired, durationWords, type PairedOptions, pairedLimits, unreadable } from "@warpfarm/common";
import { issueWordsOf, measureFields, measurePresets, measureShape, type SearchMeasure } from "@warpfarm/records/search";
import type { Command } from "commander";
import { readYaml } from "../../task/read-yaml.ts";
import { duration, inlineFields, integer, several } from "./parse.ts";

/** Each `--measure` of the command line. */
export interface GivenMeasure {
  readonly measure?: readonly string[];
}

/** Options of interleaved measurements. */
export interface PairedFlags {
  readonly rounds?: number;
  readonly idle?: number;
}

export const addPairedFlags = (command: Command): Command =>
  command
    .option(
      "--rounds <n>",
      `for interleaved programs: repeats of each (default ${defaultPaired.rounds})`,
      integer("--rounds", pairedLimits.rounds.least, pairedLimits.rounds.most),
    )
    .option(
      "--idle <time>",
      `for interleaved programs: pause before each repeat (default ${durationWords(defaultPaired.idleMs)})`,
      duration("--idle", { highMs: pairedLimits.idleMs, usual: "ms" }),
    );

export const pairedOptionsOf = ({ rounds, idle }: PairedFlags): PairedOptions => ({
  rounds: rounds ?? defaultPaired.rounds,
  idleMs: idle ?? defaultPaired.idleMs,
});

export function addMeasureFlag(command: Command): Command {
  return command.option(
    "--measure <how>",
    `${Object.keys(measurePresets).join(", ")} or a file, then fields: quick,repeat=5 (${Object.keys(measureShape).join(", ")})`,
    several,
  );
}

const numbers: readonly string[] = ["number", "repeat", "precision"];
const typedOf = (name: string, text: string): string | number | boolean =>
  numbers.includes(name) && /^-?\d{1,16}(?:\.\d{1,16})?$/.test(text)
    ? Number(text)
    : name === "judged" && /^(?:true|false)$/.test(text)
      ? text === "true"
      : text;

/**
 * `quick`, `how.yaml`, `repeat=5,min_repeat=20ms`, or a preset or file and then fields, which win wherever they stand. Throws bad
 * input that names the flag or the file, the field, and what is allowed.
 */
export async function readMeasure(given: readonly string[] = [], cwd: string): Promise<SearchMeasure> {
  const { words, fields } = inlineFields(given);
  const [base, second] = words;
  if (second !== undefined)
    throw badInput(`--measure names ${JSON.stringify(base)} and ${JSON.stringify(second)}; it takes one preset or file`);
  const typed = [...fields].map(([name, text]) => [name, typedOf(name, text)]);
  return { ...(base === undefined ? {} : await ofBase(base, cwd)), ...read("--measure", Object.fromEntries(typed)) };
}

async function ofBase(base: string, cwd: string): Promise<SearchMeasure> {
  if (Object.hasOwn(measurePresets, base)) return read("--measure", base);
  if (!/\.(ya?ml|json)$/.test(base))
    throw badInput(
      `--measure is ${JSON.stringify(base)}; it takes ${Object.keys(measurePresets).join(", ")}, a file that ends in .yaml or .json, or fields such as repeat=5,min_repeat=20ms`,
    );
  const what = `--measure ${base}`;
  const text = await readFile(resolve(cwd, base), "utf8").catch(unreadable(`--measure names ${JSON.stringify(base)}, which`));
  return read(what, await readYaml(what, text));
}

function read(what: string, document: unknown): SearchMeasure {
  const found = measureFields.safeParse(document);
  if (found.success) return found.data;
  throw badInput(`${what}: ${issueWordsOf(found.error, "the measurement", () => measureShape)}`);
}
