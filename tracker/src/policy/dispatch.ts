/**
 * Who is next: a pure function of who waits for work and what waits to be done. One algorithm for builds and runs.
 *
 * order     of several principals the one served longest ago, whatever it gives its sessions; of one's sessions those of higher
 *           priority first; among equals the one served longest ago (round robin, one job a turn); in a session the order given.
 * place     one that fits, with a free slot; the one with most free slots, so that work spreads. A job that was lost somewhere
 *           goes elsewhere: to a place it was lost at only when no healthy place of the farm fits it, free or not.
 * turns     who was served when travels in and out as a value.
 */
import type { SessionId, WorkerId } from "@warpfarm/common";

export interface Place {
  readonly worker: WorkerId;
  readonly device: number;
  readonly free: number;
}

export interface Job {
  readonly avoid: readonly WorkerId[];
  readonly bytes: number;
}

export interface Queue<J extends Job> {
  readonly session: SessionId;
  /** The principal that has it; absent: everybody. */
  readonly principal?: string;
  readonly priority: number;
  readonly jobs: readonly J[];
}

export interface Grant<J extends Job> {
  readonly worker: WorkerId;
  readonly device: number;
  readonly session: SessionId;
  readonly job: J;
}

/** The last turns by session, and by principal. */
export type Turns = ReadonlyMap<string, number>;
export const principalTurn = (principal = ""): string => `principal ${principal}`;

export interface DispatchInput<J extends Job, P extends Place> {
  readonly places: readonly P[];
  readonly queues: readonly Queue<J>[];
  readonly fits: (place: P, queue: Queue<J>, job: J) => boolean;
  /** Whether any healthy station outside `job.avoid` fits, free or not. */
  readonly elsewhere: (queue: Queue<J>, job: J) => boolean;
  readonly turns: Turns;
  /** Most bytes of jobs in one answer. */
  readonly maxBytes: number;
}

interface Dispatched<J extends Job> {
  readonly grants: readonly Grant<J>[];
  readonly turns: Turns;
}

export function dispatch<J extends Job, P extends Place>(input: DispatchInput<J, P>): Dispatched<J> {
  const { fits, elsewhere, maxBytes } = input;
  const free = input.places.map((place) => ({ place, left: place.free }));
  const room = new Map<WorkerId, number>();
  const turns = new Map(input.turns);
  let turn = Math.max(0, ...turns.values());
  const waiting = input.queues.map((queue) => ({ queue, jobs: [...queue.jobs] }));
  const grants: Grant<J>[] = [];

  const placeFor = (queue: Queue<J>, job: J) => {
    let best: (typeof free)[number] | undefined;
    let bestAvoided: typeof best;
    for (const slot of free) {
      const { place, left } = slot;
      if (left === 0 || (room.get(place.worker) ?? maxBytes) < job.bytes || !fits(place, queue, job)) continue;
      if (job.avoid.includes(place.worker)) {
        if (left > (bestAvoided?.left ?? 0)) bestAvoided = slot;
      } else if (left > (best?.left ?? 0)) best = slot;
    }
    return best ?? (bestAvoided && !elsewhere(queue, job) ? bestAvoided : undefined);
  };
  const serve = ({ queue, jobs }: (typeof waiting)[number]): boolean => {
    for (const [i, job] of jobs.entries()) {
      const slot = placeFor(queue, job);
      if (!slot) continue;
      const { worker, device } = slot.place;
      slot.left--;
      room.set(worker, (room.get(worker) ?? maxBytes) - job.bytes);
      jobs.splice(i, 1);
      turns.set(queue.session, ++turn);
      turns.set(principalTurn(queue.principal), turn);
      grants.push({ worker, device, session: queue.session, job });
      return true;
    }
    return false;
  };

  let open = waiting.filter((w) => w.jobs.length > 0);
  while (open.length > 0 && free.some((slot) => slot.left > 0)) {
    open.sort(
      ({ queue: a }, { queue: b }) =>
        ownersTurn(a, turns) - ownersTurn(b, turns) || b.priority - a.priority || turnOf(a, turns) - turnOf(b, turns),
    );
    const served = open.find(serve);
    if (!served) break;
    // Queues before the served one found no station, and stations only get fewer.
    open = open.slice(open.indexOf(served)).filter((w) => w.jobs.length > 0);
  }
  return { grants, turns };
}

type Asking = Pick<Queue<Job>, "session" | "principal">;
const turnOf = ({ session }: Asking, turns: Turns): number => turns.get(session) ?? 0;
const ownersTurn = ({ principal }: Asking, turns: Turns): number => turns.get(principalTurn(principal)) ?? 0;
