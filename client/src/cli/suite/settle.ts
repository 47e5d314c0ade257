/**
 * `suite settle A B`: two runs of one suite get the same choices. Where they chose different kernels, both choices and what was
 * tied with them are measured interleaved, the rounds of both runs are added, and the one rule decides. Kernels of two templates
 * of an operator have no rounds together: the faster search decides there, or the templates' names where their intervals overlap.
 */
import { badInput, canonicalJson, countWords, defined, type Rounds } from "@warpfarm/common";
import {
  type BestInRounds,
  type Bucket,
  type BucketEvidence,
  bestOfRounds,
  bucketWords,
  chosenName,
  digestOfChoices,
  isTiedIn,
  noteOfRounds,
  type Pack,
  type PackChoice,
  type PackKernel,
  packOf,
  roundsOf,
  titleOfBucket,
} from "@warpfarm/records/packs";
import { nameOfTask } from "@warpfarm/records/search";
import { type Finals, nameOfConfig, verdictOf } from "@warpfarm/records/suites";
import { searchDefaults } from "../../search/search-spec.ts";
import type { SuiteDirectory } from "../../suite/directory.ts";
import { appendRounds, packIn, readRounds, writePack } from "../../suite/pack-folder.ts";
import type { CliContext } from "../context.ts";
import type { Rivals } from "./measure-pairs.ts";

export interface Run {
  /** As the user wrote it. */
  readonly name: string;
  readonly directory: SuiteDirectory;
}

/** Measures what `rivals` has beside each other; `known` are rounds of an earlier call. */
export type MeasureRivals = (
  title: string,
  rivals: readonly Rivals[],
  known: ReadonlyMap<string, readonly Finals[]>,
  keep: (bucket: Bucket, finals: Finals) => Promise<void>,
) => Promise<ReadonlyMap<string, Finals>>;

export interface Settled {
  readonly buckets: number;
  /** Buckets whose choices differed, and of them those whose choices were each tied in the other run. */
  readonly differed: number;
  readonly tied: number;
  readonly measured: number;
  /** Of the measured, those whose two choices the rounds told apart. */
  readonly apart: number;
  /** Buckets of an operator for which the runs chose different templates: decided by the times of the searches. */
  readonly unpaired: number;
  readonly choices: string;
}

type Parts = readonly { readonly bucket: Bucket; readonly evidence: BucketEvidence }[];
type Part = Parts[number];

/** Throws bad input that names what the runs do not have in common. */
export async function settleRuns(
  { stderr }: Pick<CliContext, "stderr">,
  [a, b]: readonly [Run, Run],
  measure: MeasureRivals,
): Promise<Settled> {
  // What is no pack is named before a lock is made in it.
  for (const { directory, name } of [a, b]) await packIn(directory, name);
  await using _a = await a.directory.lock();
  await using _b = await b.directory.lock();
  const packs = [await packIn(a.directory, a.name), await packIn(b.directory, b.name)] as const;
  checkSame([a.name, b.name], packs);
  const pairs = pairsOf(packs);
  const differing = pairs.filter((pair) => !areAlike(pair));
  const count = {
    ...{ buckets: pairs.length, differed: differing.length },
    tied: differing.filter((pair) => isOfOneTask(pair) && areTied(pair[0].bucket.choice, pair[1].bucket.choice)).length,
    unpaired: differing.filter((pair) => !isOfOneTask(pair)).length,
  };
  const digests = packs.map(({ choices }) => digestOfChoices(choices));
  // A call that was killed between its two packs has written one.
  const done = packs.find((pack, i) => isSettledWith(pack, digests[1 - i] as string));
  if (done && digests[0] !== digests[1]) {
    await writeBoth([a, b], packs, partsOf(done));
    return { ...count, measured: 0, apart: 0, choices: digestOfChoices(done.choices) };
  }
  const rivals = differing.filter(isOfOneTask).flatMap(([x, y]): Rivals[] => {
    const kernels = rivalsOf(x.bucket.choice, y.bucket.choice);
    return kernels.length < 2 ? [] : [{ bucket: x.bucket, kernels }];
  });
  if (rivals.length > 0) stderr.write(`${countWords(rivals.length, "bucket")} to measure: their choices differ\n`);
  const keep = (bucket: Bucket, finals: Finals) => appendRounds(a.directory, bucket, finals);
  const title = `${packs[0].choices.suite}: settling`;
  const rounds = rivals.length === 0 ? new Map() : await measure(title, rivals, await knownIn([a, b]), keep);
  const parts = pairs.map(([x, y]) => {
    const settled = [...digests].sort();
    return settledPart([x, y], rounds.get(x.bucket.id), differing.length > 0 || digests[0] !== digests[1] ? settled : undefined);
  });
  const pack = await writeBoth([a, b], packs, parts);
  const apart = differing.filter(([x, y]) => areApart(x.bucket.choice, y.bucket.choice, rounds.get(x.bucket.id))).length;
  return { ...count, measured: rounds.size, apart, choices: digestOfChoices(pack.choices) };
}

