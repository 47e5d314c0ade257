/** FarmService: sessions, the measurement stream, and what people look at. */
import { FarmError, parseSelector, type SessionId, toSessionId } from "@warpfarm/common";
import {
  type CallContext,
  type FarmHandlers,
  type MeasureRequest,
  type MessageCall,
  type MessageHandler,
  measureEventToBytes,
  measureRequestFromBytes,
  openedSessionToWire,
  openSessionFromWire,
  type PairedNodes,
  snapshotToWire,
} from "@warpfarm/proto";
import { ownerOf, viewOf } from "../doors/rights.ts";
import { Batcher } from "../flow/batcher.ts";
import { type AcceptOutcome, acceptInputs, type NewInput } from "../store/sql/accept.ts";
import { type Receipt, receive, receiveThrough, streamStart } from "../store/sql/results.ts";
import {
  findSession,
  isThere,
  leaveSession,
  type Opened,
  type Opening,
  openSession,
  removeSessions,
  type SessionRow,
  TooManySessions,
  takeSession,
  whyGone,
} from "../store/sql/sessions.ts";
import { checkProtocol, type TrackerContext } from "./context.ts";
import { MeasureStream } from "./measure-stream.ts";

const watchEveryMs = 1_000;
/** Nobody waits for a receipt to be stored; one that is lost costs a result sent twice. */
const receiptsEveryMs = 40;

/** It may be leased now, by count: it may go to any worker. */
const isReady = (outcome: AcceptOutcome | undefined, { avoid = [] }: NewInput): boolean =>
  outcome?.kind === "accepted" && outcome.ready && avoid.length === 0;

type Start = Extract<MeasureRequest, { kind: "start" }>;

export interface FarmService {
  readonly handlers: Omit<FarmHandlers, "Measure">;
  readonly measure: MessageHandler;
}

