/** FarmService: sessions (session-door.ts), the measurement stream (measure-calls.ts), and snapshots. */
import { badInput, toSessionId } from "@warpfarm/common";
import {
  type FarmHandlers,
  type MessageHandler,
  openedSessionToWire,
  openSessionFromWire,
  snapshotToWire,
} from "@warpfarm/proto";
import { viewOf } from "../doors/rights.ts";
import { SentPrograms } from "../doors/sent-programs.ts";
import { settleSession } from "./actions.ts";
import { checkProtocol, type TrackerContext } from "./context.ts";
import { MeasureCalls } from "./measure-calls.ts";
import { SessionDoor } from "./session-door.ts";

export interface FarmService {
  readonly handlers: Omit<FarmHandlers, "Measure">;
  readonly measure: MessageHandler;
}

export function farmService(context: TrackerContext): FarmService {
  const { snapshots, secrets } = context;
  const door = new SessionDoor(context);
  const sent = new SentPrograms(context.db.lazy);
  const calls = new MeasureCalls(context, sent);
  const handlers: FarmService["handlers"] = {
    async OpenSession(wire, caller) {
      checkProtocol("client", wire.protocol_version);
      return openedSessionToWire(await door.open(openSessionFromWire(wire), caller));
    },
    async CloseSession({ session_id }, caller) {
      if (!/^[\w.:-]{1,128}$/.test(session_id)) throw badInput("session_id is not an id");
      await door.close(toSessionId(session_id), caller);
      return {};
    },
    async SettleTrials({ session_id, more_trials }, caller) {
      return { more_trials: await settleSession(context, session_id, more_trials, caller) };
    },
    async ListNodes(_request, { principal }) {
      return { snapshot: snapshotToWire(viewOf(await snapshots.get(), principal, secrets)) };
    },
  };
  return { handlers, measure: (call) => calls.take(call) };
}
