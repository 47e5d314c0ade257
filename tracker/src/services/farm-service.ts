/** FarmService: sessions (session-door.ts), the measurement stream (measure-calls.ts), and what people look at. */
import { FarmError, toSessionId } from "@warpfarm/common";
import {
  type CallContext,
  type FarmHandlers,
  type MessageHandler,
  openedSessionToWire,
  openSessionFromWire,
  snapshotToWire,
} from "@warpfarm/proto";
import { viewOf } from "../doors/rights.ts";
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
  const calls = new MeasureCalls(context);
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
    async ListNodes(_request, { principal }) {
      return { snapshot: snapshotToWire(viewOf(await snapshots.get(), principal, secrets)) };
    },
    WatchFarm: (_request, caller) => watch(context, caller),
  };
  return { handlers, measure: (call) => calls.take(call) };
}

async function* watch({ snapshots, secrets, clock }: TrackerContext, { signal, principal }: CallContext) {
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
}
