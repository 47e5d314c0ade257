/**
 * Writes records of stored results in batches, on the leading tracker. A record and its mark are written in one transaction, so
 * none is lost or written twice, whenever a tracker dies. A result of which no record can be written is set aside. Dispatch comes
 * first: between two batches the recorder rests 39 times as long as a batch took, or only as long when results pile up.
 */
import { FarmError, type Json } from "@warpfarm/common";
import { workOfProgram } from "@warpfarm/proto";
import {
  computationOf,
  dropInInbox,
  insertRecords,
  keyOf,
  type RetentionRules,
  SqlStore,
  type TuningRecord,
} from "@warpfarm/records";
import type { Repeated } from "../flow/repeat.ts";
import { repeat } from "../flow/repeat.ts";
import type { TrackerContext } from "../services/context.ts";
import type { Queryable } from "../store/database.ts";
import { decodeResult } from "../store/result-bytes.ts";
import { standingsOf, wantClaims, winnersOf } from "../store/sql/claims.ts";
import {
  documentsOf,
  sessionOf,
  setRecorded,
  setUnrecordedAside,
  takeUnrecorded,
  type Unrecorded,
  type UnrecordedName,
} from "../store/sql/unrecorded.ts";
import { recordsOf } from "./record-of-result.ts";

/** Half of what a batch of 25 costs is what its statements cost however few their rows are. */
const batch = 50;
const everyMs = 500;
const restTimes = 39;
/** While trials are shown: on a busy machine a batch takes long because others run, and the page would be minutes behind. */
const restWhileShownMs = 400;
const shownWithinMs = 2_000;
/** After so many full batches in a row, results arrive faster than the recorder writes at that pace. */
const pilesUpAfter = 200;
/** The caller of an end waits at most this long: whoever sent SIGTERM waits. */
const stopWithinMs = 2_000;
const pruneEveryMs = 3_600_000;
/** With an inbox, which has all records, the store keeps this many of the newest for the page. */
const besideInbox = 100_000;

export type RecorderContext = Pick<
  TrackerContext,
  "db" | "registry" | "limits" | "clock" | "newId" | "log" | "trialsShown" | "setAside" | "replays"
>;

export function startRecorder(context: RecorderContext): Repeated {
  const { db, clock, log, limits } = context;
  let pruneAt = clock.monotonic() + 60_000;
  const tick = async (signal: AbortSignal) => {
    if (!((await db.shared?.leads()) ?? true)) return;
    for (let full = 0; !signal.aborted; full++) {
      const begun = clock.monotonic();
      const written = await writeRecords(context);
      if (written < batch) break;
      const now = clock.monotonic();
      const isShown = now - context.trialsShown.atMs < shownWithinMs;
      const rest = (now - begun) * (full < pilesUpAfter ? restTimes : 1);
      await clock.sleep(isShown ? Math.min(rest, restWhileShownMs) : rest, { signal });
    }
    if (clock.monotonic() < pruneAt) return;
    pruneAt = clock.monotonic() + pruneEveryMs;
    await new SqlStore({ sql: db }).prune(retentionOf(limits, clock.now()));
  };
  const running = repeat({ clock, everyMs }, tick, (error, signal) => {
    if (!signal.aborted) log.error({ error }, "recorder");
  });
  return {
    /** Writes the rest for some seconds while the store answers. The next start writes what remains. */
    async stop() {
      await running.stop();
      const end = clock.monotonic() + stopWithinMs;
      try {
        while ((await writeRecords(context)) === batch && clock.monotonic() < end);
      } catch (error) {
        if (!(error instanceof FarmError)) throw error;
        log.warn({ error }, "records are left for the next start");
      }
    },
  };
}

const retentionOf = (limits: RecorderContext["limits"], nowMs: number): RetentionRules => ({
  nowMs,
  failuresMs: limits.keepFailuresMs,
  most: limits.recordInbox === undefined ? limits.maxRecords : Math.min(limits.maxRecords, besideInbox),
});

/** Writes one batch. Resolves with the number of results. */
export async function writeRecords(context: RecorderContext): Promise<number> {
  const { db, setAside } = context;
  let names: readonly UnrecordedName[] = [];
  const write = (only?: UnrecordedName) =>
    writeBatch(context, only, (taken) => {
      names = taken;
    });
  try {
    return await write();
  } catch (error) {
    if (names.length === 0) throw error;
    const each = await setAside.alone("records", names, error, {
      nameOf: ({ id, sequence }) => `${id}/${sequence}`,
      work: (name) => write(name),
      aside: (name, why) => db.transaction((tx) => setUnrecordedAside(tx, name, why)),
    });
    return each.reduce((sum, n) => sum + n, 0);
  }
}

async function writeBatch(
  context: RecorderContext,
  only: UnrecordedName | undefined,
  onTaken: (names: readonly UnrecordedName[]) => void,
): Promise<number> {
  const { db, limits, newId, replays } = context;
  const written = await db.transaction(async (tx) => {
    const taken = await takeUnrecorded(tx, batch, only);
    onTaken(taken);
    if (taken.length === 0) return 0;
    const records = await recordsOfAll(
      context,
      tx,
      taken.filter((row) => sessionOf(row).keep < 2),
    );
    // The file comes before the mark. A file that is written twice has the same ids.
    if (limits.recordInbox !== undefined) await dropInInbox(limits.recordInbox, records, { newId });
    const standing = replays ? await standingsOf(tx, records) : [];
    await insertRecords(tx, records, standing); // the page shows these
    await setRecorded(tx, taken);
    if (replays) await wantClaims(tx, await winnersOf(tx, records.map(keyOf)));
    return taken.length;
  });
  if (written > 0) replays?.expect();
  return written;
}

async function recordsOfAll(
  { registry, replays }: RecorderContext,
  tx: Queryable,
  taken: readonly Unrecorded[],
): Promise<readonly TuningRecord[]> {
  const artifacts = taken.flatMap(({ result }) => {
    const decoded = decodeResult(result);
    return decoded.kind === "timed" ? [decoded.artifact] : [];
  });
  const programs = await documentsOf(
    tx,
    "programs",
    taken.flatMap(({ program, others, reference }) => [program, ...others, ...(reference === null ? [] : [reference])]),
  );
  const manifests = await documentsOf(tx, "blobs", artifacts);
  const uses = registry.uses();
  const sources = {
    ...{ programs, manifests, computation: computations(programs), sharingOf: (node: string) => uses.get(node) },
    ...(replays ? { operations: operationsIn(programs) } : {}),
  };
  return taken.flatMap((row) => recordsOf(row, sources));
}

function operationsIn(programs: ReadonlyMap<string, Json>): (digest: string) => number | undefined {
  const known = new Map<string, number | undefined>();
  return (digest) => {
    if (!known.has(digest)) {
      const operations = workOfProgram(programs.get(digest) ?? null)?.operations ?? [];
      known.set(digest, operations.length === 0 ? undefined : operations.reduce((sum, { count }) => sum + count, 0));
    }
    return known.get(digest);
  };
}

/** Results of a batch mostly have one reference, whose graph is long. */
function computations(programs: ReadonlyMap<string, Json>): (digest: string, args: readonly Json[]) => string {
  const known = new Map<string, string>();
  return (digest, args) => {
    const name = `${digest} ${JSON.stringify(args)}`;
    const made = known.get(name) ?? computationOf(programs.get(digest), digest, args);
    known.set(name, made);
    return made;
  };
}
