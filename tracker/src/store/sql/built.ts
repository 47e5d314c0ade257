/** Builders' reports: a build with an artifact, or a failure. A build whose manifest cannot be used counts as lost. */
import { type ArtifactDigest, measureErrorNo, type WorkerId } from "@warpfarm/common";
import { decodeManifest, type Outcome } from "@warpfarm/proto";
import type { LeasePolicy } from "../../policy/lease.ts";
import type { Queryable } from "../database.ts";
import { encodeResult } from "../result-bytes.ts";
import { rowsOf, statement, value } from "../statement.ts";
import { buildStates } from "../states.ts";
import { useBlobs } from "./blobs.ts";
import { advanceRequests } from "./builds.ts";
import { both, type Effects } from "./effects.ts";
import { type LeaseRow, returnLeases } from "./give-back.ts";
import { buildersOfSayers, isAgreed, othersWaitFor } from "./verdicts.ts";

export type Settled = LeaseRow & { readonly outcome: Outcome; readonly heldMs: number };

export interface Paid {
  readonly principal: string;
  readonly ms: number;
}

/** Builds that ended: stores them, advances the requests that waited, and returns who pays for how long. */
export async function applyBuilds(
  tx: Queryable,
  settled: readonly Settled[],
  artifacts: Artifacts,
  policy: LeasePolicy,
  now: number,
): Promise<{ readonly effects: Effects; readonly built: readonly Paid[] }> {
  const { built, failed, unusable } = sorted(settled, artifacts);
  const ended = [...(await storeBuilt(tx, built)), ...(await storeFailed(tx, failed, policy))];
  const programs = [...built, ...failed].map(({ program }) => program);
  const moved = await advanceRequests(tx, programs, now);
  let effects: Effects = { ...moved, others: moved.others + ended.filter(({ again }) => again).length };
  for (const { lease, why } of unusable) effects = both(effects, await returnLeases(tx, [lease], "fault", why, policy, now));
  const payers = new Map(ended.map(({ program, principal }) => [program, principal]));
  const times = settled.flatMap(({ program, heldMs }) => {
    const principal = program === null ? undefined : payers.get(program);
    return principal === undefined ? [] : [{ principal, ms: heldMs }];
  });
  return { effects, built: times };
}

interface Built {
  readonly program: string;
  readonly artifact: string;
  readonly code: string;
  readonly manifest: number;
  readonly bytes: number;
  readonly buildMs: number;
}
interface Failed {
  readonly program: string;
  readonly errorNo: number;
  readonly failure: Uint8Array;
  readonly toolchain: string;
  readonly buildMs: number;
  readonly worker: WorkerId;
}
interface Unusable {
  readonly lease: Settled;
  readonly why: string;
}

function sorted(settled: readonly Settled[], artifacts: Artifacts) {
  const [built, failed, unusable]: [Built[], Failed[], Unusable[]] = [[], [], []];
  for (const lease of settled) {
    const { program, outcome } = lease;
    if (program === null) continue;
    if (outcome.kind === "build_failed") {
      const { result, buildMs } = outcome;
      const { errorNo, toolchain = "" } = result;
      failed.push({ program, errorNo, toolchain, failure: encodeResult(result), buildMs, worker: lease.worker });
    }
    if (outcome.kind !== "built") continue;
    const { artifact, buildMs } = outcome;
    const found = artifacts.get(artifact) ?? { fault: `the manifest ${artifact} was not uploaded` };
    if ("fault" in found) unusable.push({ lease, why: found.fault });
    else if (found.program !== program) unusable.push({ lease, why: `the manifest ${artifact} is of program ${found.program}` });
    else built.push({ ...found, artifact, buildMs });
  }
  return { built, failed, unusable };
}

interface Ended {
  readonly program: string;
  readonly principal: string;
  readonly again: boolean;
}

const storingBuilt = statement(
  {
    o: rowsOf({
      ...{ program: "text", artifact: "text", code: "text" },
      ...{ build_ms: "double precision", bytes: "bigint", manifest: "smallint" },
    }),
  },
  ({ o }) => `
     update builds b set state = ${buildStates.built}, said_by = '{}', vouched = false, artifact = o.artifact, code = o.code, bytes = o.bytes, manifest = o.manifest, build_ms = o.build_ms, finished_at = now()
     from ${o.rows}
     where b.program = o.program and b.state = ${buildStates.leased} returning b.program, b.principal, false as again`,
);

