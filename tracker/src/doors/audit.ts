/**
 * Who did what, one log line each, with `log: "audit"`: the principal, its role, the origin of the call, the action and its
 * object. Refused calls are logged too, but only some per second, so that nobody can fill the disk with them.
 */
import type { Clock, FarmError } from "@warpfarm/common";
import type { Principal } from "@warpfarm/proto";
import type { Logger } from "pino";

type AuditedAction =
  | "open_session"
  | "continue_session"
  | "stream_session"
  | "close_session"
  | "cancel_session"
  | "pause_session"
  | "resume_session"
  | "extend_session"
  | "create_suite"
  | "cancel_suite"
  | "register_worker"
  | "worker_left"
  | "drain_node"
  | "undrain_node"
  | "forget_node"
  | "collect_garbage"
  | "upload"
  | "import_records"
  | "delete_records"
  | "share_records"
  | "sign_receipt";

export interface Caller {
  readonly principal: Principal;
  readonly peer: string;
}

/** Fields that a line has anyway: pino would write one of that name twice. */
type Taken = "level" | "time" | "pid" | "hostname" | "name" | "msg" | "log" | "principal" | "role" | "peer";
type About = Readonly<Record<string, unknown>> & { readonly [Field in Taken]?: never };

/** Refused calls that are logged a second. */
const refusedAtMost = 10;

export class Audit {
  readonly #log: Logger;
  readonly #clock: Clock;
  #second = Number.NEGATIVE_INFINITY;
  #told = 0;
  #untold = 0;

  constructor(log: Logger, clock: Clock) {
    this.#log = log.child({ log: "audit" });
    this.#clock = clock;
  }

  did(action: AuditedAction, { principal: { name, role }, peer }: Caller, about: About): void {
    this.#log.info({ principal: name, role, peer, ...about }, action);
  }

  refused(path: string, peer: string, error: FarmError): void {
    const now = this.#clock.monotonic();
    if (now - this.#second >= 1_000) {
      if (this.#untold > 0) this.#log.warn({ calls: this.#untold }, "calls were refused and not logged one by one");
      this.#second = now;
      this.#told = 0;
      this.#untold = 0;
    }
    if (++this.#told > refusedAtMost) this.#untold++;
    else this.#log.warn({ path, peer, code: error.code, why: error.message }, "refused");
  }
}
