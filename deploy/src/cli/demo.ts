/**
 * `demo`, what `npm start` runs: an embedded farm of three processes tunes a real convolution, the last 3x3 layer of ResNet, on this
 * machine's CPU, and shows what came of it. With `--keep` the farm stays up afterwards until Ctrl-C.
 */
import { resolve } from "node:path";
import {
  type CliContext,
  CliError,
  chooseKey,
  defaultLogName,
  exitCode,
  openFarm,
  parse,
  type RegisterCommand,
  readSettings,
  shown,
  summaryWords,
  taskOf,
  tuneOnFarm,
} from "@warpfarm/client/cli";

const TASK = "conv2d_nchw_cpu";
/** Enough for the search to find its way and few enough for a minute on two cores. */
const TRIALS = 48;

interface DemoFlags {
  readonly trials?: number;
  readonly seed?: number;
  readonly keep?: boolean;
  readonly json?: boolean;
}

export const register: RegisterCommand = (program, context) => {
  program
    .command("demo")
    .description("tune a real convolution on a farm of this machine's own (what npm start runs)")
    .option("--trials <n>", `candidates (default ${TRIALS})`, parse.integer("--trials", 1, 100_000))
    .option("--seed <n>", "makes the search repeatable (default 0)", parse.integer("--seed", -(2 ** 31), 2 ** 31 - 1))
    .option("--keep", "keep the farm up afterwards, until Ctrl-C")
    .option("--json", "one line of JSON on stdout")
    .action((flags: DemoFlags) => demo(context, flags));
};

async function demo(context: CliContext, flags: DemoFlags): Promise<void> {
  const settings = await readSettings(context);
  const say = (text: string) => context.stderr.write(`${text}\n`);
  await using farm = await openFarm(context, settings, undefined);
  const key = chooseKey(farm.keys, "cpu", undefined);
  const task = taskOf(TASK, {}, key);
  const names = "N, H, W, CO, CI, KH, KW, stride, padding";
  say(
    `tuning ${TASK} (${names}) = ${JSON.stringify(task.args)} for ${key}; ${task.space.size} configs, ${(task.flops / 1e6).toFixed(1)} Mflop a run`,
  );
  const logPath = resolve(settings.logDir, defaultLogName(task.name, key, context.clock.now()));
  const tuneFlags = { tuner: "ga", trials: flags.trials ?? TRIALS, seed: flags.seed ?? 0 } as const;
  const { report, facts, files } = await tuneOnFarm(context, farm, { task, key, flags: tuneFlags, logPath });
  if (flags.json) context.stdout.write(`${JSON.stringify(report)}\n`);
  else
    context.stdout.write(
      `\n${summaryWords(report, { ...facts, files: files.map(([what, path]) => [what, shown(context, path)]) })}`,
    );
  if (!report.best) throw new CliError(exitCode.noResult, "no candidate could be timed; the log has the reason of each");
  if (flags.keep) await stay(context, farm.channel.address);
}

/** Until a signal, which is how this is meant to end. */
async function stay(context: CliContext, address: string): Promise<void> {
  context.stderr.write(`the farm stays up: --tracker ${address} (Ctrl-C stops it)\n`);
  await new Promise<void>((stop) => {
    const alive = setInterval(() => {}, 60_000);
    const end = () => {
      clearInterval(alive);
      stop();
    };
    if (context.signal.aborted) end();
    else context.signal.addEventListener("abort", end, { once: true });
  });
  throw context.signal.reason;
}