async function storeBuilt(tx: Queryable, built: readonly Built[]): Promise<readonly Ended[]> {
  if (built.length === 0) return [];
  return storingBuilt.query<Ended>(tx, {
    o: {
      program: built.map((b) => b.program),
      artifact: built.map((b) => b.artifact),
      code: built.map((b) => b.code),
      build_ms: built.map((b) => b.buildMs),
      bytes: built.map((b) => b.bytes),
      manifest: built.map((b) => b.manifest),
    },
  });
}

const storingFailed = statement(
  {
    f: rowsOf({
      ...{ program: "text", failure: "bytea", error_no: "smallint" },
      ...{ build_ms: "double precision", toolchain: "text", worker: "text" },
    }),
    timed_out: value(),
    most_attempts: value(),
  },
  ({ f, timed_out, most_attempts }) => `
     update builds b set state = case when o.again then ${buildStates.waiting} else ${buildStates.failed} end, failure = case when o.again then null else o.failure end,
       toolchain = nullif(o.toolchain, ''), said_by = o.said_by, vouched = o.vouched,
       avoid = case when o.again then b.avoid || ${buildersOfSayers("o")} else b.avoid end,
       bytes = case when o.again then 0 else octet_length(o.failure) end,
       error_no = case when o.again then null else o.error_no end, finished_at = case when o.again then null else now() end
     from (
       select s.*, s.attempts < ${most_attempts} and (s.error_no = ${timed_out} and 1.25 * s.build_ms < s.timeout_ms
         or not ${isAgreed("s")} and ${othersWaitFor("s")}) as again
       from (
         select f.*, w.target, w.timeout_ms, w.attempts, w.principal, w.vouched or coalesce(p.vouched, false) as vouched,
           case when p.principal is null or p.principal = any(w.said_by) then w.said_by else array_append(w.said_by, p.principal) end as said_by
         from ${f.rows}
         join builds w on w.program = f.program left join workers p on p.worker_id = f.worker) as s) as o
     where b.program = o.program and b.state = ${buildStates.leased} returning b.program, b.principal, o.again`,
);

/**
 * A build that failed within the first session's time limit is repeated when another session meanwhile allows much more. By the
 * builder's own clock a time-out may seem slightly shorter than the limit. One for which other principals wait too is repeated
 * when the failure does not stand for them (verdicts.ts), by a builder of another principal.
 */
async function storeFailed(tx: Queryable, failed: readonly Failed[], policy: LeasePolicy): Promise<readonly Ended[]> {
  if (failed.length === 0) return [];
  return storingFailed.query<Ended>(tx, {
    f: {
      program: failed.map((b) => b.program),
      failure: failed.map((b) => b.failure),
      error_no: failed.map((b) => b.errorNo),
      build_ms: failed.map((b) => b.buildMs),
      toolchain: failed.map((b) => b.toolchain),
      worker: failed.map((b) => b.worker),
    },
    timed_out: measureErrorNo.BUILD_TIMEOUT,
    most_attempts: policy.maxLosses,
  });
}

/** `manifest`: its version. `bytes`: those of the manifest and the code that it names. */
type Usable = { readonly program: string; readonly code: string; readonly manifest: number; readonly bytes: number };
type Artifacts = ReadonlyMap<ArtifactDigest, { readonly fault: string } | Usable>;

/**
 * The contents of the reported manifests, or why one cannot be used. Blobs never change, so they are read before the transaction.
 */
export async function readArtifacts(db: Queryable, digests: readonly ArtifactDigest[]): Promise<Artifacts> {
  const artifacts = new Map<ArtifactDigest, { readonly fault: string } | Usable>();
  if (digests.length === 0) return artifacts;
  const manifests = await db.query<{ digest: ArtifactDigest; bytes: Uint8Array }>(
    "select digest, bytes from blobs where digest = any($1::text[])",
    [digests],
  );
  for (const { digest, bytes } of manifests) {
    const manifest = decodeManifest(bytes);
    if (manifest.ok)
      artifacts.set(digest, {
        program: manifest.value.program,
        code: manifest.value.code,
        manifest: manifest.value.version,
        bytes: bytes.length,
      });
    else artifacts.set(digest, { fault: `the manifest ${digest} is refused: ${manifest.error.path}: ${manifest.error.message}` });
  }
  const codes = [...artifacts.values()].flatMap((a) => ("code" in a ? [a.code] : []));
  const present = await useBlobs(db, [...codes, ...digests]);
  for (const [digest, a] of artifacts)
    if ("code" in a) {
      const size = present.get(a.code);
      artifacts.set(
        digest,
        size === undefined
          ? { fault: `the code ${a.code} of manifest ${digest} was not uploaded` }
          : { ...a, bytes: a.bytes + size },
      );
    }
  return artifacts;
}
