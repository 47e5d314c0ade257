/**
 * What becomes of records whose claims are true: everybody reads them, unless
 *
 *   a failed build    one builder alone says so (verdicts.ts): it stays with its owner
 *   a time            is much shorter than expected: a second node measures it first (second-looks.ts), where there is one
 *
 * Much shorter than expected: the best of the same task, arguments, kind of device and computation takes more than 1.2 times as
 * long. Where there is no best yet: less than half of the best of the nearest shape (shapeDistance) on the same kind of device,
 * scaled by the ratio of operations. Where there is neither, nothing is expected.
 */
import { canonicalJson, measureErrorNo, medianSeconds, type Seconds, shortNameOf } from "@warpfarm/common";
import {
  conditionsOfRecord,
  decodeRecord,
  everybody,
  isShared,
  keyOf,
  problemOf,
  type StandingNo,
  secondsOfRecord,
  shapeDistance,
  standings,
  type TuningRecord,
  useOf,
} from "@warpfarm/records";
import type { Queryable } from "../database.ts";
import { rowsOf, statement } from "../statement.ts";
import { buildStates, lookStates } from "../states.ts";
import { isSameTime, type Look, lookNameOf, looksOf, placeOf, wantLook } from "./second-looks.ts";
import { isAgreed } from "./verdicts.ts";

const beatsBest = 1.2;
const ofExpected = 0.5;
/** Newest records of the task on the kind of device, among which the nearest shape is looked for. */
const lookedAt = 200;
const sharedAtOnce = 500;

/** The standings of records whose claims are true, in their order. */
export async function sharedStandings(tx: Queryable, records: readonly TuningRecord[]): Promise<readonly StandingNo[]> {
  if (records.length === 0) return [];
  const alone = await saidByOne(tx, records);
  const names = records.map(lookNameOf);
  const looks = await looksOf(
    tx,
    names.filter((name) => name !== undefined),
  );
  const best = await bestSeconds(tx, records);
  const given: StandingNo[] = [];
  for (const [i, record] of records.entries()) {
    const name = names[i];
    const look = name && looks.get(placeOf(name));
    if (alone.has(record.program ?? "") && isBuildFailure(record)) given.push(standings.offered);
    else given.push(await standingOf(tx, record, look, best[i] ?? undefined));
  }
  return given;
}

async function standingOf(
  tx: Queryable,
  record: TuningRecord,
  look: Look | undefined,
  best: Seconds | undefined,
): Promise<StandingNo> {
  if (record.result.kind !== "timed") return standings.verified;
  const seconds = medianSeconds(record.result.costs);
  if (look?.state === lookStates.wanted || look?.state === lookStates.measured) return standings.doubted;
  if (look?.secondSeconds != null) {
    if (look.state === lookStates.agreed && isSameTime(seconds, look.secondSeconds)) return standings.confirmed;
    if (look.state === lookStates.disputed && !isSameTime(seconds, look.secondSeconds)) return standings.disputed;
  }
  if (!(await isSurprising(tx, record, seconds, best))) return standings.verified;
  return (await wantLook(tx, record, keyOf(record))) ? standings.doubted : standings.verified;
}

async function isSurprising(tx: Queryable, record: TuningRecord, seconds: Seconds, best: Seconds | undefined): Promise<boolean> {
  if (best !== undefined) return best > beatsBest * seconds;
  const expected = await expectedSeconds(tx, record);
  return expected !== undefined && seconds < ofExpected * expected;
}

const comparing = statement(
  {
    c: rowsOf(
      {
        ...{ task: "text", problem: "text", device_key: "text", device_name: "text" },
        ...{ computation: "text[]::uuid", conditions: "text", usable: "smallint" },
      },
      "i",
    ),
  },
  ({ c }) => `select c.i::integer as i, b.seconds from ${c.rows}
     left join lateral (
       select r.seconds from records r where r.namespace = '${everybody}' and r.task = c.task and r.problem = c.problem and r.device_key = c.device_key
         and r.device_name = c.device_name and r.computation = c.computation and r.usable > 0 and r.usable = c.usable and r.conditions = c.conditions
       order by r.seconds, r.key limit 1) b on true order by c.i`,
);

