/**
 * Composes a tracker: store, views, dispatch, services, listeners. `close` ends it with everything acknowledged in the store.
 */
import {
  AsyncStack,
  type Clock,
  FarmError,
  type NewId,
  type RandomBytes,
  randomId,
  systemClock,
  systemRandomBytes,
} from "@warpfarm/common";
import {
  certificateEndMs,
  type Doors,
  isLoopback,
  parseAddress,
  type RpcServer,
  type ServeOptions,
  serve,
  serverCredentials,
  type Tracing,
} from "@warpfarm/proto";
import type { Logger } from "pino";
import { Dispatcher } from "./dispatch/dispatcher.ts";
import { Judge } from "./dispatch/judge.ts";
import { startReaper } from "./dispatch/reaper.ts";
import { Registry } from "./dispatch/registry.ts";
import { Replays } from "./dispatch/replays.ts";
import { SessionBook } from "./dispatch/session-book.ts";
import { Audit } from "./doors/audit.ts";
import { Quotas } from "./doors/quotas.ts";
import { Secrets } from "./doors/secrets.ts";
import { logFailure } from "./flow/away.ts";
import { SetAside } from "./flow/set-aside.ts";
import { BusyHistory, startBusyHistory } from "./page/busy-history.ts";
import { trackerPage } from "./page/tracker-page.ts";
import { Peers } from "./peers.ts";
import { FairShare } from "./policy/fair-share.ts";
import { defaultLeasePolicy, type LeasePolicy } from "./policy/lease.ts";
import { Receipts } from "./records/receipts.ts";
import { startRecorder } from "./records/recorder.ts";
import { startSecondLooks } from "./records/second-looks.ts";
import { type ControlContext, readAgain } from "./services/actions.ts";
import { adminService } from "./services/admin-service.ts";
import { artifactService } from "./services/artifact-service.ts";
import { defaultLimits, type Limits, type TrackerContext } from "./services/context.ts";
import { farmService } from "./services/farm-service.ts";
import { recordService } from "./services/record-service.ts";
import { suiteService } from "./services/suite-service.ts";
import { Watches } from "./services/watches.ts";
import { workerService } from "./services/worker-service.ts";
import type { Database, SharedStore } from "./store/database.ts";
import { openPglite } from "./store/pglite.ts";
import { tellingRoom } from "./store/room.ts";
import type { Decided } from "./store/sql/effects.ts";
import { listSessions } from "./store/sql/sessions.ts";
import { grantGrace, listWorkers } from "./store/sql/workers.ts";
import { EndedLeases, type EndedLeasesOptions } from "./views/ended-leases.ts";
import { type HttpServer, httpApp, serveHttp } from "./views/http.ts";
import { LeaseSpans } from "./views/lease-spans.ts";
import { Metrics } from "./views/metrics.ts";
import { watchStore } from "./views/readiness.ts";
import { Snapshots } from "./views/snapshot.ts";
import { Waits, type WaitsOptions } from "./views/waiting.ts";

export interface TrackerOptions {
  /** A directory, `memory`, the URL of a PostgreSQL database, or an open database (which the tracker then closes). */
  readonly data: string | Database;
  readonly listen: string;
  /** host:port of HTTP; absent: none. */
  readonly http?: string;
  readonly httpTls?: boolean;
  readonly tls?: ServeOptions["tls"];
  /** Absent: callers are not identified. */
  readonly doors?: Doors;
  /** The file of the private key that signs receipts; absent: none are signed. */
  readonly receiptKey?: string;
  readonly log: Logger;
  /** Absent: nothing is traced. */
  readonly tracing?: Tracing | undefined;
  readonly policy?: Partial<LeasePolicy>;
  readonly limits?: Partial<Limits>;
  readonly clock?: Clock;
  readonly newId?: NewId;
  readonly randomBytes?: RandomBytes;
}

export interface Tracker extends AsyncDisposable {
  readonly grpcPort: number;
  readonly httpPort: number | undefined;
  /** Aborts, with the reason, when its store stopped: it can only be closed then. */
  readonly gone?: AbortSignal;
}

const shutdownMs = 2_000;

export async function startTracker(options: TrackerOptions): Promise<Tracker> {
  const stack = new AsyncStack();
  try {
    return await compose(options, stack);
  } catch (error) {
    await stack[Symbol.asyncDispose]();
    throw error;
  }
}

