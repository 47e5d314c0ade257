/**
 * `build`: compiles one config on this machine, without a farm. Writes the code, and a manifest that says how to launch it.
 */
import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { badInput, canonicalJson, measureErrorName, unwritable } from "@warpfarm/common";
import { taskOfSource } from "../../search/task-of-source.ts";
import { sourceOf } from "../../search/task-source.ts";
import type { CliContext, RegisterCommand } from "../context.ts";
import { CliError, exitCode, withRule } from "../exit.ts";
import { inGroup } from "../flags/groups.ts";
import { addLaunchFlags, type LaunchFlags, launchGroup, launchOf } from "../flags/launch-flags.ts";
import { duration } from "../flags/parse.ts";
import { readSettings } from "../flags/settings.ts";
import { addTaskFlags, argsOf, indexOf, programOf, type TaskFlags, targetOf } from "../flags/task-flags.ts";
import { buildWords, columns } from "../terminal/words.ts";

interface BuildFlags extends TaskFlags, LaunchFlags {
  readonly index?: string;
  readonly output: string;
  readonly buildTimeout?: number;
  readonly json?: boolean;
}

export const register: RegisterCommand = (program, context) => {
  const command = addTaskFlags(program.command("build"));
  inGroup(command, launchGroup, addLaunchFlags)
    .option("--index <n>", "the config, a number, `published` or values as JSON; optional when there is only one")
    .requiredOption("-o, --output <file>", "write the code here; - for standard output, without the manifest")
    .option("--build-timeout <time>", "limit for the build (default 30s)", duration("--build-timeout", { highMs: 600_000 }))
    .action((name: string, flags: BuildFlags) => buildCommand(context, name, flags));
};

const isStdout = (file: string): boolean => ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].includes(file);

async function buildCommand(context: CliContext, name: string, given: BuildFlags): Promise<void> {
  const { launch, flags } = launchOf(name, given, context);
  if (isStdout(flags.output)) {
    if (flags.json) throw badInput(`-o ${flags.output} and --json both write to standard output; name a file with -o`);
    if (context.stdout.isTTY)
      throw badInput(`-o ${flags.output} is a terminal, and the code is binary; name a file, or send it through a pipe`);
  }
  const settings = await readSettings(context);
  const source = await sourceOf(name, flags, context, launch);
  const target = await targetOf(source, flags, settings, context);
  const task = taskOfSource(source, argsOf(flags), target);
  const index = indexOf(task, flags.index);
  const program = programOf(task, index);
  const built = await context.buildHere(program, {
    timeoutMs: flags.buildTimeout ?? 30_000,
    cacheDir: settings.cacheDir,
    signal: context.signal,
    ...(task.uploads ? { bundles: task.uploads } : {}),
  });
  if (built.kind === "failed") {
    const { errorNo, rule, message, log } = built.result;
    if (log) context.stderr.write(`${log.trimEnd()}\n`);
    throw new CliError(
      exitCode.noResult,
      `config ${index} does not build: ${measureErrorName(errorNo)}: ${withRule({ message, rule })}`,
    );
  }
  const { manifest, code, buildMs } = built;
  const size = `${code.length} bytes, ${manifest.format}`;
  const facts = [
    ["kernels", manifest.kernels.map((kernel) => kernel.name).join(", ")],
    ["toolchain", manifest.toolchain],
    ["build", buildWords(buildMs)],
  ] as const;
  if (isStdout(flags.output)) {
    context.stdout.write(code);
    context.stderr.write(
      columns([["code", `${size}, to standard output; the manifest comes beside a file (-o FILE)`], ...facts]),
    );
    return;
  }
  const codePath = resolve(context.cwd, flags.output);
  const manifestPath = `${codePath}.manifest.json`;
  const cannotWrite = unwritable(`-o names ${JSON.stringify(flags.output)}, which`);
  await writeFile(codePath, code).catch(cannotWrite);
  await writeFile(manifestPath, `${canonicalJson(manifest)}\n`).catch(cannotWrite);
  const report = {
    index,
    target,
    program: program.digest,
    code: codePath,
    manifest: manifestPath,
    format: manifest.format,
    bytes: code.length,
    sha256: createHash("sha256").update(code).digest("hex"),
    toolchain: manifest.toolchain,
    ...(buildMs > 0 ? { build_ms: buildMs } : {}),
  };
  if (flags.json) context.stdout.write(`${JSON.stringify(report)}\n`);
  else context.stdout.write(columns([["code", `${codePath} (${size})`], ["manifest", manifestPath], ...facts]));
}
