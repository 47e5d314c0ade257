/**
 * `demo`, which `npm start` runs: an embedded farm of three processes tunes a real convolution, the last 3x3 layer of ResNet, on
 * this machine's GPU when it has one that can be used, else on its CPU, and shows the result. With `--keep` the farm keeps
 * running afterwards until Ctrl-C, and searches suites that are handed to it.
 */
import { resolve } from "node:path";
import { type CliContext, exitCode, makeDirectory, parse, type RegisterCommand, readSettings, takes } from "@warpfarm/client/cli";
import {
  addDeviceFlag,
  chooseKey,
  type DeviceFlags,
  defaultLogName,
  type FarmAccess,
  openFarm,
  screenOf,
  shown,
  summaryWords,
  tuneOnFarm,
  wholeSpec,
  workOnSuites,
} from "@warpfarm/client/cli/farm";
import { backendOf, countWords, Registry, shellWord } from "@warpfarm/common";
import { createTask } from "@warpfarm/templates";
import { servePageOfLogs } from "./page-of-logs.ts";

interface Demo {
  readonly task: string;
  readonly trials: number;
  readonly measure: { readonly min_repeat?: string };
}

/** By backend: the convolution's template, and a number of trials that takes about a minute. */
const demos = new Registry<Demo>("demo for the backend", {
  cpu: { task: "conv2d_nchw_cpu", trials: 80, measure: {} },
  cuda: { task: "tutorial/conv2d_no_batching", trials: 240, measure: { min_repeat: "20ms" } },
});

interface DemoFlags extends DeviceFlags {
  readonly trials?: number;
  readonly seed?: number;
  readonly keep?: boolean;
  readonly json?: boolean;
}

export const register: RegisterCommand = (program, context) => {
  takes(addDeviceFlag(program.command("demo")), "json")
    .option(
      "--trials <n>",
      `candidates (default ${demos.names.map((name) => `${demos.of(name).trials} on ${name}`).join(", ")})`,
      parse.integer("--trials", 1, 100_000),
    )
    .option("--seed <n>", "makes the search repeatable (default 0)", parse.integer("--seed", -(2 ** 31), 2 ** 31 - 1))
    .option("--keep", "keep the farm running afterwards, until Ctrl-C")
    .action((flags: DemoFlags) => demo(context, flags, program.version() ?? ""));
};

async function demo(context: CliContext, flags: DemoFlags, version: string): Promise<void> {
  const settings = await readSettings(context);
  const say = (text: string) => context.stderr.write(`${text}\n`);
  await makeDirectory("logs", settings.logDir, context.stderr);
  await using farm = await openFarm(context, settings, { device: flags.device ?? "auto" });
  const backend = backendOf(farm.keys[0] ?? "");
  const demo = demos.of(backend);
  const key = chooseKey(farm.keys, backend, undefined);
  const task = createTask(demo.task, undefined, key);
  const names = "N, H, W, CO, CI, KH, KW, stride, padding";
  say(
    `tuning ${task.name} (${names}) = ${JSON.stringify(task.args)} for ${key}; ${countWords(task.space.size, "config")}, ${(task.flops / 1e6).toFixed(1)} Mflop a run`,
  );
  const logPath = resolve(settings.logDir, defaultLogName(task.name, key, context.clock.now()));
  const { server } = await servePageOfLogs(context, { paths: [logPath], port: 0, version, mayCome: true });
  await using _ = server;
  say(`page: ${server.address} shows the search while the command runs${flags.keep ? "" : "; --keep keeps it"}`);
  const { trials, measure } = demo;
  const asked = {
    tuner: "auto",
    seed: flags.seed ?? 0,
    budget: { trials: flags.trials ?? trials },
    finalists: { count: 0 },
    measure,
  };
  const spec = wholeSpec({ version: 1, task: { template: task.name }, ...asked }, task, key);
  const again = flags.device === undefined ? "" : ` --device ${flags.device}`;
  const { report, facts, files } = await tuneOnFarm(context, farm, { task, spec, logPath, resume: false, again });
  if (flags.json) context.stdout.write(`${JSON.stringify(report)}\n`);
  else
    context.stdout.write(
      `\n${summaryWords(
        report,
        { ...facts, files: files.map(([what, path]) => [what, shown(context, path)]) },
        screenOf(context).width,
      )}\n${nextSteps(shown(context, logPath), 2 * spec.budget.trials)}`,
    );
  if (!report.best) {
    say("no candidate could be timed; the log has the reason of each");
    context.setExitCode(exitCode.noResult);
  }
  if (flags.keep) await stay(context, farm);
}

const nextSteps = (log: string, trials: number): string =>
  [
    "Three commands to try next:",
    `  npx warpfarm best ${shellWord(log)} --top 5`,
    `  npx warpfarm view ${shellWord(log)}`,
    `  npx warpfarm tune --resume ${shellWord(log)} --trials ${trials}`,
    "",
  ].join("\n");

/** Waits for a signal. Meanwhile it searches suites that are handed to the farm. */
async function stay(context: CliContext, farm: FarmAccess): Promise<void> {
  const page = farm.embedded?.page;
  const all = page === undefined ? "" : `; fleet, queue and suites: ${page}`;
  context.stderr.write(`the farm keeps running: --tracker ${farm.channel.address} (Ctrl-C stops it)${all}\n`);
  await workOnSuites(context, farm, { templates: [], isOnce: false });
}
