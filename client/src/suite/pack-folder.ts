/**
 * The pack of a folder. In a suite's folder it follows from the logs, the plan and the rounds that were measured after the
 * searches (rounds.jsonl); a bucket that was settled with another run stays as it is until its log grows. A folder without a
 * suite is a pack that somebody brought.
 */
import { existsSync } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { backendOf, badInput, canonicalJson, defined, digestOf, fileFault } from "@warpfarm/common";
import {
  type Bucket,
  type BucketEvidence,
  choicesText,
  evidenceText,
  noteOfRounds,
  type Pack,
  type PackChoice,
  packOf,
  readPack,
} from "@warpfarm/records/packs";
import { nameOfTask } from "@warpfarm/records/search";
import { type Finals, finalsOf, resultsOf, type TaskResults } from "@warpfarm/records/suites";
import { measureOptionsFor } from "../search/spec-options.ts";
import { appendLine } from "./append-line.ts";
import { chosenAgainst } from "./baseline.ts";
import type { SuiteDirectory } from "./directory.ts";
import type { ConfigBy, PlannedTask } from "./plan.ts";

const files = ["choices.json", "evidence.json"] as const;

/** Whether packIn finds a suite or a pack there. */
export const isPackFolder = (directory: SuiteDirectory): boolean =>
  directory.exists || existsSync(join(directory.path, files[0]));

/** Throws FarmError INVALID_ARGUMENT when there is neither a suite nor a pack. `name`: the folder, as the user wrote it. */
export async function packIn(directory: SuiteDirectory, name: string): Promise<Pack> {
  if (!directory.exists) return storedPack(directory.path, name);
  const stored = existsSync(join(directory.path, files[0])) ? await storedPack(directory.path, name) : undefined;
  const plan = await directory.plan();
  const rounds = await readRounds(directory);
  const parts = [];
  for (const task of plan.tasks) {
    const results = resultsOf(task, await directory.log(task.id));
    const own = ofResults(results, plan.baseline, rounds.get(task.id) ?? []);
    const at = stored?.choices.buckets.findIndex(({ id }) => id === task.id) ?? -1;
    const then = stored?.evidence[at];
    const isSettled = then?.settled !== undefined && then.trials === own.evidence.trials;
    parts.push(isSettled ? { bucket: stored?.choices.buckets[at] as Bucket, evidence: then } : own);
  }
  return packOf(plan.name, parts);
}

function ofResults(results: TaskResults<PlannedTask>, baseline: Parameters<typeof chosenAgainst>[1], paired: readonly Finals[]) {
  const { trials, best, finals } = results;
  const made = chosenAgainst(results, baseline, paired);
  const task = made.by ? byTemplateOf(results.task, made.by) : results.task;
  const { id, search } = task;
  const identity = { task: search.task, args: search.args, target: search.target };
  const result = best && made.isOwn ? best.trial.result : undefined;
  const measured = result?.kind === "timed" ? result : undefined;
  const bucket = bucketOf(task, made.choice, best?.trial.result.device?.name);
  const evidence: BucketEvidence = {
    ...{ id, trials: trials.length, rounds: [...finals, ...paired].map((each) => noteOfRounds(identity, each)) },
    ...defined({ ...made.seconds, baseline: made.baseline }),
    ...(best && made.isOwn ? { judged: best.isJudged } : {}),
    ...(measured
      ? {
          artifact: measured.artifact,
          driver: measured.device.driver || undefined,
          at: new Date(measured.timestampMs).toISOString(),
          ...defined({ toolchain: measured.toolchain }),
        }
      : {}),
  };
  return { bucket, evidence: defined(evidence) as BucketEvidence };
}

/** The task of an operator by the template of its baseline. */
const byTemplateOf = (task: PlannedTask, { task: named, args, target }: ConfigBy): PlannedTask => ({
  ...task,
  operator: task.operator ?? { name: nameOfTask(task.search.task), args: task.search.args },
  search: { ...task.search, task: named, args: [...args], target },
});

