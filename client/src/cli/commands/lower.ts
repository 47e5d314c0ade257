/** `lower`: prints the forms of one config: trace, loop nest, launch, C or CUDA text. Compiles nothing. */
import { badInput, defined, type ManifestNote, parseDebug } from "@warpfarm/common";
import { reportLowering } from "@warpfarm/common/process";
import {
  type CodeProgram,
  compileProgram,
  decodeProgram,
  LoweringLog,
  languageOf,
  lowerForms,
  lowerProgram,
} from "@warpfarm/compiler";
import { codeAsMeasured } from "../../kernel/source-text.ts";
import { taskOfSource } from "../../search/task-of-source.ts";
import { sourceOf } from "../../search/task-source.ts";
import type { RegisterCommand } from "../context.ts";
import { oneOf } from "../flags/parse.ts";
import { readSettings } from "../flags/settings.ts";
import { addTaskFlags, argsOf, indexOf, programOf, type TaskFlags, targetOf } from "../flags/task-flags.ts";

interface LowerFlags extends TaskFlags {
  readonly index: string;
  readonly emit?: string;
  readonly until?: string;
  readonly after?: string;
  readonly json?: boolean;
}

function kernelForm(program: CodeProgram, emit: string, { until }: LowerFlags): string {
  if (until !== undefined) throw badInput("--until names a step of a schedule; a kernel of your own has no schedule");
  if (emit === "launch") {
    const made = compileProgram(program);
    if (!made.ok) throw badInput(made.error.message);
    const { kernels, buffers } = made.value;
    return [...kernels.map((kernel) => ({ kernel })), { buffers }].map((line) => `${JSON.stringify(line)}\n`).join("");
  }
  const { bytes } = codeAsMeasured(program);
  if (emit !== languageOf(program.target).name || typeof bytes !== "string")
    throw badInput(
      `--emit is ${emit}; a kernel of your own has ${typeof bytes === "string" ? `${languageOf(program.target).name} and ` : ""}launch`,
    );
  return bytes;
}

export const register: RegisterCommand = (program, context) => {
  addTaskFlags(program.command("lower"))
    .requiredOption("--index <n>", "the config, a number, `published` or values as JSON")
    .option("--emit <form>", `one of ${lowerForms().join(", ")} (default: the target's language)`, oneOf("--emit", lowerForms()))
    .option("--until <primitive>", "stop after the schedule's last step of this primitive, for instance cache_read")
    .option("--after <pass>", "with --emit ir: show the function after this lowering pass")
    .action(async (name: string, flags: LowerFlags) => {
      const template = await sourceOf(name, flags, context);
      const target = await targetOf(template, flags, await readSettings(context), context);
      const task = taskOfSource(template, argsOf(flags), target);
      const emit = flags.emit ?? languageOf(target).name;
      if (flags.after !== undefined && emit !== "ir") throw badInput(`--after needs --emit ir; --emit is ${emit}`);
      const index = indexOf(task, flags.index);
      const { bytes, digest } = programOf(task, index);
      const decoded = decodeProgram(bytes);
      if (!decoded.ok) throw new Error(`${task.name} ${index} does not decode`);
      if (decoded.value.kind !== "schedule") {
        const text = kernelForm(decoded.value, emit, flags);
        context.stdout.write(flags.json ? `${JSON.stringify({ index, target, emit, text, notes: [] })}\n` : text);
        return;
      }
      const { until, after } = flags;
      const debug = parseDebug(context.env);
      const { level, check, dumpDir } = debug;
      const log = LoweringLog.of({ level, check, dump: dumpDir !== undefined }, () => context.clock.monotonic());
      let notes: readonly ManifestNote[] = [];
      const text = lowerProgram(decoded.value, {
        emit,
        onNotes: (found) => {
          notes = found;
        },
        ...defined({ until, after, log }),
      });
      if (log !== undefined) reportLowering(debug, digest, log, (line) => context.stderr.write(`${line}\n`));
      if (!text.ok) throw badInput(`config ${index} of ${task.name} cannot be lowered: ${text.error.message}`);
      if (!flags.json) for (const { rule, message } of notes) context.stderr.write(`note: ${message} [${rule}]\n`);
      context.stdout.write(flags.json ? `${JSON.stringify({ index, target, emit, text: text.value, notes })}\n` : text.value);
    });
};
