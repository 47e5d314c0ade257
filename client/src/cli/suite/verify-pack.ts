/**
 * `suite verify`: a pack measured again, on another node or another model of its kind of GPU. Each choice is measured with the
 * kernels that its own rounds compared it with; it holds unless one of them is surely faster here. On the model that the pack
 * names its time is compared as well.
 */
import { configWords, countWords, type Rounds, timeWords } from "@warpfarm/common";
import { type Bucket, type BucketEvidence, type Pack, type PackKernel, roundsOf, titleOfBucket } from "@warpfarm/records/packs";
import { type Finals, mostNoise, nameOfConfig, valuesOf, verdictOf } from "@warpfarm/records/suites";
import { searchDefaults } from "../../search/search-spec.ts";
import { defaultEntity, isDefault } from "../../suite/baseline.ts";
import type { CliContext } from "../context.ts";
import type { FarmAccess } from "../farm/farm-access.ts";
import { measurePairs } from "./measure-pairs.ts";
import type { Sources } from "./sources.ts";

export type Verified = Awaited<ReturnType<typeof verifyPack>>;

export async function verifyPack(context: CliContext, farm: FarmAccess, { choices, evidence }: Pack, sources: Sources) {
  const rivals = choices.buckets.flatMap((bucket, i) => {
    const kernels = rivalsOf(bucket, evidence[i] as BucketEvidence);
    return kernels.length === 0 ? [] : [{ bucket, kernels }];
  });
  context.stderr.write(`${countWords(rivals.length, "bucket")} to measure\n`);
  const pairing = { context, farm, sources, title: `${choices.suite}: verifying`, known: new Map(), isAnyModel: true };
  const found = await measurePairs({ ...pairing, keep: async () => {} }, rivals);
  const devices = new Set<string>();
  const no_longer = rivals.flatMap(({ bucket, kernels }) => {
    const finals = found.get(bucket.id) as Finals;
    const device = finals.runs[0]?.device.name ?? "no device";
    for (const run of finals.runs) devices.add(run.device.name);
    const why = whyNot(bucket, evidence[choices.buckets.indexOf(bucket)] as BucketEvidence, kernels[0] as PackKernel, finals);
    return why === undefined ? [] : [{ id: bucket.id, title: titleOfBucket(bucket), device, why }];
  });
  // Those of a library, and those without a kernel.
  const left_out = choices.buckets.length - rivals.length;
  return { devices: [...devices].sort(), measured: rivals.length, left_out, no_longer };
}

/** The choice, then those of its rounds, of which the tied come first; else the default schedule. */
function rivalsOf({ choice }: Bucket, evidence: BucketEvidence): readonly PackKernel[] {
  if (choice.kind === "library" || choice.kind === "none") return [];
  const chosen: PackKernel = choice.kind === "default" ? { config: defaultEntity, program: choice.program } : choice;
  const ties = choice.kind === "default" ? [] : choice.tied;
  const others = roundsOf(evidence).flatMap(({ finalists }) => finalists);
  const all = new Map<string, PackKernel>();
  for (const { config, program } of [chosen, ...ties, ...others])
    if (all.size < searchDefaults.finalists.count)
      all.set(nameOfConfig(config), all.get(nameOfConfig(config)) ?? { config, program });
  if (all.size < 2) all.set("", { config: defaultEntity, program: chosen.program });
  return [...all.values()];
}

/** Undefined: it holds. Exported for its test. */
export function whyNot(
  { device }: Pick<Bucket, "device">,
  then: Pick<BucketEvidence, "seconds" | "high">,
  chosen: PackKernel,
  finals: Finals,
): string | undefined {
  const name = nameOfConfig(chosen.config);
  const failure = finals.failed.find((each) => nameOfConfig(each.config) === name);
  if (failure) return `the choice does not run: ${failure.message}`;
  const at = finals.finalists.findIndex((each) => nameOfConfig(each.config) === name);
  const order = [at, ...finals.finalists.keys()].filter((each, i) => i === 0 || each !== at);
  if (finals.runs.length === 0 || order.length < 2) return undefined;
  const verdict = verdictOf(finals.runs.map(({ costs }) => order.map((place) => costs[place] as Rounds)));
  const { winner, isDecided } = verdict;
  if (isDecided && winner.at !== 0) {
    const { low, high } = verdict.ratioOf(0, winner.at);
    const faster = finals.finalists[order[winner.at] as number] as PackKernel;
    return `${wordsOf(faster)} is faster: the choice takes ${low.toFixed(3)} to ${high.toFixed(3)} times its time`;
  }
  const now = verdict.ranks.find((rank) => rank.at === 0)?.seconds;
  const isSameModel = finals.runs.every((run) => run.device.name === device);
  if (!isSameModel || now === undefined || then.high === undefined || now.low <= then.high * (1 + mostNoise)) return undefined;
  return `it takes ${timeWords(now.estimate)} here, and took ${timeWords(then.seconds ?? then.high)}, at most ${timeWords(then.high)}`;
}

const wordsOf = (kernel: PackKernel): string =>
  isDefault(kernel) ? "the default schedule" : configWords(valuesOf(kernel.config));

export function verifiedWords({ devices, measured, left_out, no_longer }: Verified, name: string): string {
  const left = left_out === 0 ? "" : `; ${countWords(left_out, "bucket")} of a library or without a kernel left out`;
  const lines = no_longer.map(({ title, device, why }) => `  ${title} on ${device}: ${why}\n`);
  const held = measured - no_longer.length;
  return `${name} on ${devices.join(", ")}: ${held} of ${countWords(measured, "choice")} ${held === 1 || measured === 1 ? "holds" : "hold"}${left}\n${lines.join("")}`;
}