async function openStore(data: string, log: Logger, clock: Clock): Promise<Database> {
  if (data === "memory") return openPglite(data, clock);
  if (!/^postgres(ql)?:\/\//.test(data)) return tellingRoom(await openPglite(data, clock), data, { log, clock });
  const { openPostgres } = await import("./store/postgres.ts");
  const server = await openPostgres(data, { onError: (error) => log.warn({ error }, "store connection"), clock });
  return tellingRoom(server, "the database", { log, clock });
}

function openHttp(
  context: TrackerContext,
  history: BusyHistory,
  { doors, tls, httpTls }: TrackerOptions,
  listen: string,
): Promise<HttpServer> {
  const listening = { isLoopback: isLoopback(parseAddress(listen).host), isTls: httpTls === true && tls !== undefined };
  const httpDoors = doors && { doors, isRequired: !listening.isLoopback };
  const page = trackerPage(context, history, httpDoors, listening);
  return serveHttp(httpApp(context, { doors: httpDoors, ...listening, page }), listen, httpTls ? tls : undefined);
}

async function openPage(
  context: TrackerContext,
  options: TrackerOptions,
  listen: string,
  stack: AsyncStack,
): Promise<HttpServer> {
  const history = new BusyHistory();
  const looking = startBusyHistory(context, history);
  stack.defer(() => looking.stop());
  const http = await openHttp(context, history, options, listen);
  stack.defer(() => http.close());
  return http;
}

function openPeers(store: SharedStore, me: string, context: ControlContext, log: Logger): Peers {
  const { dispatcher, sessions, clock } = context;
  return new Peers(store, me, clock, {
    onWork: (effects) => dispatcher.changed(effects),
    onFinished: (finished) => void sessions.deliver(finished),
    onCancel: (freed) => dispatcher.cancel(freed),
    onSession: (id) => void readAgain(context, id).catch(logFailure(log, "session of a peer")),
  });
}

function openGrpc(context: TrackerContext, options: TrackerOptions): Promise<RpcServer> {
  const farm = farmService(context);
  return serve(
    {
      farm: { ...farm.handlers, measure: farm.measure },
      worker: workerService(context),
      artifact: artifactService(context),
      admin: adminService(context),
      suite: suiteService(context),
      record: recordService(context),
    },
    {
      listen: options.listen,
      ...(options.tls ? { tls: options.tls } : {}),
      ...(options.doors ? { doors: options.doors } : {}),
      onRefused: (path, peer, error) => context.audit.refused(path, peer, error),
      onError: (path, error) => context.log.error({ error, path }, "rpc"),
    },
  );
}

/** Held calls and streams end by themselves. Running writes are finished first. */
async function endCalls({ sessions, dispatcher }: TrackerContext, grpc: RpcServer): Promise<void> {
  sessions.endAll(new FarmError("UNAVAILABLE", "the tracker is shutting down; reconnect with resume_after"));
  const closed = grpc.close(shutdownMs);
  await dispatcher.close();
  await closed;
}

async function readStore(
  db: Database,
  clock: Clock,
  { registry, sessions, shares }: Pick<TrackerContext, "registry" | "sessions" | "shares">,
): Promise<void> {
  const asOf = clock.monotonic();
  registry.refresh(await listWorkers(db, () => undefined), asOf);
  const open = await listSessions(db);
  sessions.refresh(open, asOf);
  for (const row of open) shares.put(row);
}

function openReplays(context: Omit<TrackerContext, "replays">, isAsked: boolean, stack: AsyncStack): Replays | undefined {
  const { limits, metrics, log } = context;
  if (!isAsked || limits.verifyPerSecond === 0) return undefined;
  const replays = new Replays({
    ...context,
    perSecond: limits.verifyPerSecond,
    timeoutMs: limits.replayMs,
    onGranted: (count) => metrics.granted("replay", count, []),
    onError: logFailure(log, "replays"),
  });
  stack.defer(() => replays.stop());
  const looks = startSecondLooks(context);
  stack.defer(() => looks.stop());
  return replays;
}

function tell({ log, metrics }: Pick<TrackerContext, "log" | "metrics">, decided: readonly Decided[]): void {
  for (const { claim, verdict, message } of decided) {
    metrics.decided(verdict);
    if (verdict !== "verified") log.warn({ claim, why: message }, `a claim is ${verdict}`);
  }
}

function openMetrics({ tls }: Pick<TrackerOptions, "tls">): Metrics {
  const metrics = new Metrics();
  const certificateEnd = tls && certificateEndMs(tls.cert);
  if (certificateEnd !== undefined) metrics.certificateEnds(certificateEnd);
  return metrics;
}

type Known = Omit<WaitsOptions, "snapshots" | "idleMs"> & EndedLeasesOptions & { readonly db: Database };

function openViews(known: Known, idleMs: number) {
  const snapshots = new Snapshots(known.db, known.clock, idleMs);
  return {
    snapshots,
    trialsShown: { atMs: Number.NEGATIVE_INFINITY },
    endedLeases: new EndedLeases(known),
    waits: new Waits({ ...known, db: known.db.lazy, snapshots, idleMs }),
  };
}

async function compose(options: TrackerOptions, stack: AsyncStack): Promise<Tracker> {
  const { log, clock = systemClock, newId = randomId, randomBytes = systemRandomBytes } = options;
  serverCredentials(options.tls); // validate credentials before the store is opened or created
  const db = stack.use(typeof options.data === "string" ? await openStore(options.data, log, clock) : options.data);
  const policy = { ...defaultLeasePolicy, ...options.policy };
  const limits = { ...defaultLimits, ...options.limits };
  const metrics = openMetrics(options);
  const quotas = options.doors && new Quotas(db, limits, clock);
  const audit = new Audit(log, clock);
  const secrets = await Secrets.open(db, randomBytes);
  const receipts = new Receipts(db, clock, options.receiptKey);
  await receipts.open();
  const registry = new Registry(clock);
  const sessions = new SessionBook();
  const shares = new FairShare();
  await grantGrace(db, policy.ttlMs, limits.idleMs);
  await readStore(db, clock, { registry, sessions, shares });
  const judge = new Judge(secrets, sessions);
  const leaseSpans = new LeaseSpans(options.tracing, clock);
  const dispatcher = new Dispatcher({
    db,
    registry,
    sessions,
    shares,
    ...{ policy, clock, newId, secrets, judge, leaseSpans },
    onGranted: (kind, count, waitedMs) => metrics.granted(kind, count, waitedMs),
    onError: logFailure(log, "dispatch"),
  });
  const peers = db.shared && openPeers(db.shared, newId(), { db, sessions, shares, dispatcher, clock }, log);
  if (peers) stack.defer(async () => peers.close());
  const alone: Omit<TrackerContext, "replays"> = {
    db,
    peers,
    registry,
    sessions,
    shares,
    dispatcher,
    ...openViews({ db, registry, sessions, shares, clock, quotas }, limits.idleMs),
    metrics,
    setAside: new SetAside({ log, onSetAside: (queue) => metrics.setAside(queue) }),
    policy,
    // A held call must not outlast the presence that it renews.
    limits: { ...limits, holdMs: Math.min(limits.holdMs, policy.ttlMs * 0.6) },
    clock,
    newId,
    log,
    audit,
    ...{ secrets, leaseSpans, receipts, quotas },
    watches: new Watches(limits.maxWatches),
    apply(effects) {
      judge.saw(effects.finished);
      const elsewhere = sessions.deliver(effects.finished);
      tell({ log, metrics }, effects.decided ?? []);
      dispatcher.changed(effects);
      peers?.work(effects);
      peers?.finished(elsewhere);
    },
    cancel(freed) {
      dispatcher.cancel(freed);
      peers?.cancel(freed);
    },
  };
  const context = { ...alone, replays: openReplays(alone, options.doors !== undefined, stack) };
  const reaper = startReaper(context);
  stack.defer(() => reaper.stop());
  const recorder = startRecorder(context);
  stack.defer(() => recorder.stop());
  const grpc = await openGrpc(context, options);
  stack.defer(() => endCalls(context, grpc));
  const watch = watchStore(context, limits.storeAwayMs, (answers) => grpc.setServing(answers));
  stack.defer(() => watch.stop());
  const http = options.http === undefined ? undefined : await openPage(context, options, options.http, stack);
  return {
    grpcPort: grpc.port,
    httpPort: http?.port,
    ...(db.gone ? { gone: db.gone } : {}),
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  };
}