/** Times under other conditions cannot be compared. */
export function conditionsOf({ measure, key, task }: PlannedTask["search"]): Bucket["conditions"] {
  const options = measureOptionsFor(measure, backendOf(key), { isKernel: "kernel" in task });
  const { inputs, judged = false, l2, power, timer } = options;
  return { inputs, judged, l2, power, timer };
}

/** A task of a suite with what serves it. `device`: the model that measured it. */
export function bucketOf(task: PlannedTask, choice: PackChoice, device: string | undefined): Bucket {
  const { id, search, weight, file, spec, document, label } = task;
  const { key, target, where } = search;
  // Where no kernel of a template is chosen, the bucket is the operator's own.
  const operator = choice.kind === "config" || choice.kind === "default" ? task.operator : undefined;
  const { name, args } = task.operator ?? { name: "", args: search.args };
  const of = task.operator && !operator ? { task: { operator: name }, args } : { task: search.task, args: search.args };
  return {
    ...{ id, ...of, target, key, conditions: conditionsOf(search), weight, choice },
    ...defined({ where, file, spec, document, label, operator, device }),
  } as Bucket;
}

/** Writing one of the two files and not the other leaves the new choices beside them, with the digest that the evidence names. */
async function storedPack(folder: string, name: string): Promise<Pack> {
  const [text, why] = await Promise.all(
    files.map((file) =>
      readFile(join(folder, file), "utf8").catch((error: unknown) => {
        throw badInput(
          `${name} holds neither a suite nor a pack: ${file} cannot be read: ${fileFault(error)}; a pack is the folder of a suite, or its choices.json and evidence.json`,
        );
      }),
    ),
  );
  const next = await readFile(join(folder, `${files[0]}.new`), "utf8").catch(() => undefined);
  const isHalf = next !== undefined && (why as string).includes(`"choices":"${digestOf(next)}"`);
  return readPack(name, isHalf ? next : (text as string), why as string);
}

/** Whenever it is killed, what is read afterwards is the pack of before or this one. */
export async function writePack(folder: string, pack: Pack): Promise<void> {
  const texts = [choicesText(pack.choices), evidenceText(pack)];
  for (const [i, file] of files.entries()) await writeFile(join(folder, `${file}.new`), texts[i] as string, { flush: true });
  // The evidence first: without choices the folder has no pack yet, and choices without evidence are none.
  for (const file of files.toReversed()) await rename(join(folder, `${file}.new`), join(folder, file));
}

const roundsFile = "rounds.jsonl";

/** Measured after the searches, by bucket. A torn line is passed over. */
export async function readRounds({ path }: Pick<SuiteDirectory, "path">): Promise<ReadonlyMap<string, readonly Finals[]>> {
  const found = new Map<string, Finals[]>();
  for (const line of (await readFile(join(path, roundsFile), "utf8").catch(() => "")).split("\n")) {
    const note = jsonOf(line);
    const { bucket } = note as { readonly bucket?: string };
    const [read] = finalsOf([note]);
    if (bucket === undefined || read === undefined) continue;
    found.set(bucket, [...(found.get(bucket) ?? []), read.finals]);
  }
  return found;
}

export async function appendRounds({ path }: Pick<SuiteDirectory, "path">, bucket: Bucket, finals: Finals): Promise<void> {
  const line = canonicalJson({ bucket: bucket.id, ...noteOfRounds(bucket, finals) });
  await appendLine(join(path, roundsFile), line, { flush: true });
}

function jsonOf(text: string): object {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === "object" && json !== null ? json : {};
  } catch {
    return {};
  }
}

/** The search of a bucket, for its task and its sessions. */
export const plannedOf = ({ id, task, args, target, key, where, conditions, weight, ...more }: Bucket): PlannedTask => ({
  ...{ id, weight, search: { version: 1, task, args, target, key, measure: conditions, ...defined({ where }) } },
  ...defined({ file: more.file, spec: more.spec, document: more.document, label: more.label, operator: more.operator }),
});
