/**
 * `score`: what a tuner is worth on a space that somebody measured in full, by the tuning community's methodology. Needs no
 * device and no farm.
 */
import { resolve } from "node:path";
import { cutoff, yardstick } from "../../score/methodology.ts";
import { readRecorded } from "../../score/read-recorded.ts";
import { scoreInThreads } from "../../score/score-pool.ts";
import { type TunerName, tuners } from "../../tuner/index.ts";
import type { RegisterCommand } from "../context.ts";
import { badInput } from "../exit.ts";
import { integer, oneOf } from "../flags/parse.ts";
import { columns } from "../tuning/words.ts";

interface ScoreFlags {
  readonly space: string;
  readonly tuner?: TunerName;
  readonly budget?: number;
  readonly repeats: number;
  readonly seed: number;
  readonly inFlight: number;
  readonly json?: boolean;
}

const names = Object.keys(tuners) as TunerName[];

export const register: RegisterCommand = (program, context) => {
  program
    .command("score")
    .description("score a tuner on a recorded space (Kernel Tuner cache, T4 or KTT output, gzipped or not)")
    .requiredOption("--space <file>", "the recorded space")
    .requiredOption("--tuner <name>", names.join(", "), oneOf("--tuner", names))
    .option("--budget <n>", "evaluations of one search (default: the space's 95 % cut-off)", integer("--budget", 1, 10_000_000))
    .option("--repeats <n>", "searches", integer("--repeats", 1, 100_000), 100)
    .option("--seed <n>", "makes the searches repeatable", integer("--seed", -(2 ** 31), 2 ** 31 - 1), 0)
    .option("--in-flight <n>", "configs outstanding at once", integer("--in-flight", 1, 1024), 1)
    .option("--json", "one line of JSON on stdout")
    .action(async ({ space, tuner = "random", json, ...options }: ScoreFlags) => {
      const read = await readRecorded(resolve(context.cwd, space)).catch((error: NodeJS.ErrnoException) => {
        throw badInput(`--space names ${JSON.stringify(space)}, which cannot be read: ${error.code ?? "error"}`);
      });
      if (!read.ok) throw badInput(`--space: ${read.error}`);
      const score = await scoreInThreads(read.value, tuner, options, { signal: context.signal });
      if (json) {
        context.stdout.write(`${JSON.stringify(score)}\n`);
        return;
      }
      const yard = yardstick(read.value);
      const target = cutoff(yard, 0.95);
      context.stdout.write(
        columns([
          [
            "space",
            `${score.space}: ${read.value.index.length} configs, ${yard.sorted.length} ran, best ${yard.optimum} ms, median ${yard.median} ms`,
          ],
          [
            "searches",
            `${score.repeats} of ${score.cutoff} evaluations (95 % cut-off ${target.evaluations}), ${options.inFlight} in flight`,
          ],
          [
            "score",
            `${score.score.toFixed(3)} over evaluations, ${score.score_time.toFixed(3)} over time; 0 is random search, 1 the optimum at once`,
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
