/** `best`: the fastest record of a log, ours or AutoTVM's: its config, or its kernel's text made again from the config. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Json } from "@warpfarm/common";
import { configFromJson, decodeProgram, lowerProgram } from "@warpfarm/compiler";
import { readLog } from "../record/read-log.ts";
import { bestOf, type LogRecord, taskOf as recordedTask, secondsOf } from "../record/record.ts";
import { targetOfAutotvm } from "../record/target-text.ts";
import type { Template } from "../task/define-template.ts";
import { createTask, type Task } from "../task/task.ts";
import { templates } from "../task/templates/index.ts";
import type { RegisterCommand } from "./context.ts";
import { badInput, CliError, exitCode } from "./exit.ts";
import { oneOf, target } from "./parse.ts";
import { programOf, templateOf } from "./task-flags.ts";
import { columns, configObject, configWords, timeWords } from "./tune-report.ts";

interface BestFlags {
  readonly emit?: "config" | "c" | "cuda";
  readonly target?: string;
  readonly task?: string;
  readonly json?: boolean;
}

async function readBest(path: string, name: string): Promise<LogRecord> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    throw badInput(`log ${JSON.stringify(name)} cannot be read: ${(error as NodeJS.ErrnoException).code ?? "error"}`);
  }
  const { records } = readLog(text, name);
  const tasks = [...new Set(records.map(recordedTask).map(({ task, args }) => JSON.stringify([task, args])))];
  if (records.length === 0) throw badInput(`${name} has no records`);
  if (tasks.length > 1) throw badInput(`${name} holds ${tasks.length} tasks; best takes the log of one`);
  const best = bestOf(records);
  if (best) return best;
  throw new CliError(exitCode.noResult, `none of the ${records.length} records of ${name} has a time`);
}

/** The build target of the record; undefined when TVM's text names no architecture. */
const recordedTarget = (record: LogRecord): string | undefined =>
  record.kind === "warpfarm" ? record.trial.run.target : targetOfAutotvm(record.trial.targetText);

const isKnown = (task: string): boolean => templates.some(({ name, aliases }) => [name, ...aliases].includes(task));

/** The task as it was when the record was made, or on another target when asked. */
function taskOfRecord(record: LogRecord, asked: string | undefined, template?: Template): Task {
  const { task, args } = recordedTask(record);
  const on = asked ?? recordedTarget(record);
  if (on === undefined) throw badInput("the record's target names no architecture; give --target");
  if (template && template.name !== task)
    throw badInput(`--task ${template.file ?? template.name} is the template ${template.name}, but the log is of ${task}`);
  if (!template && !isKnown(task))
    throw badInput(`the log is of ${task}, which does not come with Warpfarm; --task names the file of a template of your own`);
  return createTask(template ?? task, args as Json, on);
}

/** GFLOPS when the task is one of ours; a foreign log's config is shown without. */
function scoreOf(
  record: LogRecord,
  asked: string | undefined,
  template: Template | undefined,
): { readonly seconds: number; readonly gflops?: number } {
  const seconds = secondsOf(record) ?? Number.NaN;
  const known = template !== undefined || isKnown(recordedTask(record).task);
  if (!known || (asked ?? recordedTarget(record)) === undefined) return { seconds };
  return { seconds, gflops: taskOfRecord(record, asked, template).flops / seconds / 1e9 };
}

function kernelText(record: LogRecord, emit: "c" | "cuda", asked: string | undefined, template: Template | undefined): string {
  const task = taskOfRecord(record, asked, template);
  const config = configFromJson(task.space, record.trial.config);
  if (!config.ok) throw badInput(`the record's config is not of ${task.name}'s space of today: ${config.error}`);
  const decoded = decodeProgram(programOf(task, config.value.index).bytes);
  if (!decoded.ok || decoded.value.kind !== "schedule") throw new Error("the program does not decode to a schedule");
  const text = lowerProgram(decoded.value, { emit });
  if (!text.ok) throw badInput(`the best config cannot be printed: ${text.error.message}`);
  return text.value;
}

export const register: RegisterCommand = (program, context) => {
  program
    .command("best")
    .description("the fastest record of a log: its config, or its kernel as C or CUDA text")
    .argument("<file>", "a log of warpfarm or of AutoTVM")
    .option("--emit <form>", "config, c or cuda (default config)", oneOf("--emit", ["config", "c", "cuda"]))
    .option("--target <target>", "make the text for this target (default: the record's)", target("--target"))
    .option("--task <file>", "the template's file, when the log is of a template of your own")
    .option("--json", "one line of JSON on stdout")
    .action(async (file: string, flags: BestFlags) => {
      const record = await readBest(resolve(context.cwd, file), file);
      const emit = flags.emit ?? "config";
      const template = flags.task === undefined ? undefined : await templateOf(flags.task, context);
      const { task, args } = recordedTask(record);
      const { config } = record.trial;
      const score = scoreOf(record, flags.target, template);
      const facts = { task, args, index: config.index, config: configObject(config), ...score };
      const text = emit === "config" ? undefined : kernelText(record, emit, flags.target, template);
      if (flags.json) context.stdout.write(`${JSON.stringify({ ...facts, ...(text === undefined ? {} : { emit, text }) })}\n`);
      else if (text !== undefined) context.stdout.write(text);
      else {
        const speed = score.gflops === undefined ? "" : `, ${score.gflops.toFixed(2)} GFLOPS`;
        const lines = [
          ["task", `${task} ${JSON.stringify(args)}`],
          ["index", String(config.index)],
          ["config", configWords(facts.config)],
          ["time", `${timeWords(score.seconds)}${speed}`],
        ] as const;
        context.stdout.write(columns(lines));
      }
    });
};
