/**
 * Leases as a trace that https://ui.perfetto.dev opens: Trace Event Format, JSON, complete events ("X"). A process is a node, a
 * thread one of its devices or its builder. Slices of a thread must not overlap, so what a builder compiles at the same time, and
 * the job that waits at a runner while another has the device, are on further threads of that name.
 */
import type { EndedLease } from "@warpfarm/proto";

interface Lane {
  readonly pid: number;
  readonly tid: number;
  /** Until when it is taken, in milliseconds since 1970. */
  busyMs: number;
}

/** `taskOf`: the task of a session, where it is open. */
export function perfettoTrace(leases: readonly EndedLease[], taskOf: (session: string) => string | undefined) {
  const begun = leases.map((lease) => ({ lease, startMs: lease.endMs - lease.heldMs })).sort((a, b) => a.startMs - b.startMs);
  const originMs = begun[0]?.startMs ?? 0;
  const pids = new Map<string, number>();
  const lanes = new Map<string, Lane[]>();
  const events: object[] = [];
  const name = (what: "process_name" | "thread_name", pid: number, tid: number, text: string) =>
    events.push({ ph: "M", name: what, pid, tid, args: { name: text } });
  let threads = 0;
  const laneFor = (lease: EndedLease, startMs: number): Lane => {
    const { node, device, deviceName } = lease;
    let pid = pids.get(node);
    if (pid === undefined) {
      pid = pids.size + 1;
      pids.set(node, pid);
      name("process_name", pid, 0, `node ${node}`);
    }
    const key = `${node} ${device}`;
    const there = lanes.get(key) ?? [];
    lanes.set(key, there);
    const free = there.find(({ busyMs }) => busyMs <= startMs);
    if (free) return free;
    const lane = { pid, tid: ++threads, busyMs: 0 };
    there.push(lane);
    const what = device === "" ? "builder" : `${deviceName} ${device}`;
    name("thread_name", pid, lane.tid, there.length === 1 ? what : `${what}, beside ${there.length - 1}`);
    return lane;
  };
  for (const { lease, startMs } of begun) {
    const { endMs, session, sequence, outcome, device, queueMs, buildMs, transferMs, timedMs } = lease;
    const lane = laneFor(lease, startMs);
    lane.busyMs = endMs;
    const isRun = device !== "" || session !== undefined;
    const task = session === undefined ? undefined : taskOf(session);
    const { pid, tid } = lane;
    events.push({
      ...{ ph: "X", pid, tid, name: isRun ? (task ?? "run") : "build", cat: isRun ? "run" : "build" },
      ...{ ts: (startMs - originMs) * 1e3, dur: lease.heldMs * 1e3 },
      args: {
        outcome,
        ...(session === undefined ? {} : { session, sequence }),
        ...(isRun
          ? { queue_ms: queueMs, ...(buildMs > 0 ? { build_ms: buildMs } : {}), transfer_ms: transferMs, timed_ms: timedMs }
          : {}),
      },
    });
  }
  return { displayTimeUnit: "ms", otherData: { begins: new Date(originMs).toISOString() }, traceEvents: events };
}
