/** `best`: the best record of a log of Warpfarm or AutoTVM: its config, or its kernel's text made from the config. */

import { resolve } from "node:path";
import { badInput, configWords, countWords, defined, FarmError, timeWords } from "@warpfarm/common";
import { type CodeProgram, configNamed, decodeProgram, languageOf, languages, lowerProgram } from "@warpfarm/compiler";
import { type Best, type LogRecord, taskOf as recordedTask, secondsOf } from "@warpfarm/records/logs";
import { valuesOf } from "@warpfarm/records/suites";
import { isTemplateFile } from "@warpfarm/templates";
import { codeAsMeasured } from "../../kernel/source-text.ts";
import { sourceOf, type TaskSource } from "../../search/task-source.ts";
import type { CliContext, RegisterCommand } from "../context.ts";
import { CliError, exitCode } from "../exit.ts";
import { integer, oneOf, target } from "../flags/parse.ts";
import { takes } from "../flags/shared-flags.ts";
import { type SkipFlags, skipping } from "../flags/skip-flag.ts";
import { programOf } from "../flags/task-flags.ts";
import { type Screen, screenOf } from "../terminal/screen.ts";
import { table } from "../terminal/table.ts";
import { columns } from "../terminal/words.ts";
import {
  chosen,
  hasTime,
  isKnown,
  type Ranked,
  ranked,
  readTasks,
  recordedTarget,
  type TaskRecords,
  taskOfRecord,
  titleOf,
} from "../tuning/best-records.ts";
import { intervalJson } from "../tuning/finalists-report.ts";

interface BestFlags extends SkipFlags {
  readonly emit?: string;
  readonly target?: string;
  readonly task?: string;
  readonly spec?: string;
  readonly allowInclude?: readonly string[];
  readonly top?: number;
  readonly json?: boolean;
}

function deviceOf(record: LogRecord, of: TaskRecords): string | undefined {
  if (record.kind === "autotvm") return of.device === "" ? undefined : of.device;
  if (record.trial.result.kind !== "timed") return undefined;
  const { name, key } = record.trial.result.device;
  return `${name} (${key})`;
}

/**
 * GFLOPS and the index in today's space (null where it does not have the config) when the task is one of Warpfarm's; a foreign
 * log's config is shown without GFLOPS and with the log's index.
 */
function scoreOf(
  record: LogRecord,
  asked: string | undefined,
  template: TaskSource | undefined,
): { readonly index: number | null; readonly seconds: number; readonly gflops?: number } {
  const seconds = secondsOf(record) ?? Number.NaN;
  const { index, entity } = record.trial.config;
  const known = template !== undefined || isKnown(recordedTask(record).task);
  if (!known || (asked ?? recordedTarget(record)) === undefined) return { index, seconds };
  try {
    const task = taskOfRecord(record, asked, template);
    const config = configNamed(task.space, entity);
    return { index: config.ok ? config.value : null, seconds, gflops: task.flops / seconds / 1e9 };
  } catch (error) {
    // Today's template refuses these arguments, but the time still counts.
    if (error instanceof FarmError && asked === undefined) return { index, seconds };
    throw error;
  }
}

function kernelText(record: LogRecord, emit: string, asked: string | undefined, template: TaskSource | undefined): string {
  const task = taskOfRecord(record, asked, template);
  const config = configNamed(task.space, record.trial.config.entity);
  if (!config.ok) throw badInput(`the record's config does not belong to ${task.name}'s current space: ${config.error}`);
  const decoded = decodeProgram(programOf(task, config.value).bytes);
  if (!decoded.ok) throw new Error("the program does not decode");
  if (decoded.value.kind !== "schedule") return codeText(decoded.value, emit);
  const text = lowerProgram(decoded.value, { emit });
  if (!text.ok) throw badInput(`the best config cannot be printed: ${text.error.message}`);
  return text.value;
}

function codeText(program: CodeProgram, emit: string): string {
  const { extension, bytes } = codeAsMeasured(program);
  if (typeof bytes !== "string") throw badInput("the best config is a cubin, not text; build --index N -o FILE writes it");
  if (emit !== languageOf(program.target).name)
    throw badInput(`--emit is ${emit}; this kernel is ${extension} text, so give --emit ${languageOf(program.target).name}`);
  return bytes;
}

function rankOf(record: LogRecord, { rounds, tied }: Best<LogRecord>) {
  const rank = rounds?.verdict.ranks.find(({ at }) => rounds.kernels[at]?.nearest.of === record);
  if (!rounds || !rank) return undefined;
  const isWinner = rank.at === rounds.verdict.winner.at;
  return { ...rank, isWinner, tied: isWinner ? tied.slice(1).map(({ nearest }) => nearest.of.trial.config) : [] };
}

interface Found extends Pick<Ranked, "found"> {
  readonly record: LogRecord;
  readonly of: TaskRecords;
}

