/** Sessions from OpenSession to CloseSession: who may open one, the meaning of its selector, and what is removed at its end. */
import { badInput, FarmError, parseSelector, type SessionId, toSessionId, whyNoDevice } from "@warpfarm/common";
import type { CallContext, OpenedSession, OpenSession } from "@warpfarm/proto";
import { isDevice, type Registry, stationsOf } from "../dispatch/registry.ts";
import { ownerOf } from "../doors/rights.ts";
import {
  findSession,
  isThere,
  type Opened,
  type Opening,
  openSession,
  removeSessions,
  TooManySessions,
} from "../store/sql/sessions.ts";
import type { TrackerContext } from "./context.ts";

export class SessionDoor {
  readonly #c: TrackerContext;

  constructor(context: TrackerContext) {
    this.#c = context;
  }

  async open(request: OpenSession, caller: CallContext): Promise<OpenedSession> {
    const { registry, sessions, shares, limits, clock, audit } = this.#c;
    const { principal } = caller;
    const selector = resolve(registry, request.selector);
    if (request.reuse && request.paired)
      throw badInput("reuse and paired are both set; a session that pairs measures for itself");
    const asked = { ...request, selector, idleMs: limits.idleMs, principal: principal.name, owner: ownerOf(principal) };
    await this.#checkCanRun(asked);
    const { row, outstanding } = await this.#open(asked);
    shares.put(sessions.put(row, clock.monotonic()));
    const { id, task, acceptedThrough } = row;
    audit.did(id === request.continues ? "continue_session" : "open_session", caller, {
      session: id,
      task,
      selector: row.selector,
    });
    return {
      sessionId: id,
      maxInFlight: row.maxInFlight,
      idleTimeoutMs: limits.idleMs,
      selector: row.selector,
      acceptedThrough,
      outstanding,
      nodes: request.paired ? registry.nodesOf(parseSelector(selector)) : [],
    };
  }

  /**
   * Refuses a new session that no device of the farm can serve. One that was lost in the last ten minutes may come back; and a
   * farm without any runner is being started.
   */
  async #checkCanRun(request: Opening): Promise<void> {
    const { registry, db, snapshots } = this.#c;
    const selector = parseSelector(request.selector);
    const there = [...registry.rows()].flatMap((row) =>
      stationsOf(row)
        .filter(isDevice)
        .map((s) => ({ ...s, node: row.node })),
    );
    if (there.length === 0 || whyNoDevice(selector, there) === undefined || (await isThere(db.lazy, request))) return;
    const { nodes } = await snapshots.get();
    const all = nodes.flatMap((n) => n.devices.map(({ facts: { key }, memoryBytes }) => ({ ...n, key, memoryBytes })));
    const why = whyNoDevice(selector, all);
    if (why !== undefined)
      throw new FarmError(
        "FAILED_PRECONDITION",
        `selector ${request.selector} can never run on this farm as it is: ${why}; warpfarm nodes lists its devices`,
      );
  }

  async #open(request: Opening): Promise<Opened> {
    const { db, quotas, limits, clock, newId } = this.#c;
    await quotas?.checkSession(request.principal, request.options);
    const account = quotas?.accountOf(request.principal);
    const full = account?.full(clock.monotonic());
    if (full && !(await isThere(db.lazy, request))) throw full;
    const { maxSessions, maxOwnSessions } = limits;
    try {
      return await openSession(db, toSessionId(newId()), {
        ...request,
        maxSessions,
        maxInFlight: account?.windowOf(request.maxInFlight) ?? request.maxInFlight,
        ...(account ? { maxOwnSessions } : {}),
      });
    } catch (error) {
      if (error instanceof TooManySessions) account?.setFull(error, clock.monotonic());
      throw error;
    }
  }

  async close(id: SessionId, caller: CallContext): Promise<void> {
    const { db, sessions, quotas, audit, cancel } = this.#c;
    const session = await findSession(db, id, ownerOf(caller.principal));
    if (!session) return; // closed before, or somebody else's
    const freed = await removeSessions(db, [id]);
    quotas?.accountOf(session.principal)?.sessionEnded();
    sessions.remove([id], new FarmError("NOT_FOUND", `session ${id} was closed`));
    cancel(freed);
    audit.did("close_session", caller, { session: id, cancelled: freed.length });
  }
}

function resolve(registry: Registry, text: string): string {
  const selector = parseSelector(text);
  if (selector.match.kind !== "only") return text;
  const { backend } = selector;
  const keys = new Set<string>();
  for (const { facts, lost } of registry.rows())
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
