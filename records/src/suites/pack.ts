/**
 * A pack: the outcome of a suite, as two files of one folder.
 *
 *   choices.json    what each bucket (a shape on a kind of device under its conditions) is served by. Its bytes follow from the
 *                   choices alone, so two runs that chose the same have the same file; its digest is the pack's name
 *   evidence.json   why: intervals, rounds, artifacts, devices, toolchains and dates, with the digest of the choices
 *
 * Nothing here measures. Rounds have the form of a log's finals.
 */
import { badInput, canonicalJson, defined, digestOf, type Json } from "@warpfarm/common";
import { entitySchema } from "../claim.ts";
import type { Finals } from "../paired/finals.ts";
import { finalsNote, finalsOf, finalsSchema } from "../paired/finals-note.ts";
import { z } from "../schema.ts";
import { issueWordsOf, measureShape, nameOfTask, taskFields } from "../search-spec.ts";
import { type Entity, nameOfConfig } from "../tuning-record.ts";
import { titleOf } from "./results.ts";

const digest = z.string().regex(/^sha256:[\da-f]{64}$/, "is no digest");
const text = z.string().min(1);
const json = z.json() as z.ZodType<Json>;
const kernel = z.strictObject({ config: entitySchema as unknown as z.ZodType<Entity>, program: digest });
const conditions = z.strictObject({
  inputs: measureShape.inputs.unwrap(),
  judged: measureShape.judged.unwrap(),
  l2: measureShape.l2.unwrap(),
  power: measureShape.power.unwrap(),
  timer: measureShape.timer.unwrap(),
});

/** `default`: the default schedule. `library`: what the caller registers with an export. `none`: nothing has a time. */
const choice = z.discriminatedUnion("kind", [
  kernel.extend({ kind: z.literal("config"), tied: z.array(kernel).readonly() }),
  z.strictObject({ kind: z.literal("default"), program: digest }),
  z.strictObject({ kind: z.literal("library") }),
  z.strictObject({ kind: z.literal("none") }),
]);

const bucket = z.strictObject({
  id: text,
  task: taskFields,
  args: z.array(json),
  target: text,
  key: text,
  where: text.optional(),
  conditions,
  /** The model of the device that measured it; absent where nothing has a time. */
  device: text.optional(),
  weight: z.number().positive(),
  /** What was asked for where that is an operator; `task` and `args` are then of the template that was chosen. */
  operator: z.strictObject({ name: text, args: z.array(json) }).optional(),
  label: text.optional(),
  file: text.optional(),
  spec: text.optional(),
  document: digest.optional(),
  choice,
});
const choices = z.strictObject({ version: z.literal(1), suite: text, buckets: z.array(bucket).min(1) });

const seconds = z.number().positive();
const interval = z.strictObject({ estimate: z.number(), low: z.number(), high: z.number() });
/** `unpaired`: a library's time, which cannot be measured in the same rounds; it counts as lost only beyond its margin. */
const baseline = z.strictObject({
  name: text,
  kept: z.boolean(),
  /** The winner's time over the baseline's. */
  ratio: interval.optional(),
  unpaired: z.literal(true).optional(),
  seconds: seconds.optional(),
  margin: z.number().nonnegative().optional(),
  why: text.optional(),
});
const evidenceOfBucket = z.strictObject({
  id: text,
  trials: z.number().int().nonnegative(),
  seconds: seconds.optional(),
  low: seconds.optional(),
  high: seconds.optional(),
  judged: z.boolean().optional(),
  artifact: digest.optional(),
  toolchain: text.optional(),
  driver: text.optional(),
  at: text.optional(),
  rounds: z.array(z.strictObject({ finalists: finalsSchema })),
  baseline: baseline.optional(),
  /** The choices of both runs before it was settled between them. */
  settled: z.array(digest).length(2).optional(),
});
const evidence = z.strictObject({ version: z.literal(1), choices: digest, buckets: z.array(evidenceOfBucket) });

export type PackKernel = { readonly config: Entity; readonly program: string };
export type PackChoice = z.output<typeof choice>;
export type Bucket = Readonly<z.output<typeof bucket>>;
export type Choices = { readonly version: 1; readonly suite: string; readonly buckets: readonly Bucket[] };
export type BucketEvidence = Readonly<z.output<typeof evidenceOfBucket>>;
export type BaselineEvidence = Readonly<z.output<typeof baseline>>;

export interface Pack {
  readonly choices: Choices;
  /** In the order of the buckets. */
  readonly evidence: readonly BucketEvidence[];
}

export const titleOfBucket = ({ task, args, label, operator }: Bucket): string =>
  titleOf({ search: { task, args }, ...defined({ label, operator }) });

/** With the model that measured it, or the kind of device for which it is. */
export const bucketWords = (bucket: Bucket): string => {
  const { device, key, where } = bucket;
  return `${titleOfBucket(bucket)} on ${device ?? key}${where === undefined ? "" : `, ${where}`}`;
};

