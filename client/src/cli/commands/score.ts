/**
 * `score`: evaluates a tuner on a completely measured space, by the tuning community's methodology. Needs no device and no farm.
 */

import { resolve } from "node:path";
import { badInput, countWords, defined } from "@warpfarm/common";
import { cutoff, yardstick } from "../../score/methodology.ts";
import { readRecorded } from "../../score/read-recorded.ts";
import type { RecordedData } from "../../score/recorded-space.ts";
import type { ScoreOptions } from "../../score/score.ts";
import { scoreInThreads } from "../../score/score-pool.ts";
import { afterMeasurements, familiesOf, means, type TransferScore, transferScore, worsts } from "../../score/transfer-score.ts";
import { type TunerName, tuners } from "../../tuner/index.ts";
import type { CliContext, RegisterCommand } from "../context.ts";
import { integer, oneOf } from "../flags/parse.ts";
import { takes } from "../flags/shared-flags.ts";
import { type SkipFlags, skipping } from "../flags/skip-flag.ts";
import { table } from "../terminal/table.ts";
import { columns } from "../terminal/words.ts";

interface ScoreFlags extends SkipFlags, Omit<ScoreOptions, "repeats"> {
  readonly space?: string;
  readonly transfer?: readonly string[];
  readonly tuner?: TunerName;
  readonly repeats?: number;
  readonly json?: boolean;
}

const names = Object.keys(tuners) as TunerName[];

export const register: RegisterCommand = (program, context) => {
  takes(program.command("score"), "skipBroken", "json")
    .option("--space <file>", "the recorded space")
    .option(
      "--transfer <file...>",
      "instead of --space: spaces of kernels on several GPUs; leaves out each GPU in turn, with the others as its records",
    )
    .option("--tuner <name>", `${names.join(", ")}; with --transfer default auto`, oneOf("--tuner", names))
    .option("--budget <n>", "evaluations of one search (default: the space's 95 % cut-off)", integer("--budget", 1, 10_000_000))
    .option("--repeats <n>", "searches (default 100; with --transfer 1)", integer("--repeats", 1, 100_000))
    .option("--seed <n>", "makes the searches repeatable", integer("--seed", -(2 ** 31), 2 ** 31 - 1), 0)
    .option("--in-flight <n>", "configs outstanding at once", integer("--in-flight", 1, 1024), 1)
    .action(async (flags: ScoreFlags) => {
      if ((flags.space === undefined) === (flags.transfer === undefined))
        throw badInput("score takes either --space FILE or --transfer FILE...");
      if (flags.transfer !== undefined) return scoreTransfer(context, flags.transfer, flags);
      const { space = "", tuner, json, seed, inFlight, budget, repeats = 100 } = flags;
      if (tuner === undefined) throw badInput(`--tuner is missing; it is one of ${names.join(", ")}`);
      const options = { seed, inFlight, repeats, ...defined({ budget }) };
      const data = await readSpace("--space", space, context, flags);
      const score = await scoreInThreads(data, tuner, options, { signal: context.signal });
      if (json) {
        context.stdout.write(`${JSON.stringify(score)}\n`);
        return;
      }
      const yard = yardstick(data);
      const target = cutoff(yard, 0.95);
      context.stdout.write(
        columns([
          [
            "space",
            `${score.space}: ${countWords(data.index.length, "config")}, ${yard.sorted.length} ran, best ${rounded(yard.optimum)} ms, median ${rounded(yard.median)} ms`,
          ],
          [
            "searches",
            `${score.repeats} of ${score.cutoff} evaluations (95 % cut-off ${target.evaluations}), ${options.inFlight} in flight`,
          ],
          [
            "score",
            `${share(score.score)} over evaluations, ${share(score.score_time)} over time; 0 is random search, 1 the optimum at once${Number.isNaN(score.score) ? "; - is not defined, because one random config finds the best here" : ""}`,
          ],
          ...Object.entries(score.evaluations_to).map(
            ([share, { median, p90, reached }]) =>
              [
                `to ${Number(share) * 100} %`,
                `median ${median ?? "-"}, p90 ${p90 ?? "-"} evaluations; reached by ${(reached * 100).toFixed(0)} %`,
              ] as const,
          ),
        ]),
      );
    });
};

const rounded = (ms: number): string => String(Number(ms.toPrecision(4)));
const share = (score: number): string => (Number.isNaN(score) ? "-" : score.toFixed(3));

async function readSpace(flag: string, name: string, { cwd, stderr }: CliContext, flags: SkipFlags): Promise<RecordedData> {
  const options = { ...skipping(flags), warn: (words: string) => void stderr.write(`${words}\n`) };
  const read = await readRecorded(resolve(cwd, name), options);
  if (!read.ok) throw badInput(`${flag}: ${read.error}`);
  return read.value;
}

async function scoreTransfer(context: CliContext, files: readonly string[], flags: ScoreFlags): Promise<void> {
  const { tuner = "auto", seed, inFlight, repeats = 1, budget, json } = flags;
  if (budget !== undefined) throw badInput("--budget is for --space; with --transfer a search has 32 measurements");
  const all: RecordedData[] = [];
  for (const file of files) all.push(await readSpace("--transfer", file, context, flags));
  const families = familiesOf(all);
  const alone = families.find((family) => family.length < 2)?.[0];
  if (alone !== undefined)
    throw badInput(`--transfer: ${alone.name} is the only space with its knobs; give files of two GPUs or more for each kernel`);
  const scores: TransferScore[] = [];
  for (const family of families)
    for (const target of family) {
      context.signal.throwIfAborted();
      const others = family.filter((other) => other !== target);
      scores.push(transferScore(target, others, tuners[tuner], { seed, repeats, inFlight }));
    }
  const summary = Object.fromEntries(
    (["ranking", "records"] as const).map((of) => [of, { mean: means(scores, of), worst: worsts(scores, of) }]),
  );
  if (json)
    context.stdout.write(`${JSON.stringify({ tuner, seed, repeats, after: afterMeasurements, spaces: scores, ...summary })}\n`);
  else context.stdout.write(transferTable(scores));
}

/** One line per space with the search's shares, then mean and worst of the search and of the ranking alone. */
function transferTable(scores: readonly TransferScore[]): string {
  const row = (name: string, values: readonly number[]): readonly string[] => [name, ...values.map((value) => value.toFixed(3))];
  return table(
    ["left out", ...afterMeasurements.map((k) => `after ${k}`)],
    [
      ...scores.map(({ space, records }) => row(space.replace(/\.json(\.gz)?$/, ""), records)),
      row("mean", means(scores, "records")),
      row("worst", worsts(scores, "records")),
      row("ranking alone, mean", means(scores, "ranking")),
      row("ranking alone, worst", worsts(scores, "ranking")),
    ],
  );
}
