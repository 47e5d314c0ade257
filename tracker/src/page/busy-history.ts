/**
 * When devices and builders worked, for the page's timeline. The leases are looked at every two seconds, whether a page is open
 * or not: who opens the page wants to see what was before. What is busy at a look counts as busy since the look before.
 */
import type { WorkerId } from "@warpfarm/common";
import { logFailure } from "../flow/away.ts";
import { type Repeated, repeat } from "../flow/repeat.ts";
import type { TrackerContext } from "../services/context.ts";

const historyMs = 10 * 60_000;
const everyMs = 2_000;
/** After a pause this long the past is unknown, so the history begins anew. */
const unseenMs = 10_000;

type Span = [begin: number, end: number];
/** `device`: its number at its runner; for a builder 0. */
interface Busy {
  readonly worker: WorkerId;
  readonly device: number;
}

const keyOf = ({ worker, device }: Busy): string => `${worker} ${device}`;

export class BusyHistory {
  readonly #spans = new Map<string, Span[]>();
  #sinceMs = Number.NaN;
  #seenAt = Number.NaN;

  see(nowMs: number, busy: readonly Busy[]): void {
    const before = this.#seenAt;
    this.#seenAt = nowMs;
    if (!(nowMs > before && nowMs - before <= unseenMs)) {
      this.#spans.clear();
      this.#sinceMs = nowMs;
      return;
    }
    this.#sinceMs = Math.max(this.#sinceMs, nowMs - historyMs);
    for (const key of busy.map(keyOf)) {
      const spans = this.#spans.get(key) ?? [];
      const last = spans.at(-1);
      if (last?.[1] === before) last[1] = nowMs;
      else spans.push([before, nowMs]);
      this.#spans.set(key, spans);
    }
    for (const [key, spans] of this.#spans) {
      while (spans[0] && spans[0][1] <= this.#sinceMs) spans.shift();
      if (spans.length === 0) this.#spans.delete(key);
    }
  }

  get sinceMs(): number | undefined {
    return Number.isNaN(this.#sinceMs) ? undefined : this.#sinceMs;
  }

  of(worker: WorkerId, device: number): readonly (readonly [number, number])[] {
    return (this.#spans.get(keyOf({ worker, device })) ?? []).map(([begin, end]) => [begin, end] as const);
  }
}

export function startBusyHistory(
  { db, clock, log }: Pick<TrackerContext, "db" | "clock" | "log">,
  history: BusyHistory,
): Repeated {
  const look = async () =>
    history.see(clock.now(), await db.lazy.query<Busy>("select distinct worker_id as worker, device from leases"));
  return repeat({ clock, everyMs }, look, logFailure(log, "busy history"));
}
