/** The end of a suite that runs here: its winners against its baseline, then its pack. */
import { countWords } from "@warpfarm/common";
import { type Bucket, bucketWords, digestOfChoices, type Pack } from "@warpfarm/records/packs";
import { resultsOf } from "@warpfarm/records/suites";
import { chosenAgainst, configOfBaseline } from "../../suite/baseline.ts";
import type { SuiteDirectory } from "../../suite/directory.ts";
import { appendRounds, packIn, readRounds, writePack } from "../../suite/pack-folder.ts";
import type { SuitePlan } from "../../suite/plan.ts";
import { percent } from "../../suite/report-words.ts";
import type { CliContext } from "../context.ts";
import type { FarmAccess } from "../farm/farm-access.ts";
import { measurePairs, type Rivals } from "./measure-pairs.ts";
import type { Sources } from "./sources.ts";

/** Writes the pack. Rounds that an earlier call measured are not measured again. */
export async function keepPack(
  context: CliContext,
  farm: FarmAccess,
  directory: SuiteDirectory,
  sources: Sources,
): Promise<void> {
  await using _lock = await directory.lock();
  const plan = await directory.plan();
  const { baseline, name } = plan;
  if (baseline) {
    const known = await readRounds(directory);
    const rivals = await rivalsIn(directory, plan, known);
    if (rivals.length > 0)
      context.stderr.write(`${countWords(rivals.length, "winner")} to measure with the baseline (${baseline.name})\n`);
    await measurePairs(
      {
        context,
        farm,
        sources,
        title: `${name}: baseline`,
        known,
        keep: (bucket, finals) => appendRounds(directory, bucket, finals),
      },
      rivals,
    );
  }
  const pack = await packIn(directory, directory.path);
  await writePack(directory.path, pack);
  context.stderr.write(packWords(pack, directory.path));
}

/** Winners that have not met the baseline's kernel yet. */
async function rivalsIn(
  directory: SuiteDirectory,
  { tasks, baseline }: SuitePlan,
  rounds: Awaited<ReturnType<typeof readRounds>>,
): Promise<readonly Rivals[]> {
  const { choices } = await packIn(directory, directory.path);
  const rivals: Rivals[] = [];
  for (const task of tasks) {
    const results = resultsOf(task, await directory.log(task.id));
    const of = baseline?.of[task.id];
    if (!results.best || of === undefined || of.kind === "library") continue;
    if (chosenAgainst(results, baseline, rounds.get(task.id) ?? []).baseline) continue;
    const { config, program } = results.best;
    const bucket = choices.buckets.find(({ id }) => id === task.id) as Bucket;
    const kernel = { config: configOfBaseline(of), program: of.kind === "config" ? of.program : program };
    rivals.push({ bucket, kernels: [{ config, program }, kernel] });
  }
  return rivals;
}

export function packWords({ choices, evidence }: Pack, where: string): string {
  const against = evidence.flatMap(({ baseline }, i) =>
    baseline ? [{ bucket: choices.buckets[i] as Bucket, ...baseline }] : [],
  );
  const kept = against.filter((each) => each.kept);
  const lines = kept.map(({ bucket, ratio, why, unpaired, seconds = 0, margin = 0 }) => {
    const words = ratio
      ? `the winner takes ${percent(ratio.estimate)} of its time [${percent(ratio.low)}, ${percent(ratio.high)}]`
      : unpaired
        ? `no kernel is faster than its ${(seconds * 1e6).toPrecision(4)} us by more than ${percent(margin)}, unpaired`
        : why;
    return `  ${bucketWords(bucket)} keeps the baseline: ${words}\n`;
  });
  const [first] = against;
  const won = against.length - kept.length;
  const head = first
    ? `${won} of ${countWords(against.length, "bucket")} ${won === 1 || against.length === 1 ? "beats" : "beat"} the baseline (${first.name}) by more than noise${kept.length > 0 ? ":" : ""}\n`
    : "";
  return `${head}${lines.join("")}choices ${digestOfChoices(choices)} of ${countWords(choices.buckets.length, "bucket")} in ${where}\n`;
}
