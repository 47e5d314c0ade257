/** What the page shows of a tracker, from its store and snapshots. viewOf and ownerOf limit it for each viewer. */
import { defined, FarmError } from "@warpfarm/common";
import type { Principal } from "@warpfarm/proto";
import { SqlStore } from "@warpfarm/records";
import {
  detailOf,
  finalsDetail,
  type PageSource,
  type RecordDetail,
  type RunDetail,
  recordDetail,
  recordSummary,
  type Viewer,
} from "@warpfarm/web";
import { ownerOf, viewerOf } from "../doors/rights.ts";
import { drainNode, extendSession, pauseSession, stopSession } from "../services/actions.ts";
import type { TrackerContext } from "../services/context.ts";
import type { Queryable } from "../store/database.ts";
import { withDisputes } from "../store/sql/second-looks.ts";
import { documentsOf } from "../store/sql/unrecorded.ts";
import { requestStates } from "../store/states.ts";
import type { BusyHistory } from "./busy-history.ts";
import { farmView } from "./farm-view.ts";
import { finalsOf } from "./finals.ts";
import { RunBook } from "./run-book.ts";
import { RunList } from "./run-list.ts";
import { suitesOf } from "./suites.ts";

const mostOthers = 100;
const mostRunning = 100;
const maxAgeMs = 1_000;
const longestPtx = 2 << 20;
const longestCode = 64 << 20;

const principalOf = ({ name, isAdmin }: Viewer): Principal => ({ name, role: isAdmin ? "admin" : "client" });
const ownerFor = (viewer: Viewer) => ownerOf(principalOf(viewer));

export function trackerSource(context: TrackerContext, history: BusyHistory): PageSource {
  const { db, clock, limits, registry, secrets, snapshots, shares, waits } = context;
  const book = new RunBook(context);
  const list = new RunList(db.lazy, clock, limits.idleMs, (id) => book.tally(id));
  const snapshot = () => snapshots.get(maxAgeMs);
  const view = farmView({ db: db.lazy, registry, secrets, clock, waits, history, snapshot });
  const suites = suitesOf(db.lazy);
  const storeFor = (viewer: Viewer) => {
    const sql = { query: db.lazy.query.bind(db.lazy), transaction: db.transaction.bind(db) };
    return new SqlStore({ sql, ...defined({ viewer: viewerOf(principalOf(viewer)) }) });
  };

  async function runDetail(id: string, viewer: Viewer): Promise<RunDetail | undefined> {
    const summary = await list.one(id, ownerFor(viewer));
    if (!summary) return undefined;
    const trials = await book.get(id);
    const { search, defaultSeconds, librarySeconds, space } = list.provenance(id);
    const found = summary.state === "ended" ? await finalsOf(storeFor(viewer), summary) : undefined;
    trials.addRounds(found?.records ?? []);
    return {
      ...detailOf(trials.count > 0 ? { ...summary, startedMs: trials.startedMs } : summary, trials),
      ...defined({ search, defaultSeconds, librarySeconds, space, finals: found && finalsDetail(found.finals) }),
      ...defined({ best: trials.best?.seconds }),
      ...defined({ takesTrials: list.takesTrials(id), queuePosition: shares.positionOf(id) }),
      running: summary.state === "ended" ? [] : await readRunning(context, id, search?.tuner !== undefined),
    };
  }

  async function record(id: string, viewer: Viewer): Promise<RecordDetail | undefined> {
    const store = storeFor(viewer);
    const [found] = await withDisputes(db.lazy, (await store.query({ ids: [id], limit: 1 })).records);
    if (!found) return undefined;
    // An imported record may name any digest, so the program and manifest of that digest are not shown.
    const { program, artifact } = found.origin.kind === "measured" ? found : {};
    const others = program === undefined ? [] : (await store.query({ program, limit: mostOthers })).records;
    const programs = program === undefined ? [] : await textsOf(context, "programs", program);
    const manifests = artifact === undefined ? new Map() : await documentsOf(db.lazy, "blobs", [artifact]);
    const manifest = manifestOf(artifact === undefined ? undefined : manifests.get(artifact));
    const built = manifest && codeNamed(manifest);
    const run = (await list.has(found.session ?? "", ownerFor(viewer))) ? found.session : undefined;
    const bytes = built?.format === "ptx" ? await blobOf(db.lazy, built.digest, longestPtx) : undefined;
    return recordDetail(found, others, {
      ...defined({ program: programs[0], manifest, codeFile: built?.name, run }),
      ...(bytes === undefined ? {} : { ptx: Buffer.from(bytes).toString("utf8") }),
    });
  }

  async function code(id: string, viewer: Viewer) {
    const [found] = (await storeFor(viewer).query({ ids: [id], limit: 1 })).records;
    if (found?.artifact === undefined || found.origin.kind !== "measured") return undefined;
    const manifest = manifestOf((await documentsOf(db.lazy, "blobs", [found.artifact])).get(found.artifact));
    const built = manifest && codeNamed(manifest);
    const bytes = built && (await blobOf(db.lazy, built.digest, longestCode));
    return bytes && { name: built.name, bytes };
  }

  return {
    kind: "tracker",
    runs: (viewer) => list.all(ownerFor(viewer)),
    run: runDetail,
    async trials(id, after, viewer, most) {
      return (await list.has(id, ownerFor(viewer))) ? (await book.get(id)).columns(after, most) : undefined;
    },
    record,
    code,
    async records(asked, viewer) {
      const { records, next } = await storeFor(viewer).query(asked);
      return { records: records.map(recordSummary), ...(next === undefined ? {} : { next }) };
    },
    farm: {
      fleet: (viewer) => view.fleet(principalOf(viewer)),
      queue: (viewer) => view.queue(principalOf(viewer)),
      suites: (viewer) => suites.list(ownerFor(viewer)),
      suite: (id, viewer) => suites.detail(id, ownerFor(viewer)),
      ...actionsOf(context, list),
    },
  };
}