async function bestSeconds(tx: Queryable, records: readonly TuningRecord[]): Promise<readonly (Seconds | null)[]> {
  const rows = await comparing.query<{ i: number; seconds: Seconds | null }>(tx, {
    c: {
      task: records.map(({ task }) => task),
      problem: records.map(problemOf),
      device_key: records.map(({ device }) => device?.key ?? ""),
      device_name: records.map(({ device }) => device?.name ?? ""),
      computation: records.map(({ computation = "" }) => (computation === "" ? "0".repeat(32) : shortNameOf(computation))),
      conditions: records.map(conditionsOfRecord),
      usable: records.map(useOf),
    },
  });
  return rows.map(({ seconds }) => seconds);
}

/** Undefined where no near shape has a best, or its operations are not known. */
async function expectedSeconds(
  tx: Queryable,
  { task, args, device, operations = 0 }: TuningRecord,
): Promise<Seconds | undefined> {
  if (!device || operations === 0) return undefined;
  const rows = await tx.query<{ doc: string }>(
    `select doc from records where namespace = '${everybody}' and task = $1 and device_key = $2 and device_name = $3
       and not imported and usable > 0 order by at desc, key limit ${lookedAt}`,
    [task, device.key, device.name],
  );
  let nearest: { readonly distance: number; readonly seconds: Seconds; readonly operations: number } | undefined;
  for (const other of rows.map(({ doc }) => decodeRecord(doc))) {
    const distance = canonicalJson(other.args) === canonicalJson(args) ? undefined : shapeDistance(args, other.args);
    const seconds = secondsOfRecord(other);
    if (distance === undefined || seconds === undefined || !other.operations) continue;
    const isNearer = !nearest || distance < nearest.distance || (distance === nearest.distance && seconds < nearest.seconds);
    if (isNearer) nearest = { distance, seconds, operations: other.operations };
  }
  return nearest && (nearest.seconds * operations) / nearest.operations;
}

const buildFailures: ReadonlySet<number> = new Set([
  measureErrorNo.INSTANTIATION_ERROR,
  measureErrorNo.COMPILE_HOST,
  measureErrorNo.COMPILE_DEVICE,
  measureErrorNo.BUILD_TIMEOUT,
]);
const isBuildFailure = ({ result }: TuningRecord): boolean => result.kind === "failed" && buildFailures.has(result.errorNo);

/** Programs of these that failed to build by the word of one builder, or of which nothing is known any more. */
async function saidByOne(tx: Queryable, records: readonly TuningRecord[]): Promise<ReadonlySet<string>> {
  const failed = new Set(records.filter(isBuildFailure).flatMap(({ program }) => program ?? []));
  if (failed.size === 0) return failed;
  const rows = await tx.query<{ program: string }>(
    `select b.program from builds b where b.program = any($1::text[]) and b.state = ${buildStates.failed} and ${isAgreed("b")}`,
    [[...failed]],
  );
  for (const { program } of rows) failed.delete(program);
  return failed;
}

/** Shares records of claims that were just found true. */
export async function shareVerified(tx: Queryable, claims: readonly string[]): Promise<void> {
  for (let after = "00000000-0000-0000-0000-000000000000"; ; ) {
    const rows = await tx.query<{ key: string; doc: string }>(
      `select key::text as key, doc from records where claim = any($1::text[]::uuid[]) and standing in (${standings.own}, ${standings.offered})
         and key > $2::text::uuid order by key limit ${sharedAtOnce}`,
      [claims, after],
    );
    const given = await sharedStandings(
      tx,
      rows.map(({ doc }) => decodeRecord(doc)),
    );
    for (const standing of new Set(given))
      await tx.query(
        `update records set standing = ${standing} ${isShared(standing) ? `, namespace = '${everybody}'` : ""} where key = any($1::text[]::uuid[])`,
        [rows.filter((_, i) => given[i] === standing).map(({ key }) => key)],
      );
    if (rows.length < sharedAtOnce) return;
    after = rows.at(-1)?.key ?? after;
  }
}
