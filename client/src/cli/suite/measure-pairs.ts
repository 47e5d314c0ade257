/**
 * Kernels of buckets, measured interleaved after the searches: to settle two runs, to compare with a baseline, to verify a pack.
 * Each bucket's rounds are kept before the next begin, so a command that is killed measures none of them again.
 */
import { backendOf, badInput, countWords, type ProgramBytes, toProgramDigest } from "@warpfarm/common";
import { configNamed } from "@warpfarm/compiler/language";
import { connect } from "@warpfarm/proto";
import { type Bucket, bucketWords, type PackKernel, titleOfBucket } from "@warpfarm/records/packs";
import type { Finals } from "@warpfarm/records/suites";
import type { Task } from "@warpfarm/templates";
import { inTurns } from "../../measure/in-turns.ts";
import { sessionsOf } from "../../search/farm-measurer.ts";
import { selectorFor } from "../../search/farm-there.ts";
import { type Candidate, isOf, measureFinals } from "../../search/finalists.ts";
import { provenanceOf } from "../../search/provenance.ts";
import { wholeFinalists } from "../../search/search-spec.ts";
import { finalOptions, measureOptionsFor, pairedFor } from "../../search/spec-options.ts";
import { isDefault } from "../../suite/baseline.ts";
import { plannedOf } from "../../suite/pack-folder.ts";
import type { CliContext } from "../context.ts";
import { CliError, exitCode } from "../exit.ts";
import type { FarmAccess } from "../farm/farm-access.ts";
import { severalAtOnce } from "../several-at-once.ts";
import { atMostEvery } from "../terminal/at-most-every.ts";
import { modelsOf } from "./open-suite.ts";
import type { Sources } from "./sources.ts";

/** Of a pack; a config without knobs is the default schedule. */
export interface Rivals {
  readonly bucket: Bucket;
  readonly kernels: readonly PackKernel[];
}

interface Pairing {
  readonly context: CliContext;
  readonly farm: FarmAccess;
  readonly sources: Sources;
  readonly title: string;
  /** Rounds of an earlier call, by bucket. */
  readonly known: ReadonlyMap<string, readonly Finals[]>;
  readonly keep: (bucket: Bucket, finals: Finals) => Promise<void>;
  /** Whether the device may be of another model than the one that the pack names. */
  readonly isAnyModel?: boolean;
}

/** Programs of one bucket are built while another's are measured. */
const bucketsAtOnce = 4;

/**
 * By bucket; kernels that could not be made or run are in `failed`. Throws FarmError when the farm is lost, and CliError for a
 * bucket that could not be measured.
 */
export async function measurePairs(pairing: Pairing, all: readonly Rivals[]): Promise<ReadonlyMap<string, Finals>> {
  const { context, farm } = pairing;
  const found = new Map<string, Finals>();
  if (all.length === 0) return found;
  for (const { bucket } of all) if (!pairing.isAnyModel) checkModel(farm, bucket);
  await using tracker = connect(farm.channel);
  const isDue = atMostEvery(5_000, context.clock);
  await severalAtOnce(bucketsAtOnce, all, async (next) => {
    found.set(next.bucket.id, await pairOne(pairing, tracker, next));
    if (isDue()) context.stderr.write(`${found.size} of ${countWords(all.length, "bucket")} measured\n`);
  });
  return found;
}

/** Times of another model would answer another question. */
function checkModel(farm: FarmAccess, { key, device, id }: Bucket): void {
  const there = [...(modelsOf(farm).get(key) ?? [])];
  if (device === undefined || there.includes(device)) return;
  throw badInput(
    `${id} was measured on ${device}, and the farm's devices of ${key} are ${there.join(", ") || "none"}; measure where such a device is (--tracker), or see what holds here with suite verify`,
  );
}

async function pairOne(
  { context, farm, sources, title, known, keep, isAnyModel }: Pairing,
  tracker: ReturnType<typeof connect>,
  { bucket, kernels }: Rivals,
): Promise<Finals> {
  const planned = plannedOf(bucket);
  const { search } = planned;
  const task = await sources.task(planned);
  const { leaders, failed } = candidatesOf(task, kernels);
  const backend = backendOf(bucket.key);
  const options = finalOptions(
    measureOptionsFor(search.measure, backend, { isKernel: "kernel" in search.task, isSearch: true }),
    backend,
  );
  const paired = pairedFor({ ...wholeFinalists({ count: Math.max(2, leaders.length) }) });
  const of = {
    task,
    title,
    selector: selectorFor(farm, { key: bucket.key, where: bucket.where, task }),
    options,
    provenance: provenanceOf(task, search),
  };
  const sessions = await sessionsOf({ tracker, clock: context.clock }, of, farm.signal);
  const asked = { count: leaders.length, paired, options, measure: inTurns({ ...sessions, paired, nodes: 2 }) };
  if (leaders.length === 1 && failed.length === 0) {
    // All configs are one program, and there is nothing to compare.
    const program = leaders[0]?.program as Candidate["program"];
    const same: Finals = { finalists: kernels.map(({ config }) => ({ config, program })), runs: [], failed, paired, options };
    await keep(bucket, same);
    return same;
  }
  const before = known.get(bucket.id)?.findLast((finals) => isOf(finals, [...leaders, ...failed], asked));
  if (before) return before;
  const base = { program: task.base ?? task.reference, seconds: undefined };
  const outcome = await measureFinals(leaders, { reference: task.reference, base }, asked, { signal: farm.signal });
  const out = [...failed, ...(outcome.kind === "judged" ? outcome.finals.failed : outcome.failed)];
  if (outcome.kind === "skipped" && (out.length === 0 || leaders.length - outcome.failed.length > 1))
    throw new CliError(
      exitCode.noResult,
      `${bucketWords(bucket)} was not measured: ${outcome.why}; the same command tries it again`,
    );
  const here = outcome.kind === "judged" ? outcome.finals.runs : [];
  const runs = here.filter(({ device }) => isAnyModel || device.name === (bucket.device ?? device.name));
  if (runs.length < here.length && runs.length === 0)
    throw badInput(
      `${titleOfBucket(bucket)} is of ${bucket.device}, and the farm measured it on ${here[0]?.device.name}; name the model in the suite's where`,
    );
  const gone = new Set(out.map(({ program }) => program));
  const finalists = leaders.filter(({ program }) => !gone.has(program)).map(({ config, program }) => ({ config, program }));
  const finals: Finals = { finalists, runs, failed: out, paired, options };
  await keep(bucket, finals);
  return finals;
}

/** Configs are found by their values; a program that another version of a template made is made anew. */
function candidatesOf(task: Task, kernels: readonly PackKernel[]) {
  const leaders: Candidate[] = [];
  const failed: Finals["failed"][number][] = [];
  for (const kernel of kernels) {
    const { config, program } = kernel;
    const made = isDefault(kernel) ? (task.base ?? task.reference) : programOf(task, config);
    if (typeof made === "string") failed.push({ config, program: toProgramDigest(program), message: made });
    else if (leaders.every((each) => each.program !== made.digest))
      leaders.push({ config, program: made.digest, seconds: 0, bytes: () => made });
  }
  return { leaders, failed };
}

function programOf(task: Task, config: PackKernel["config"]): ProgramBytes | string {
  const named = configNamed(task.space, config);
  if (!named.ok) return `it is not in ${task.name}'s space: ${named.error}`;
  const made = task.instantiate(named.value);
  return made.ok ? made.value.program : made.error.message;
}