/** By task, device and arguments; numbers by their size. */
function inOrder(a: Bucket, b: Bucket): number {
  const [x, y] = [a, b].map(({ task, operator, key, where = "" }) =>
    canonicalJson([operator?.name ?? nameOfTask(task), key, where]),
  ) as [string, string];
  return x < y
    ? -1
    : x > y
      ? 1
      : compareJson(a.operator?.args ?? a.args, b.operator?.args ?? b.args) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}
function compareJson(a: Json, b: Json): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (!Array.isArray(a) || !Array.isArray(b)) {
    const [x, y] = [canonicalJson(a), canonicalJson(b)];
    return x < y ? -1 : x > y ? 1 : 0;
  }
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const found = compareJson(a[i] as Json, b[i] as Json);
    if (found !== 0) return found;
  }
  return a.length - b.length;
}

const kernelsInOrder = (kernels: readonly PackKernel[]): readonly PackKernel[] =>
  [...kernels].sort((a, b) => (nameOfConfig(a.config) < nameOfConfig(b.config) ? -1 : 1));

/** A pack with its buckets and ties in their order. */
export function packOf(suite: string, parts: readonly { readonly bucket: Bucket; readonly evidence: BucketEvidence }[]): Pack {
  const sorted = [...parts].sort((a, b) => inOrder(a.bucket, b.bucket));
  const buckets = sorted.map(({ bucket: { choice: made, ...rest } }) => ({
    ...rest,
    choice: made.kind === "config" ? { ...made, tied: kernelsInOrder(made.tied) } : made,
  }));
  return {
    choices: { version: 1, suite, buckets },
    evidence: sorted.map((part) => part.evidence),
  };
}

/** Canonical JSON, with a line for each bucket. */
export function choicesText({ version, suite, buckets }: Choices): string {
  const lines = buckets.map((each) => canonicalJson(each));
  return `{"buckets":[\n${lines.join(",\n")}\n],"suite":${canonicalJson(suite)},"version":${version}}\n`;
}
export const digestOfChoices = (made: Choices): string => digestOf(choicesText(made));

export function evidenceText({ choices: made, evidence: buckets }: Pack): string {
  const lines = buckets.map((each) => canonicalJson(each));
  return `{"buckets":[\n${lines.join(",\n")}\n],"choices":"${digestOfChoices(made)}","version":1}\n`;
}

/** Throws FarmError INVALID_ARGUMENT that names the file, the field and what it takes. */
export function readPack(name: string, choicesFile: string, evidenceFile: string): Pack {
  const made = read(choices, `${name}/choices.json`, choicesFile, () => choices.shape);
  const why = read(evidence, `${name}/evidence.json`, evidenceFile, () => evidence.shape);
  const found = digestOf(choicesFile);
  if (why.choices !== found)
    throw badInput(
      `${name}/choices.json has the digest ${found}, and evidence.json beside it is of ${why.choices}: one of them was changed; take both from one run`,
    );
  const ids = (buckets: readonly { readonly id: string }[]) => canonicalJson(buckets.map(({ id }) => id));
  if (ids(made.buckets) !== ids(why.buckets)) throw badInput(`${name}/evidence.json is of other buckets than choices.json`);
  return { choices: made, evidence: why.buckets };
}

function read<T>(schema: z.ZodType<T>, name: string, file: string, fields: () => object): T {
  const json = (() => {
    try {
      return JSON.parse(file) as unknown;
    } catch (error) {
      throw badInput(`${name} is not JSON: ${(error as Error).message}`);
    }
  })();
  const found = schema.safeParse(json);
  if (found.success) return found.data;
  throw badInput(`${name}: ${issueWordsOf(found.error, "the file", fields)}`);
}

/** Rounds of a bucket as its evidence keeps them: what a log would hold, without fields of no value. */
export const noteOfRounds = (
  { task, args, target }: Pick<Bucket, "task" | "args" | "target">,
  finals: Finals,
): BucketEvidence["rounds"][number] =>
  JSON.parse(JSON.stringify(finalsNote({ task: nameOfTask(task), args, target }, finals))) as BucketEvidence["rounds"][number];
export const roundsOf = ({ rounds }: BucketEvidence): readonly Finals[] => finalsOf(rounds).map(({ finals }) => finals);

/** What stands for the bucket in an answer to "which": equal for the same kernel, whatever its ties. */
export const chosenName = (made: PackChoice): string => (made.kind === "config" ? nameOfConfig(made.config) : made.kind);

/** Whether the kernel is chosen there or tied with what is. */
export const isTiedIn = (made: PackChoice, { config }: PackKernel): boolean =>
  made.kind === "config" && [made, ...made.tied].some((each) => nameOfConfig(each.config) === nameOfConfig(config));
