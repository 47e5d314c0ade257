/** Which spans stand between a trial and a worker's job, and that ids follow from what both sides know. */
import { ManualClock, toLeaseId, toSessionId } from "@warpfarm/common";
import { readTraceparent, type SpanOptions, spanIdOf, type Tracing, trialSpanId } from "@warpfarm/proto";
import { expect, it } from "vitest";
import { LeaseSpans } from "./lease-spans.ts";

const trace = "0af7651916cd43dd8448eb211c80319c";
const search = `00-${trace}-b7ad6b7169203331-01`;
const [lease, session] = [toLeaseId("lease-1"), toSessionId("s-1")];
const row = { id: session, traceparent: search };

function opened() {
  const clock = new ManualClock();
  const told: unknown[] = [];
  const tracing = {
    span: (name: string, options: SpanOptions) => ({ end: (how: object) => told.push({ name, ...options, ...how }) }),
  } as unknown as Tracing;
  return { clock, told, spans: new LeaseSpans(tracing, clock) };
}
const fault = { leaseId: lease, epoch: 1, kind: "fault", message: "no", suspect: false } as const;

it("a run's lease is its trial's child, a build's the search's; each has the lease's id, its begin and its end, once", async () => {
  const { clock, told, spans } = opened();
  const parent = readTraceparent(spans.granted(lease, row, 7).traceparent);
  expect(parent).toEqual({ traceId: trace, spanId: spanIdOf(lease), flags: 1 });
  const startMs = clock.now();
  await clock.advance(250);
  spans.ended(lease, fault);
  spans.ended(lease, fault);
  expect(told).toEqual([
    {
      ...{ name: "lease", parent: `00-${trace}-${trialSpanId(session, 7)}-01`, id: spanIdOf(lease), startMs },
      ...{ endMs: startMs + 250, error: "no", attributes: { "warpfarm.outcome": "fault" } },
    },
  ]);
  spans.granted(lease, row);
  spans.ended(lease, { ...fault, kind: "replay_refused" });
  expect(told[1]).toMatchObject({ parent: search, attributes: { "warpfarm.outcome": "replay_refused" } });
});

it("a run's lease has the times of its result; of a build none where nothing was compiled", () => {
  const { told, spans } = opened();
  const phases = { runMs: 9, timestampMs: 1, attempt: 1, busyMs: 4, lease: { queueMs: 2, transferMs: 3, heldMs: 8 } };
  const times = (buildMs: number) => {
    spans.granted(lease, row, 7);
    const result = { kind: "failed", errorNo: 4, message: "", buildMs, ...phases } as const;
    spans.ended(lease, { leaseId: lease, epoch: 1, kind: "run", result });
    return (told.pop() as { attributes: object }).attributes;
  };
  const rest = { "warpfarm.outcome": "failed", "warpfarm.node": "", "warpfarm.queue_ms": 2 };
  const others = { ...rest, "warpfarm.transfer_ms": 3, "warpfarm.timed_ms": 4 };
  expect([times(0.5), times(0)]).toEqual([{ ...others, "warpfarm.build_ms": 0.5 }, others]);
});

it("a tracker that does not trace passes on the trial's span, and nothing of a session that is not traced", () => {
  const spans = new LeaseSpans(undefined, new ManualClock());
  expect(spans.granted(lease, row, 7)).toEqual({ traceparent: `00-${trace}-${trialSpanId(session, 7)}-01` });
  expect(spans.granted(lease, row)).toEqual({ traceparent: search });
  expect(spans.granted(lease, { ...row, traceparent: "" }, 7)).toEqual({});
  expect(spans.granted(lease, undefined)).toEqual({});
});

it("forgets the oldest of leases that never end here", () => {
  const { told, spans } = opened();
  for (let i = 0; i < 20_001; i++) spans.granted(toLeaseId(`lease-${i}`), row, i);
  spans.ended(toLeaseId("lease-0"), fault);
  expect(told).toEqual([]);
  spans.ended(toLeaseId("lease-1"), fault);
  expect(told).toHaveLength(1);
});