async function knownIn(runs: readonly Run[]): Promise<ReadonlyMap<string, readonly Finals[]>> {
  const known = new Map<string, readonly Finals[]>();
  for (const { directory } of runs)
    for (const [id, finals] of await readRounds(directory)) known.set(id, [...(known.get(id) ?? []), ...finals]);
  return known;
}

function checkSame([a, b]: readonly [string, string], [x, y]: readonly [Pack, Pack]): void {
  const refuse = (what: string, one: string, other: string) => {
    throw badInput(
      `${a} and ${b} cannot be settled: ${what}: ${one} and ${other}; settle two runs of one suite on one kind of device`,
    );
  };
  if (x.choices.suite !== y.choices.suite) refuse("they are of different suites", x.choices.suite, y.choices.suite);
  const others = new Map(y.choices.buckets.map((each) => [each.id, each]));
  for (const bucket of x.choices.buckets) {
    const other = others.get(bucket.id);
    if (!other)
      throw badInput(
        `${a} has the bucket ${bucketWords(bucket)}, and ${b} has not: they are runs of different suites, or on different kinds of device`,
      );
    if (bucket.device !== undefined && other.device !== undefined && bucket.device !== other.device)
      refuse(`${titleOfBucket(bucket)} was measured on different devices`, bucket.device, other.device);
    const [one, two] = [bucket, other].map(({ conditions }) => canonicalJson(conditions)) as [string, string];
    if (one !== two) refuse(`${bucketWords(bucket)} was measured under different conditions`, one, two);
    others.delete(bucket.id);
  }
  for (const bucket of others.values())
    throw badInput(
      `${b} has the bucket ${bucketWords(bucket)}, and ${a} has not: they are runs of different suites, or on different kinds of device`,
    );
}

type Pair = readonly [Part, Part];
const isOfOneTask = ([x, y]: Pair): boolean => nameOfTask(x.bucket.task) === nameOfTask(y.bucket.task);
/** Two configs may be one program. */
const areAlike = (pair: Pair): boolean => {
  const [x, y] = [pair[0].bucket.choice, pair[1].bucket.choice];
  const isOneProgram = x.kind === "config" && y.kind === "config" && x.program === y.program;
  return isOfOneTask(pair) && (isOneProgram || chosenName(x) === chosenName(y));
};

const partsOf = ({ choices, evidence }: Pack): Parts =>
  choices.buckets.map((bucket, i) => ({ bucket, evidence: evidence[i] as BucketEvidence }));

function pairsOf([a, b]: readonly [Pack, Pack]): readonly Pair[] {
  const others = new Map(partsOf(b).map((part) => [part.bucket.id, part]));
  return partsOf(a).map((part) => [part, others.get(part.bucket.id) as Part] as const);
}

/** Whether each choice was tied with the best in the run that did not choose it. */
const areTied = (x: PackChoice, y: PackChoice): boolean =>
  x.kind === "config" && y.kind === "config" && isTiedIn(y, x) && isTiedIn(x, y);

const kernelOf = ({ config, program }: PackKernel): PackKernel => ({ config, program });

/** Whether the rounds of settling alone tell the two choices apart. */
function areApart(x: PackChoice, y: PackChoice, finals: Finals | undefined): boolean {
  const places = [x, y].map(
    (each) => finals?.finalists.findIndex(({ config }) => nameOfConfig(config) === chosenName(each)) ?? -1,
  );
  if (!finals || finals.runs.length === 0 || places.includes(-1)) return false;
  const { isDecided, tied } = verdictOf(finals.runs.map(({ costs }) => places.map((place) => costs[place] as Rounds)));
  return isDecided && tied.length === 0;
}

/** As many as the finals of a search have. */
const most = searchDefaults.finalists.count;

/** Both choices, then what was tied in both, then in one. Without two configs there is nothing to measure. */
function rivalsOf(x: PackChoice, y: PackChoice): readonly PackKernel[] {
  if (x.kind !== "config" || y.kind !== "config") return [];
  const all = new Map<string, PackKernel>();
  const ties = [...x.tied, ...y.tied].sort((a, b) => {
    const [m, n] = [a, b].map((each) => Number(isTiedIn(x, each) && isTiedIn(y, each))) as [number, number];
    return n - m || (nameOfConfig(a.config) < nameOfConfig(b.config) ? -1 : 1);
  });
  for (const each of [x, y, ...ties].map(kernelOf))
    if (all.size < most) all.set(nameOfConfig(each.config), all.get(nameOfConfig(each.config)) ?? each);
  return [...all.values()];
}