function actionsOf(
  context: TrackerContext,
  list: RunList,
): Pick<NonNullable<PageSource["farm"]>, "stop" | "pause" | "extend" | "drain"> {
  const callerOf = (viewer: Viewer) => ({ principal: principalOf(viewer), peer: "page" });
  return {
    async stop(run, viewer) {
      await stopSession(context, run, "stopped on the page", callerOf(viewer));
    },
    async pause(run, undo, viewer) {
      await pauseSession(context, run, undo, callerOf(viewer));
      list.forget();
    },
    async extend(run, trials, viewer) {
      await extendSession(context, run, trials, callerOf(viewer));
      list.forget();
    },
    async drain(node, undo, viewer) {
      if (!viewer.isAdmin)
        throw new FarmError(
          "PERMISSION_DENIED",
          `only admins may drain a node, and ${viewer.name || "a viewer without a token"} is none`,
        );
      await drainNode(context, node, undo, callerOf(viewer));
    },
  };
}

type Manifest = NonNullable<RecordDetail["manifest"]>;

const manifestOf = (document: unknown): Manifest | undefined =>
  typeof document === "object" && document !== null && !Array.isArray(document) ? (document as Manifest) : undefined;

function codeNamed({ format, code }: Manifest) {
  const known = (["cubin", "ptx", "so"] as const).find((one) => one === format);
  return known && typeof code === "string" ? { format: known, digest: code, name: `kernel.${known}` } : undefined;
}

/** Undefined: it is gone, or longer. */
async function blobOf(db: Queryable, digest: string, most: number): Promise<Uint8Array | undefined> {
  const [row] = await db.query<{ bytes: Uint8Array }>("select bytes from blobs where digest = $1 and length(bytes) <= $2", [
    digest,
    most,
  ]);
  return row?.bytes;
}

async function textsOf({ db }: TrackerContext, table: "programs", digest: string): Promise<readonly string[]> {
  const rows = await db.lazy.query<{ bytes: Uint8Array }>(`select bytes from ${table} where digest = $1`, [digest]);
  return rows.map(({ bytes }) => Buffer.from(bytes).toString("utf8"));
}

/** Only the default schedule of a search is no trial. */
const readRunning = ({ db }: TrackerContext, id: string, isSearch: boolean): Promise<RunDetail["running"]> =>
  db.lazy.query<RunDetail["running"][number]>(
    `select coalesce((proposal::json ->> 'trial')::bigint, case when $3 and others = '{}' then 0 else sequence end) as sequence, node, "sinceMs", step from (
       select l.sequence, r.proposal, r.others, w.node, extract(epoch from l.granted_at)::double precision * 1000 as "sinceMs", 'run' as step
       from leases l join workers w on w.worker_id = l.worker_id join requests r on r.session_id = l.session_id and r.sequence = l.sequence
       where l.session_id = $1
       union all
       select r.sequence, r.proposal, r.others, w.node, extract(epoch from l.granted_at)::double precision * 1000, 'build'
       from leases l join workers w on w.worker_id = l.worker_id join requests r on r.program = l.program
       where r.session_id = $1 and r.state = ${requestStates.building}) now
     order by sequence limit $2`,
    [id, mostRunning, isSearch],
  );
