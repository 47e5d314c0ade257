/** What the services share: the store, the views of it, and how changes of the store reach those who wait. */
import { type Clock, FarmError, type NewId } from "@warpfarm/common";
import { oldestProtocolVersion, protocolVersion } from "@warpfarm/proto";
import type { Logger } from "pino";
import type { Dispatcher } from "../dispatch/dispatcher.ts";
import type { Registry } from "../dispatch/registry.ts";
import type { SessionBook } from "../dispatch/session-book.ts";
import type { Audit } from "../doors/audit.ts";
import { defaultQuotaLimits, type QuotaLimits, type Quotas } from "../doors/quotas.ts";
import type { Secrets } from "../doors/secrets.ts";
import type { Peers } from "../peers.ts";
import type { FairShare } from "../policy/fair-share.ts";
import type { LeasePolicy } from "../policy/lease.ts";
import type { Database } from "../store/database.ts";
import type { Effects } from "../store/sql/effects.ts";
import type { FreedLease } from "../store/sql/sessions.ts";
import type { Metrics } from "../views/metrics.ts";
import type { Snapshots } from "../views/snapshot.ts";
import type { Watches } from "./watches.ts";

export interface Limits extends QuotaLimits {
  /** A Synchronize call is held at most so long. */
  readonly holdMs: number;
  /** A session outlives its last stream by so much. */
  readonly idleMs: number;
  readonly maxSessions: number;
  /** Uploads that one tracker takes at a time, and the bytes it holds of them; one principal half of each. */
  readonly maxUploads: number;
  readonly maxUploadBytes: number;
  /** Streams of one principal that tell of the farm or of suites, at one tracker. */
  readonly maxWatches: number;
  /** An upload that takes longer is ended. */
  readonly uploadMs: number;
  readonly maxBlobBytes: number;
  readonly maxStoreBytes: number;
  /** A store that has not answered for so long makes grpc.health.v1 say NOT_SERVING. */
  readonly storeAwayMs: number;
  /** A worker whose connection went away is given up after so long. */
  readonly brokenOffMs: number;
  /** Built programs and their artifacts are kept so long after their last use. */
  readonly keepMs: number;
  /** Requests whose results were received are kept so long after they were accepted. */
  readonly keepRequestsMs: number;
  /** How often the tracker that leads looks for what need not be kept. */
  readonly collectEveryMs: number;
  /** Records of failures are kept so long; of all records so many, and the best of each task and kind of device. */
  readonly keepFailuresMs: number;
  readonly maxRecords: number;
  /** Records go there too, as files; the store keeps the newest for the page. */
  readonly recordInbox?: string;
  /** Where tokens are asked for: workers that cannot prove their calls are served all the same. */
  readonly allowOldWorkers: boolean;
}

export const defaultLimits: Limits = {
  ...defaultQuotaLimits,
  holdMs: 20_000,
  idleMs: 15 * 60_000,
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
  allowOldWorkers: false,
};

export interface TrackerContext {
  readonly watches: Watches;
  readonly db: Database;
  readonly registry: Registry;
  /** Absent when the store is this tracker's alone. */
  readonly peers: Peers | undefined;
  readonly sessions: SessionBook;
  readonly shares: FairShare;
  readonly dispatcher: Dispatcher;
  readonly snapshots: Snapshots;
  readonly metrics: Metrics;
  readonly policy: LeasePolicy;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Logger;
  readonly audit: Audit;
  readonly secrets: Secrets;
  /** Absent where nobody is asked who they are: all are one then, and it has no quota. */
  readonly quotas: Quotas | undefined;
  /** Results go to their streams, new work to whoever waits. */
  readonly apply: (effects: Effects) => void;
  /** Workers are told to give these up. */
  readonly cancel: (freed: readonly FreedLease[]) => void;
}

/** Since this one a worker proves its calls. */
const provingProtocol = 3;
export const provesItsCalls = (protocol: number): boolean => protocol >= provingProtocol;

/** Throws FAILED_PRECONDITION, naming both sides, when they cannot understand each other. */
export function checkProtocol(party: "client" | "worker", theirs: number): void {
  if (theirs >= oldestProtocolVersion && theirs <= protocolVersion) return;
  const older = theirs < oldestProtocolVersion;
  throw new FarmError(
    "FAILED_PRECONDITION",
    `the ${party} speaks protocol ${theirs}, this tracker ${protocolVersion} and ${oldestProtocolVersion}: update the ${older ? party : "tracker"}`,
  );
}