/** Whether the pack is what came of it and of the other choices, which have this digest. */
const isSettledWith = ({ evidence }: Pack, other: string): boolean =>
  evidence.length > 0 && evidence.every(({ settled }) => settled?.includes(other));

/** Equal for both runs, whichever is named first. */
function settledPart([x, y]: Pair, settling: Finals | undefined, settled: readonly string[] | undefined): Part {
  const [choice, chosenBy, seconds] = decided([x, y], settling);
  const { id } = x.bucket;
  const rounds = settling ? [noteOfRounds(x.bucket, settling)] : [];
  const before = isOfOneTask([x, y]) ? [...x.evidence.rounds, ...y.evidence.rounds] : chosenBy.evidence.rounds;
  // What is neither run's choice has no measurement of its own beside the rounds.
  const { rounds: _, ...own } =
    chosenName(choice) === chosenName(chosenBy.bucket.choice)
      ? chosenBy.evidence
      : { trials: chosenBy.evidence.trials, rounds: [] };
  const evidence = {
    ...own,
    ...{ id, rounds: unlike([...before, ...rounds]) },
    ...defined({ ...seconds, settled }),
  } as BucketEvidence;
  return { bucket: { ...chosenBy.bucket, ...defined({ device: x.bucket.device ?? y.bucket.device }), choice }, evidence };
}

const unlike = (rounds: readonly object[]): readonly object[] => [
  ...new Map(rounds.map((each) => [canonicalJson(each), each])).values(),
];

type Decided = readonly [PackChoice, Part, { readonly seconds: number; readonly low: number; readonly high: number } | undefined];

/** The same, whichever run is named first. */
const inOrder = ([x, y]: Pair): Pair => (nameOfTask(y.bucket.task) < nameOfTask(x.bucket.task) ? [y, x] : [x, y]);

function decided(pair: Pair, settling: Finals | undefined): Decided {
  const [x, y] = inOrder(pair);
  const [a, b] = [x.bucket.choice, y.bucket.choice];
  if (areAlike([x, y])) return [agreed(a, b), x, undefined];
  // What one run had no time for, the other one decides; what did not beat a baseline in one run did not beat it.
  for (const kind of ["library", "default"] as const) {
    if (a.kind === kind) return [a, x, undefined];
    if (b.kind === kind) return [b, y, undefined];
  }
  if (a.kind === "none") return [b, y, undefined];
  if (b.kind === "none") return [a, x, undefined];
  if (!isOfOneTask([x, y])) {
    const isSlower = (x.evidence.low ?? 0) > (y.evidence.high ?? Number.POSITIVE_INFINITY);
    return isSlower ? [b, y, undefined] : [a, x, undefined];
  }
  if (!settling) return [a, x, undefined];
  const among = new Set<string>(settling.finalists.map(({ program }) => program));
  const found: BestInRounds | undefined = bestOfRounds([...roundsOf(x.evidence), ...roundsOf(y.evidence), settling], among);
  const best = found?.best ?? settling.finalists[0];
  if (!best) return [a, x, undefined];
  const choice: PackChoice = { kind: "config", ...kernelOf(best), tied: (found?.tied ?? []).map(kernelOf) };
  const { estimate = 0, low = 0, high = 0 } = found?.seconds ?? {};
  return [choice, chosenName(choice) === chosenName(b) ? y : x, found && { seconds: estimate, low, high }];
}

/** What was tied in either run is tied. Of two configs of one program the first by its values is chosen. */
function agreed(a: PackChoice, b: PackChoice): PackChoice {
  if (a.kind !== "config" || b.kind !== "config") return a;
  const tied = new Map([...a.tied, ...b.tied].map((each) => [nameOfConfig(each.config), each]));
  const [first] = [a, b].sort((x, y) => (nameOfConfig(x.config) < nameOfConfig(y.config) ? -1 : 1));
  return { ...(first ?? a), tied: [...tied.values()] };
}

/** The log of each run says how many trials its buckets have; the choices are the same. */
async function writeBoth(runs: readonly Run[], packs: readonly Pack[], parts: Parts): Promise<Pack> {
  let made: Pack | undefined;
  for (const [i, { directory }] of runs.entries()) {
    const trials = new Map((packs[i] as Pack).evidence.map((each) => [each.id, each.trials]));
    made = packOf(
      (packs[i] as Pack).choices.suite,
      parts.map(({ bucket, evidence }) => ({ bucket, evidence: { ...evidence, trials: trials.get(evidence.id) ?? 0 } })),
    );
    await writePack(directory.path, made);
  }
  return made as Pack;
}
