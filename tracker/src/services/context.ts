/** What the services share: the store, its views, and how changes of the store reach waiting callers. */
import { type Clock, FarmError, type NewId } from "@warpfarm/common";
import { protocolVersion } from "@warpfarm/proto";
import type { Logger } from "pino";
import type { Dispatcher } from "../dispatch/dispatcher.ts";
import type { Registry } from "../dispatch/registry.ts";
import type { Replays } from "../dispatch/replays.ts";
import type { SessionBook } from "../dispatch/session-book.ts";
import type { Audit } from "../doors/audit.ts";
import { defaultQuotaLimits, type QuotaLimits, type Quotas } from "../doors/quotas.ts";
import type { Secrets } from "../doors/secrets.ts";
import type { SetAside } from "../flow/set-aside.ts";
import type { Peers } from "../peers.ts";
import type { FairShare } from "../policy/fair-share.ts";
import type { LeasePolicy } from "../policy/lease.ts";
import type { Receipts } from "../records/receipts.ts";
import type { Database } from "../store/database.ts";
import type { Effects, FreedLease } from "../store/sql/effects.ts";
import type { EndedLeases } from "../views/ended-leases.ts";
import type { LeaseSpans } from "../views/lease-spans.ts";
import type { Metrics } from "../views/metrics.ts";
import type { Snapshots } from "../views/snapshot.ts";
import type { Waits } from "../views/waiting.ts";
import type { Watches } from "./watches.ts";

export interface Limits extends QuotaLimits {
  readonly holdMs: number;
  readonly idleMs: number;
  /** How long builders build for it after its last stream. A client that lost its connection tries again every five seconds. */
  readonly buildsOutliveMs: number;
  readonly maxSessions: number;
  /** Uploads that one tracker accepts at a time, and bytes that they may hold. One principal may use half of each. */
  readonly maxUploads: number;
  readonly maxUploadBytes: number;
  readonly maxWatches: number;
  readonly uploadMs: number;
  readonly maxBlobBytes: number;
  readonly maxStoreBytes: number;
  /** After this time without an answer of the store, grpc.health.v1 says NOT_SERVING. */
  readonly storeAwayMs: number;
  /** A worker whose connection was lost is given up after this time. */
  readonly brokenOffMs: number;
  /** Built programs and their artifacts are kept for this time after their last use. */
  readonly keepMs: number;
  /** Requests with received results are kept for this time after they were accepted. */
  readonly keepRequestsMs: number;
  readonly collectEveryMs: number;
  /** How long records of failures are kept, and how many of all records. The best of each task and kind of device stay. */
  readonly keepFailuresMs: number;
  readonly maxRecords: number;
  /** Claims that this tracker gives to builders in a second; 0: none. And the most time that one may take there. */
  readonly verifyPerSecond: number;
  readonly replayMs: number;
  /** Records are also written there, as files; the store then keeps the newest for the page. */
  readonly recordInbox?: string;
}

export const defaultLimits: Limits = {
  ...defaultQuotaLimits,
  holdMs: 20_000,
  idleMs: 15 * 60_000,
  buildsOutliveMs: 30_000,
  maxSessions: 1_000,
  maxUploads: 128,
  maxUploadBytes: 512 * 2 ** 20,
  maxWatches: 64,
  /** The largest blob at 200 kB/s. */
  uploadMs: 300_000,
  maxBlobBytes: 64 << 20,
  maxStoreBytes: 4 * 2 ** 30,
  storeAwayMs: 3_000,
  brokenOffMs: 5_000,
  keepMs: 24 * 3_600_000,
  keepRequestsMs: 3_600_000,
  collectEveryMs: 60_000,
  keepFailuresMs: 30 * 24 * 3_600_000,
  maxRecords: 10_000_000,
  verifyPerSecond: 20,
  replayMs: 20_000,
};

export interface TrackerContext {
  readonly watches: Watches;
  readonly db: Database;
  readonly registry: Registry;
  /** Absent when only this tracker uses the store. */
  readonly peers: Peers | undefined;
  readonly sessions: SessionBook;
  readonly shares: FairShare;
  readonly dispatcher: Dispatcher;
  readonly snapshots: Snapshots;
  readonly waits: Waits;
  /** When a page last read a run's trials, by the monotonic clock. */
  readonly trialsShown: { atMs: number };
  readonly metrics: Metrics;
  readonly setAside: SetAside;
  /** Absent where everything is one user's, and where nothing is replayed. */
  readonly replays: Replays | undefined;
  readonly policy: LeasePolicy;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Logger;
  readonly audit: Audit;
  readonly secrets: Secrets;
  readonly leaseSpans: LeaseSpans;
  readonly endedLeases: EndedLeases;
  readonly receipts: Receipts;
  /** Absent where no tokens are required: all callers are then one principal without a quota. */
  readonly quotas: Quotas | undefined;
  readonly apply: (effects: Effects) => void;
  readonly cancel: (freed: readonly FreedLease[]) => void;
}

/** Throws FAILED_PRECONDITION that names both versions when they differ. */
export function checkProtocol(party: "client" | "worker", theirs: number): void {
  if (theirs === protocolVersion) return;
  throw new FarmError(
    "FAILED_PRECONDITION",
    `the ${party} speaks protocol ${theirs}, this tracker ${protocolVersion}: update the ${theirs < protocolVersion ? party : "tracker"}`,
  );
}