export function farmService(context: TrackerContext): FarmService {
  const { db, sessions, shares, snapshots, limits, clock, newId, metrics, audit, secrets, quotas, apply } = context;

  const acceptAll = async (inputs: readonly NewInput[]): Promise<readonly AcceptOutcome[]> => {
    const outcomes = await acceptInputs(db, inputs, clock.now());
    const accepted = outcomes.filter((o) => o.kind === "accepted");
    metrics.accepted({
      count: accepted.length,
      built: accepted.filter((o) => o.ready).length,
      measured: accepted.filter((o) => o.reused).length,
    });
    apply({
      runs: inputs.filter((input, i) => isReady(outcomes[i], input)).map((input) => input.session),
      others: inputs.filter((input, i) => outcomes[i]?.kind === "accepted" && !isReady(outcomes[i], input)).length,
      finished: [],
    });
    return outcomes;
  };
  const accept = new Batcher<NewInput, AcceptOutcome>(acceptAll);
  const received = new Batcher<Receipt, void>(
    async (receipts) => {
      await receive(db.lazy, receipts);
      return receipts.map(() => undefined);
    },
    { maxItems: 1024, everyMs: receiptsEveryMs },
  );

  /** `cuda` and `cpu` alone are the one key of that backend present. */
  function resolve(text: string): string {
    const selector = parseSelector(text);
    if (selector.match.kind !== "only") return text;
    const { backend } = selector;
    const keys = new Set<string>();
    for (const { facts, lost } of context.registry.rows())
      if (facts.kind === "runner" && !lost)
        for (const d of facts.devices) if (d.facts.key.startsWith(`${backend}/`)) keys.add(d.facts.key);
    const [key, ...more] = [...keys].sort();
    if (key === undefined) throw new FarmError("FAILED_PRECONDITION", `selector ${text}: no ${backend} device is registered`);
    if (more.length > 0)
      throw new FarmError(
        "FAILED_PRECONDITION",
        `selector ${text} is ambiguous: ${[key, ...more].join(", ")} are present; name one, or ${backend}/*`,
      );
    return text.replace(backend, key);
  }

  /** Who could serve a session that pairs. Throws when nobody who lives can and somebody who lives would have to be updated for it. */
  function pairedNodes({ reuse }: Pick<Opening, "reuse">, selector: string): PairedNodes {
    if (reuse) throw new FarmError("INVALID_ARGUMENT", "reuse and paired are both set; a session that pairs measures for itself");
    const nodes = context.registry.pairedNodes(parseSelector(selector));
    if (nodes.able.length > 0 || nodes.outdated.length === 0) return nodes;
    throw new FarmError(
      "FAILED_PRECONDITION",
      `paired: no live runner of ${selector} measures programs in turns; update the runner of ${nodes.outdated.join(", ")}`,
    );
  }

  async function close(id: SessionId, caller: CallContext): Promise<void> {
    const session = await findSession(db, id, ownerOf(caller.principal));
    if (!session) return; // closed before, or somebody else's
    const freed = await removeSessions(db, [id]);
    quotas?.accountOf(session.principal)?.sessionEnded();
    sessions.remove([id], new FarmError("NOT_FOUND", `session ${id} was closed`));
    context.cancel(freed);
    audit.did("close_session", caller, { session: id, cancelled: freed.length });
  }

  async function open(request: Opening): Promise<Opened> {
    await quotas?.checkSession(request.principal, request.options);
    const account = quotas?.accountOf(request.principal);
    const full = account?.full(clock.monotonic());
    if (full && !(await isThere(db.lazy, request))) throw full;
    const { maxSessions, maxOwnSessions } = limits;
    try {
      return await openSession(db, toSessionId(newId()), {
        ...request,
        maxSessions,
        ...(account ? { maxOwnSessions } : {}),
      });
    } catch (error) {
      if (error instanceof TooManySessions) account?.setFull(error, clock.monotonic());
      throw error;
    }
  }

  /** The first message says whose stream it is; what comes after waits until that is known. */
  function measure(call: MessageCall): void {
    let stream: MeasureStream | undefined;
    let isBeginning = false;
    let hasEnded = false;
    call.onMessage((message) => {
      const request = measureRequestFromBytes(message);
      if (stream) return stream.take(request);
      if (request.kind !== "start") throw new FarmError("INVALID_ARGUMENT", "the first message must be start");
      call.pause();
      isBeginning = true;
      begin(call, request).then((begun) => {
        stream = begun;
        if (hasEnded) begun.inputsEnd();
        call.resume();
      }, call.fail);
    });
    call.onEnd(() => {
      hasEnded = true;
      if (stream) stream.inputsEnd();
      else if (!isBeginning) call.fail(new FarmError("INVALID_ARGUMENT", "the first message must be start"));
    });
  }

  async function begin(call: MessageCall, { sessionId, resumeAfter }: Start): Promise<MeasureStream> {
    const owner = ownerOf(call.context.principal);
    const session = await takeSession(db, sessionId, limits.idleMs, owner);
    if (!session) throw await whyGone(db, sessionId, owner);
    await receiveThrough(db, sessionId, resumeAfter);
    sessions.put(session, clock.monotonic());
    shares.put(session);
    const stream = new MeasureStream({
      db,
      session,
      account: quotas?.accountOf(session.principal),
      selector: parseSelector(session.selector),
      accept,
      receive: received,
      workersOf: (nodes) => context.registry.workersOf(nodes),
    });
    sessions.attach(sessionId, stream, session.stream);
    try {
      // Before anything else is read: what comes next names results that this says are there.
      stream.begin(await streamStart(db, sessionId));
    } catch (error) {
      await leave(stream, session);
      throw error;
    }
    audit.did("stream_session", call.context, { session: sessionId });
    send(call, stream, session).catch(call.fail);
    return stream;
  }

  async function leave(stream: MeasureStream, { id, stream: number }: SessionRow): Promise<void> {
    sessions.detach(id, stream);
    await leaveSession(db, id, number, limits.idleMs);
  }

  async function send(call: MessageCall, stream: MeasureStream, session: SessionRow): Promise<void> {
    try {
      for await (const event of stream.events(call.context.signal))
        if (!call.send(measureEventToBytes(event))) await call.drained();
    } catch (error) {
      call.fail(error);
    }
    await leave(stream, session);
    call.end(); // a client that has seen the end has left
  }

  const handlers: FarmService["handlers"] = {
    async OpenSession(wire, caller) {
      const { principal } = caller;
      checkProtocol("client", wire.protocol_version);
      const request = openSessionFromWire(wire);
      const selector = resolve(request.selector);
      const paired = request.paired && pairedNodes(request, selector);
      const { row, outstanding } = await open({
        ...request,
        selector,
        idleMs: limits.idleMs,
        principal: principal.name,
        owner: ownerOf(principal),
      });
      sessions.put(row, clock.monotonic());
      shares.put(row);
      const { id, task, acceptedThrough } = row;
      audit.did(id === request.continues ? "continue_session" : "open_session", caller, {
        session: id,
        task,
        selector: row.selector,
      });
      return openedSessionToWire({
        sessionId: id,
        maxInFlight: row.maxInFlight,
        idleTimeoutMs: limits.idleMs,
        selector: row.selector,
        acceptedThrough,
        outstanding,
        ...(paired ? { paired } : {}),
      });
    },

    async CloseSession({ session_id }, call) {
      if (!/^[\w.:-]{1,128}$/.test(session_id)) throw new FarmError("INVALID_ARGUMENT", "session_id is not an id");
      await close(toSessionId(session_id), call);
      return {};
    },

    async ListNodes(_request, { principal }) {
      return { snapshot: snapshotToWire(viewOf(await snapshots.get(), principal, secrets)) };
    },

    async *WatchFarm(_request, { signal, principal }) {
      let last = "";
      for (;;) {
        const snapshot = viewOf(await snapshots.get(watchEveryMs / 2), principal, secrets);
        // When a node was last seen, and for how long something waits, changes all the time and tells nothing new.
        const seen = JSON.stringify({
          ...snapshot,
          nodes: snapshot.nodes.map((n) => ({ ...n, lastSeenMs: 0 })),
          queues: snapshot.queues.map((q) => ({ ...q, oldestBuildMs: 0, oldestRunMs: 0 })),
        });
        if (seen !== last) yield { snapshot: snapshotToWire(snapshot) };
        last = seen;
        await clock.sleep(watchEveryMs, { signal });
      }
    },
  };
  return { handlers, measure };
}
