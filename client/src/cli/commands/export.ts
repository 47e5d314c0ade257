/** `export`: writes kernels, as text or code, with everything that launches them, as files that need nothing of Warpfarm. */
import { copyFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { badInput, countWords, defined, type Json, measureErrorName, shellWord, timeWords, unwritable } from "@warpfarm/common";
import { languageOf } from "@warpfarm/compiler";
import { type ExportFormat, exportFiles, exportFormats, hasCode } from "../../export/files.ts";
import type { ExportCode } from "../../export/launch-json.ts";
import { type ModelDocument, weightsFile } from "../../export/model/model.ts";
import type { ExportUnit } from "../../export/unit.ts";
import { compiled, writeFiles } from "../../export/write-export.ts";
import type { CliContext, RegisterCommand } from "../context.ts";
import { CliError, exitCode, withRule } from "../exit.ts";
import { inGroup } from "../flags/groups.ts";
import { duration, oneOf, targetOrBackend } from "../flags/parse.ts";
import { readSettings } from "../flags/settings.ts";
import { takes } from "../flags/shared-flags.ts";
import { epilogueAbout } from "../flags/task-flags.ts";
import { recordSource } from "../records/source.ts";
import { severalAtOnce } from "../several-at-once.ts";
import { opsOf, suiteUnits } from "../suite/export-suite.ts";
import { columns } from "../terminal/words.ts";
import { type ExportFlags, exportUnits } from "../tuning/export-inputs.ts";

export const register: RegisterCommand = (program, context) => {
  const command = program
    .command("export")
    .argument(
      "<what>",
      "a task (the best of its records, or --index), a log (the best of each task), one line of a log (conv.jsonl:17), a record's id, or a suite or pack (what was chosen for each shape)",
    )
    .requiredOption("-o, --output <folder>", "write the files here; created when missing")
    .option(
      "--format <form>",
      `${exportFormats.join(", ")} (default: cuda or c, by the target)`,
      oneOf("--format", exportFormats),
    )
    .option("--args <json>", "for a task: its arguments (default: the documented ones)")
    .option("--epilogue <list>", `for a task: ${epilogueAbout}`)
    .option("--index <n>", "for a task: the config, a number, `published` or values as JSON (default: the best of the records)")
    .option("--task <task>", "only this task of a log: its name, or the file of a template or kernel of your own");
  inGroup(command, "What is written:", (written) =>
    written
      .option(
        "--target <target>",
        "compile for this target (default: the record's, or the format's usual one)",
        targetOrBackend("--target"),
      )
      .option(
        "--device-name <name>",
        "for a task or log: take the best of the records of this model, such as 'NVIDIA H100 80GB HBM3'",
      )
      .option("--spec <file>", "for a kernel: its spec (default: my-kernel.yaml beside my-kernel.cu)")
      .option("--plan <file>", "for a suite: the plan of a model, suite.plan.json; adds model.py, which runs it, and the weights")
      .option("--name <name>", "prefix of functions and files (default: the task's name)", symbol)
      .option(
        "--build-timeout <time>",
        "limit for building a cubin or PTX (default 60s)",
        duration("--build-timeout", { highMs: 600_000 }),
      ),
  );
  takes(command, ...recordSource, "allowInclude", "json").action((what: string, flags: ExportFlags) =>
    exportCommand(context, what, flags),
  );
};

function symbol(text: string): string {
  if (/^[A-Za-z]\w{0,63}$/.test(text)) return text;
  throw badInput(`--name is ${JSON.stringify(text)}; it takes a letter, then at most 63 letters, digits and _`);
}

async function exportCommand(context: CliContext, what: string, flags: ExportFlags): Promise<void> {
  if (flags.plan !== undefined && flags.format !== undefined && flags.format !== "python")
    throw badInput(
      `--plan writes a runner in Python, with kernels as --format python has them; --format ${flags.format} does not`,
    );
  const asked = (await suiteUnits(context, what, flags)) ?? (await exportUnits(context, what, flags));
  const { units, fronts, library, model } = asked;
  const [first] = units as [ExportUnit];
  const usual: ExportFormat = languageOf(first.target).name === "c" ? "c" : "cuda";
  const format = flags.format ?? (model ? "python" : usual);
  const codes = hasCode(format) ? await codesOf(context, units, format, flags) : new Map<string, ExportCode>();
  const files = exportFiles(format, library, units, codes, fronts, model?.document);
  const folder = resolve(context.cwd, flags.output);
  const cannotWrite = unwritable(`-o names ${JSON.stringify(flags.output)}, which`);
  await writeFiles(folder, files).catch(cannotWrite);
  if (model) await copyFile(model.weights, join(folder, weightsFile)).catch(cannotWrite);
  // Folders of headers by their names: they may hold thousands of files.
  const names = [...new Set([...files.keys(), ...(model ? [weightsFile] : [])].map((name) => name.replace(/\/.*$/, "/")))];
  if (flags.json) {
    const kernels = units.map(({ name, task, args, target, index, program, nearest }) => ({
      name,
      task,
      args,
      target,
      index,
      program: program.digest,
      ...defined({ nearest }),
      ...(asked.untimed?.includes(name) ? { untimed: true } : {}),
    }));
    const libraries = fronts.flatMap((front) => (front.libraries ?? []).map(({ args }) => ({ entry: front.name, args })));
    context.stdout.write(`${JSON.stringify({ format, folder, files: names, kernels, libraries })}\n`);
    return;
  }
  context.stdout.write(
    columns([
      ...units.map(
        ({ name, task, args, index, target }) =>
          [
            "kernel",
            `${name}: ${task} ${argsWords(args)}, ${index === undefined ? "the default schedule" : `config ${index}`}, for ${target}`,
          ] as const,
      ),
      ...fronts.flatMap(({ name, libraries = [] }) =>
        libraries.map(({ args }) => ["library", `${name}: ${argsWords(args)}, by the function that you register`] as const),
      ),
      ...units.flatMap(({ nearest }) => (nearest ? [["nearest", nearestWords(nearest)] as const] : [])),
      ...(asked.untimed ?? []).map((name) => ["no time", `${name} has the config that a search begins with`] as const),
      ...(model ? [["model", modelWords(model.document)] as const] : []),
      ["files", `${names.join(", ")} in ${folder}`],
      ...(names.includes("CMakeLists.txt")
        ? [["check", `cmake -S ${shellWord(folder)} -B BUILD && cmake --build BUILD && ctest --test-dir BUILD`] as const]
        : []),
    ]),
  );
}

/** Of a subgraph its operators: --json has the nodes. */
function argsWords(args: Json): string {
  const ops = opsOf(args);
  if (ops.length === 0) return JSON.stringify(args);
  return `of ${ops.slice(0, mostOps).join(", ")}${ops.length > mostOps ? ` and ${ops.length - mostOps} more` : ""}`;
}
const mostOps = 8;

const nearestWords = ({ args, seconds, device }: NonNullable<ExportUnit["nearest"]>): string =>
  `no record of this shape qualifies; this is the best config of ${argsWords(args)}, ${timeWords(seconds)} there${device ? ` on ${device}` : ""}; nobody has measured it here`;

const modelWords = ({ model, steps, memory_bytes, tensor_bytes }: ModelDocument): string =>
  `${model}: ${countWords(steps.length, "step")}, ${memory_bytes} bytes of memory for ${tensor_bytes} bytes of tensors; model.py runs it`;

/** As many builds at once as there are processors. */
async function codesOf(
  context: CliContext,
  units: readonly ExportUnit[],
  format: ExportFormat,
  flags: ExportFlags,
): Promise<ReadonlyMap<string, ExportCode>> {
  const codes = new Map<string, ExportCode>();
  await severalAtOnce(availableParallelism(), units, async (unit) => {
    codes.set(unit.name, await codeOf(context, unit, format, flags));
  });
  return codes;
}

async function codeOf(context: CliContext, unit: ExportUnit, format: ExportFormat, flags: ExportFlags): Promise<ExportCode> {
  const { cacheDir } = await readSettings(context);
  const { signal } = context;
  const code = await compiled(context, unit, format, { timeoutMs: flags.buildTimeout ?? 60_000, cacheDir, signal });
  if (code.ok) return code.value;
  const { errorNo, rule, message, log } = code.error;
  if (log) context.stderr.write(`${log.trimEnd()}\n`);
  throw new CliError(
    exitCode.noResult,
    `${unit.name} does not build: ${measureErrorName(errorNo)}: ${withRule({ message, rule })}`,
  );
}
