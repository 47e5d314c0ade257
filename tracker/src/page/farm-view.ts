/** Fleet and queue for the page: the part of a snapshot that viewOf shows, with the activity and health of each device. */
import type { Clock, Observations, WorkerId } from "@warpfarm/common";
import type { FarmSnapshot, NodeView, Principal } from "@warpfarm/proto";
import { SqlStore } from "@warpfarm/records";
import type { Fleet, FleetDevice, Queue } from "@warpfarm/web";
import type { Registry } from "../dispatch/registry.ts";
import { viewOf } from "../doors/rights.ts";
import type { Secrets } from "../doors/secrets.ts";
import type { Queryable } from "../store/database.ts";
import { spentByPrincipal } from "../store/sql/usage.ts";
import { readChecks } from "../store/sql/workers.ts";
import type { Waits } from "../views/waiting.ts";
import type { BusyHistory } from "./busy-history.ts";
import { sharesOf } from "./shares.ts";

const observedEveryMs = 5_000;
const observedRecords = 200;

interface Doing {
  readonly worker: WorkerId;
  readonly device: number;
  readonly session: string;
  readonly task: string;
  readonly principal: string;
}

const readDoing = (db: Queryable): Promise<readonly Doing[]> =>
  db.query<Doing>(
    `select l.worker_id as worker, l.device, s.session_id as session, s.task, s.principal
     from leases l join sessions s on s.session_id = l.session_id order by l.granted_at`,
  );

/** The observations of the newest records that were measured here, by UUID. An imported record may say anything of any device. */
export async function readObserved(db: Queryable): Promise<ReadonlyMap<string, Observations>> {
  const sql = { query: db.query.bind(db), transaction: () => Promise.reject(new Error("nothing is written")) };
  const { records } = await new SqlStore({ sql }).query({ origin: "measured", outcome: "timed", limit: observedRecords });
  const found = new Map<string, Observations>();
  for (const { device, observations } of records) {
    if (device?.uuid !== undefined && observations && !found.has(device.uuid)) found.set(device.uuid, observations);
  }
  return found;
}

interface FarmViewContext {
  readonly db: Queryable;
  readonly registry: Pick<Registry, "get">;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly history: BusyHistory;
  readonly waits: Pick<Waits, "get">;
  snapshot(): Promise<FarmSnapshot>;
}

export function farmView({ db, registry, secrets, clock, waits, history, snapshot }: FarmViewContext) {
  let observed: { readonly at: number; readonly answer: Promise<ReadonlyMap<string, Observations>> } | undefined;
  const observations = () => {
    const now = clock.monotonic();
    if (!observed || now - observed.at >= observedEveryMs) observed = { at: now, answer: readObserved(db) };
    return observed.answer;
  };
  const deviceNumber = (id: WorkerId, place: number): number => {
    const facts = registry.get(id)?.facts;
    return facts?.kind === "runner" ? (facts.devices[place]?.device ?? place) : place;
  };

  async function fleet(principal: Principal): Promise<Fleet> {
    const whole = await snapshot();
    const [doing, seen, checks] = [await readDoing(db), await observations(), await readChecks(db)];
    const atMs = clock.now();
    const mayKnow = ({ principal: whose }: Doing) => principal.role !== "client" || whose === principal.name;
    const nodes = viewOf(whole, principal, secrets).nodes.map((node, i) => {
      const { workerId } = whole.nodes[i] as NodeView;
      const devices = node.devices.map(({ facts, memoryBytes, busy }, place): FleetDevice => {
        const number = deviceNumber(workerId, place);
        const job = doing.find((d) => d.worker === workerId && d.device === number);
        const { smClockMhz, temperatureC } = seen.get(facts.uuid) ?? {};
        return {
          key: facts.key,
          name: facts.name,
          memoryBytes,
          busy,
          ...(smClockMhz === undefined ? {} : { clockMhz: smClockMhz }),
          ...(temperatureC === undefined ? {} : { temperatureC }),
          drift: checks.get(workerId) ?? [],
          work: history.of(workerId, number),
          ...(job && mayKnow(job) ? { doing: `${job.session} ${job.task}` } : {}),
        };
      });
      const { node: name, role, state, reason, slots, leases, labels, lastSeenMs } = node;
      return {
        node: name,
        role,
        state,
        ...(reason === undefined ? {} : { reason }),
        slots,
        leases,
        devices,
        labels,
        lastSeenMs,
        work: role === "builder" ? history.of(workerId, 0) : [],
      };
    });
    return { atMs, sinceMs: history.sinceMs ?? atMs, nodes };
  }

  async function queue(principal: Principal): Promise<Queue> {
    const { queues } = await snapshot();
    const spent = await spentByPrincipal(db, { buildMs: null, deviceMs: null });
    const sessions = await waits.get();
    return {
      atMs: clock.now(),
      queues: queues.map(({ unread: _, ...queue }) => queue),
      shares: sharesOf(sessions, new Map(spent.map((s) => [s.principal, s.deviceMs / 1e3]))).filter(
        (share) => principal.role !== "client" || share.principal === principal.name,
      ),
    };
  }

  return { fleet, queue };
}
