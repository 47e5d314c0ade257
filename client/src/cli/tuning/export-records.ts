/**
 * The kernel that `export` takes when no config is named: the best of the records. If no record of the shape counts, it is the
 * best config of the nearest measured shape that this shape also accepts. Nobody has measured it here, and the export says so.
 */
import { backendOf, badInput, computationDigest, defined, FarmError, isTarget, l2Of, runsOn } from "@warpfarm/common";
import { configNamed } from "@warpfarm/compiler/language";
import type { BestQuery, BestRecord, TuningRecord } from "@warpfarm/records";
import type { Task } from "@warpfarm/templates";
import { type ExportUnit, exportUnit } from "../../export/unit.ts";
import { limitsOf } from "../../search/farm-there.ts";
import { taskOfSource } from "../../search/task-of-source.ts";
import { isKernel, type TaskSource } from "../../search/task-source.ts";
import type { CliContext } from "../context.ts";
import { CliError, exitCode } from "../exit.ts";
import { argsOf, namedTarget, type TaskFlags } from "../flags/task-flags.ts";
import { type SourceFlags, withRecords } from "../records/source.ts";
import { standingWord, waitingTo } from "../records/standing-words.ts";

export interface RecordedFlags extends TaskFlags, SourceFlags {
  readonly deviceName?: string;
}

/** `usual`: the task on its target without records. `backend`: the required backend of the target. */
export async function unitOfRecords(
  context: CliContext,
  source: TaskSource,
  flags: RecordedFlags,
  { usual, backend, name }: { readonly usual: Task; readonly backend: string | undefined; readonly name: string },
): Promise<ExportUnit> {
  const { nearestBest } = await import("@warpfarm/records");
  const asked = namedTarget(flags.target);
  const taskFor = tasksOf(source, flags);
  const isFor = ({ device, target }: TuningRecord): boolean =>
    device !== undefined &&
    isTarget(target) &&
    (backend === undefined || backendOf(target) === backend) &&
    (asked === undefined || runsOn(asked, device.key));
  let refusal: string | undefined;
  const unitOf = (record: TuningRecord, more: Pick<ExportUnit, "measured" | "nearest">): ExportUnit => {
    const task = taskFor(asked ?? record.target);
    const config = configNamed(task.space, record.config?.entity ?? []);
    if (!config.ok)
      throw badInput(
        `the config of record ${record.id} does not belong to ${task.name}'s current space with these arguments: ${config.error}`,
      );
    const index = config.value;
    const [violation] = task.validate(index, limitsOf({}, task.target));
    if (violation) throw badInput(`config ${index} of ${task.name} cannot run on ${task.target}: ${violation.message}`);
    return exportUnit(name, task, index, more.measured, more.nearest);
  };
  const fits = (record: TuningRecord): boolean => {
    if (!isFor(record)) return false;
    try {
      unitOf(record, {});
      return true;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      refusal ??= error.message;
      return false;
    }
  };
  const query: BestQuery = { task: usual.name, args: usual.args, ...defined({ deviceName: flags.deviceName }) };
  const ofTask = (found: readonly BestRecord[]) => found.filter((best) => isOfTask(best, source));
  const { exact, near } = await withRecords(context, flags, async (store) => {
    const all = await store.best(query, { waiting: waitingTo(context) });
    const found = ofTask(all.filter(({ record }) => isFor(record)));
    const call = { fits, signal: context.signal };
    return { exact: found, near: found.length > 0 ? undefined : await nearestBest(store, query, call) };
  });
  const what = `${usual.name} ${JSON.stringify(usual.args)}`;
  const chosen = near ? ofTask(near.best) : exact;
  const best = onlyKind(usualFirst(chosen, source), near ? `${usual.name} ${JSON.stringify(near.args)}` : what);
  if (best === undefined)
    throw new CliError(
      exitCode.noResult,
      `no record qualifies as the best of ${what}, and no config of a near shape fits it${refusal === undefined ? "" : ` (${refusal})`}; ` +
        "tune it first, or name a config with --index (a number or `published`)",
    );
  const standing = standingWord(best.record);
  if (standing?.startsWith("own"))
    context.stderr.write(
      `the best record ${best.record.id} is ${standing}: no builder has verified what it says of its program\n`,
    );
  const measured = { seconds: best.seconds, device: best.device.name };
  return unitOf(best.record, near ? { nearest: { ...measured, args: near.args } } : { measured });
}

/**
 * Times under two conditions are not compared: those under which its kernels are usually measured answer, where there are some.
 */
const usualFirst = (found: readonly BestRecord[], source: TaskSource): readonly BestRecord[] =>
  found.toSorted((a, b) => Number(isUsual(b, source)) - Number(isUsual(a, source)));
const isUsual = ({ record: { options = {}, judged } }: BestRecord, source: TaskSource): boolean =>
  l2Of(options, judged) === (isKernel(source) ? "rotated" : "warm");

/**
 * Records of one kind of device never answer for another. Of one kind there may be records that tell what they compute, which are
 * of the task then, and others.
 */
function onlyKind(found: readonly BestRecord[], what: string): BestRecord | undefined {
  const kinds = new Map<string, BestRecord>();
  for (const best of found) {
    const kind = `${best.device.name} (${best.device.key})`;
    const known = kinds.get(kind);
    if (known === undefined || (known.computation === undefined && best.computation !== undefined)) kinds.set(kind, best);
  }
  if (kinds.size < 2) return [...kinds.values()][0];
  throw badInput(
    `${what} has records of ${kinds.size} kinds of device: ${[...kinds.keys()].join(", ")}; choose with --device-name`,
  );
}

/** False for a record that says that it computes something else than the task with its arguments. */
function isOfTask({ computation, record }: BestRecord, source: TaskSource): boolean {
  if (computation === undefined) return true;
  const { reference } = taskOfSource(source, [...record.args], record.target);
  return computation === computationDigest(reference.bytes, record.args);
}

function tasksOf(source: TaskSource, flags: TaskFlags): (target: string) => Task {
  const made = new Map<string, Task>();
  return (target) => {
    const task = made.get(target) ?? taskOfSource(source, argsOf(flags), target);
    made.set(target, task);
    return task;
  };
}

const isRefusal = (error: unknown): error is Error =>
  error instanceof CliError || (error instanceof FarmError && error.code === "INVALID_ARGUMENT");

/** `SESSION/SEQUENCE`, `FORM/sha256:...`, or what others see of a record's id, `sha256:...`. */
export const isRecordId = (word: string): boolean => /^(?:[\w-]+\/\d+(?:\/\d+)?|(?:[\w.-]+\/)?sha256:[0-9a-f]{64})$/.test(word);

export async function recordNamed(context: CliContext, id: string, flags: RecordedFlags): Promise<TuningRecord> {
  const { records } = await withRecords(context, flags, (store) => store.query({ ids: [id] }));
  const [record] = records;
  if (record) return record;
  throw badInput(`there is no record ${JSON.stringify(id)}; \`records query\` lists ids`);
}
