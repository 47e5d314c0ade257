/** FarmService: sessions (session-door.ts), the measurement stream (measure-calls.ts), and snapshots. */
import { FarmError, toSessionId } from "@warpfarm/common";
import {
  type CallContext,
  type FarmHandlers,
  type FarmSnapshot,
  type MessageHandler,
  openedSessionToWire,
  openSessionFromWire,
  type Principal,
  snapshotToWire,
} from "@warpfarm/proto";
import { viewOf } from "../doors/rights.ts";
import { SentPrograms } from "../doors/sent-programs.ts";
import { settleSession } from "./actions.ts";
import { checkProtocol, type TrackerContext } from "./context.ts";
import { MeasureCalls } from "./measure-calls.ts";
import { SessionDoor } from "./session-door.ts";

const watchEveryMs = 1_000;

export interface FarmService {
  readonly handlers: Omit<FarmHandlers, "Measure">;
  readonly measure: MessageHandler;
}

export function farmService(context: TrackerContext): FarmService {
  const { snapshots, secrets } = context;
  const door = new SessionDoor(context);
  const sent = new SentPrograms(context.db.lazy);
  const calls = new MeasureCalls(context, sent);
  const views = new Views();
  const handlers: FarmService["handlers"] = {
    async OpenSession(wire, caller) {
      checkProtocol("client", wire.protocol_version);
      return openedSessionToWire(await door.open(openSessionFromWire(wire), caller));
    },
    async CloseSession({ session_id }, caller) {
      if (!/^[\w.:-]{1,128}$/.test(session_id)) throw new FarmError("INVALID_ARGUMENT", "session_id is not an id");
      await door.close(toSessionId(session_id), caller);
      return {};
    },
    async SettleTrials({ session_id, more_trials }, caller) {
      return { more_trials: await settleSession(context, session_id, more_trials, caller) };
    },
    async ListNodes(_request, { principal }) {
      return { snapshot: snapshotToWire(viewOf(await snapshots.get(), principal, secrets)) };
    },
    WatchFarm: (_request, caller) => watch(context, caller, views),
  };
  return { handlers, measure: (call) => calls.take(call) };
}

async function* watch({ snapshots, secrets, clock, watches }: TrackerContext, { signal, principal }: CallContext, views: Views) {
  using _watch = watches.begin(principal);
  let last = "";
  for (;;) {
    const { view, seen } = views.of(await snapshots.get(watchEveryMs / 2), principal, secrets);
    if (seen !== last) yield { snapshot: snapshotToWire(view) };
    last = seen;
    await clock.sleep(watchEveryMs, { signal });
  }
}

interface View {
  readonly view: FarmSnapshot;
  readonly seen: string;
}

class Views {
  readonly #made = new WeakMap<FarmSnapshot, Map<string, View>>();

  of(snapshot: FarmSnapshot, principal: Principal, secrets: TrackerContext["secrets"]): View {
    const made = this.#made.get(snapshot) ?? new Map<string, View>();
    this.#made.set(snapshot, made);
    const name = `${principal.role} ${principal.name}`;
    const there = made.get(name) ?? viewFor(snapshot, principal, secrets);
    made.set(name, there);
    return there;
  }
}

function viewFor(snapshot: FarmSnapshot, principal: Principal, secrets: TrackerContext["secrets"]): View {
  const view = viewOf(snapshot, principal, secrets);
  // When a node was last seen, and how long something waits, changes all the time and is no news.
  const seen = JSON.stringify({
    ...view,
    nodes: view.nodes.map((n) => ({ ...n, lastSeenMs: 0 })),
    queues: view.queues.map((q) => ({ ...q, oldestBuildMs: 0, oldestRunMs: 0 })),
  });
  return { view, seen };
}