const factsOf = ({ record, of, found }: Found, flags: BestFlags, template: TaskSource | undefined) => {
  const { task, args } = recordedTask(record);
  const { config } = record.trial;
  const device = deviceOf(record, of);
  const rank = rankOf(record, found);
  return {
    task,
    args,
    config: valuesOf(config.entity),
    ...scoreOf(record, flags.target, template),
    ...defined({ device }),
    ...(of.conditions === "" ? {} : { conditions: of.conditions }),
    ...(rank === undefined ? {} : { finalist: finalistFacts(rank) }),
  };
};
const finalistFacts = ({ seconds, ratio, isWinner, tied }: NonNullable<ReturnType<typeof rankOf>>) => ({
  winner: isWinner,
  ...intervalJson("seconds", seconds),
  ratio: ratio.estimate,
  ...(isWinner ? { tied: tied.map(({ entity }) => valuesOf(entity)) } : {}),
});
type Facts = ReturnType<typeof factsOf>;

const indexWords = ({ index }: Facts): string => (index === null ? "not in this space" : String(index));
const speedWords = ({ gflops }: Facts): string => (gflops === undefined ? "" : `${gflops.toFixed(2)} GFLOPS`);

const oneWords = (facts: Facts): string => {
  const speed = speedWords(facts);
  return columns([
    ["task", `${facts.task} ${JSON.stringify(facts.args)}`],
    ["index", indexWords(facts)],
    ["config", configWords(facts.config)],
    ["time", `${timeWords(facts.seconds)}${speed && `, ${speed}`}`],
    ...(facts.device === undefined ? [] : [["device", facts.device] as const]),
    ...(facts.conditions === undefined ? [] : [["conditions", facts.conditions] as const]),
    ...(facts.finalist === undefined ? [] : [["finalist", finalistWords(facts.finalist)] as const]),
  ]);
};

function finalistWords({ winner, seconds, seconds_low, seconds_high, ratio, tied = [] }: NonNullable<Facts["finalist"]>): string {
  const time = `${timeWords(seconds)} [${timeWords(seconds_low)}, ${timeWords(seconds_high)}] interleaved with the others`;
  if (!winner) return `${time}, ${ratio.toFixed(4)} times the winner's`;
  return `the winner: ${time}${tied.length === 0 ? "" : `; as fast within noise: ${tied.map(configWords).join("; ")}`}`;
}

const manyWords = (all: readonly Facts[], { width }: Screen): string =>
  table(
    ["task", "time", "speed", "index", "device", "config"],
    all.map((facts) => [
      `${facts.task} ${JSON.stringify(facts.args)}`,
      timeWords(facts.seconds),
      speedWords(facts),
      indexWords(facts),
      [facts.device ?? "", facts.conditions ?? ""].filter((words) => words !== "").join(", "),
      configWords(facts.config),
    ]),
    { width, fold: 2 },
  );

async function best(context: CliContext, file: string, flags: BestFlags): Promise<void> {
  const template =
    flags.task !== undefined && isTemplateFile(flags.task) ? await sourceOf(flags.task, flags, context) : undefined;
  const tasks = chosen(
    await readTasks(resolve(context.cwd, file), file, { ...skipping(flags), stderr: context.stderr }),
    flags.task,
    template,
  );
  const emit = flags.emit ?? "config";
  const isList = flags.top !== undefined || tasks.length > 1;
  if (emit !== "config" && isList) {
    if (flags.top !== undefined) throw badInput(`--emit ${emit} prints one config; leave --top out`);
    throw badInput(
      `${file} holds ${tasks.length} tasks; --emit ${emit} prints one: choose it with --task from ${tasks.map(titleOf).join("; ")}`,
    );
  }
  const found = tasks.flatMap((of): Found[] => {
    const { records = [], found } = ranked(of, flags.top ?? 1) ?? {};
    return found ? records.map((record) => ({ record, of, found })) : [];
  });
  const first = found[0]?.record;
  if (!first) {
    const count = tasks.reduce((sum, each) => sum + each.records.length, 0);
    throw new CliError(exitCode.noResult, `${file} has ${countWords(count, "record")}, none with a time`);
  }
  for (const each of tasks)
    if (isList && !hasTime(each))
      context.stderr.write(`${titleOf(each)}: it has ${countWords(each.records.length, "record")}, none with a time\n`);
  const all = found.map((each) => factsOf(each, flags, template));
  const [facts] = all as [Facts];
  const text = emit === "config" ? undefined : kernelText(first, emit, flags.target, template);
  if (flags.json && isList) context.stdout.write(`${JSON.stringify({ best: all })}\n`);
  else if (flags.json) context.stdout.write(`${JSON.stringify({ ...facts, ...(text === undefined ? {} : { emit, text }) })}\n`);
  else context.stdout.write(text ?? (isList ? manyWords(all, screenOf(context)) : oneWords(facts)));
}

export const register: RegisterCommand = (program, context) => {
  takes(program.command("best"), "skipBroken", "allowInclude", "json")
    .argument("<file>", "a log of Warpfarm or AutoTVM (0.1 or 0.2), of one task or many, gzipped or not")
    .option(
      "--emit <form>",
      `one of config, ${languages().join(", ")} (default config)`,
      oneOf("--emit", ["config", ...languages()]),
    )
    .option("--target <target>", "print the text for this target (default: the record's)", target("--target"))
    .option("--task <task>", "only this task of the log: its name, or the file of a template or kernel of your own")
    .option("--spec <file>", "for a kernel as --task: its spec (default: the one beside it)")
    .option("--top <n>", "print the n fastest configs of each task", integer("--top", 1, 1_000_000))
    .action((file: string, flags: BestFlags) => best(context, file, flags));
};
