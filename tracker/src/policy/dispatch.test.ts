/** The order of service, as properties of a pure function. */
import { type SessionId, toSessionId, toWorkerId, type WorkerId } from "@warpfarm/common";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dispatch, type Job, type Place, type Queue, type Turns } from "./dispatch.ts";

const worker = (n: number): WorkerId => toWorkerId(`w${n}`);
const session = (n: number): SessionId => toSessionId(`s${n}`);

interface TestJob extends Job {
  readonly name: string;
  /** The places it fits, by worker number. */
  readonly on: readonly number[];
}
interface TestPlace extends Place {
  readonly n: number;
}
const place = (n: number, free: number): TestPlace => ({ worker: worker(n), device: 0, free, n });
const job = (name: string, on: readonly number[] = [0, 1, 2], avoid: readonly number[] = [], bytes = 1): TestJob => ({
  name,
  on,
  avoid: avoid.map(worker),
  bytes,
});
const queue = (n: number, jobs: readonly TestJob[], priority = 0): Queue<TestJob> => ({ session: session(n), priority, jobs });
const fits = (p: { readonly n: number }, _q: Queue<TestJob>, j: TestJob) => j.on.includes(p.n);

function run(
  places: readonly TestPlace[],
  queues: readonly Queue<TestJob>[],
  o: { healthy?: readonly number[]; turns?: Turns; maxBytes?: number } = {},
) {
  const healthy = o.healthy ?? places.map((p) => p.n);
  return dispatch({
    places,
    queues,
    fits,
    elsewhere: (q, j) => healthy.some((n) => !j.avoid.includes(worker(n)) && fits({ n }, q, j)),
    turns: o.turns ?? new Map(),
    maxBytes: o.maxBytes ?? 1_000,
  });
}
const names = (grants: readonly { readonly job: TestJob }[]) => grants.map((g) => g.job.name).join(" ");

describe("order", () => {
  it("equals take turns; the turns go on in the next pass", () => {
    const queues = [queue(1, [job("a1"), job("a2"), job("a3")]), queue(2, [job("b1"), job("b2")]), queue(3, [job("c1")])];
    const first = run([place(0, 4)], queues);
    expect(names(first.grants)).toBe("a1 b1 c1 a2");
    const second = run([place(0, 2)], [queue(1, [job("a3")]), queue(2, [job("b2")])], { turns: first.turns });
    expect(names(second.grants)).toBe("b2 a3");
  });
  it("higher priority first, and alone while it has work", () => {
    expect(names(run([place(0, 3)], [queue(1, [job("low")], -1), queue(2, [job("hi1"), job("hi2")], 7)]).grants)).toBe(
      "hi1 hi2 low",
    );
  });
  it("principals take turns, whatever number and priority of sessions they have, also in the next pass", () => {
    const of = (principal: string, q: Queue<TestJob>) => ({ ...q, principal });
    const many = [1, 2, 3].map((n) => of("greedy", queue(n, [job(`g${n}`), job(`h${n}`)], 9)));
    const first = run([place(0, 3)], [...many, of("honest", queue(4, [job("a1"), job("a2"), job("a3")]))]);
    expect(names(first.grants)).toBe("g1 a1 g2");
    const second = run([place(0, 3)], [...many.slice(2), of("honest", queue(5, [job("b1"), job("b2")]))], first);
    expect(names(second.grants)).toBe("b1 g3 b2");
  });
  it("a job nobody fits holds up neither its session nor others", () => {
    const queues = [queue(1, [job("stuck", [9]), job("a2")], 5), queue(2, [job("stuck2", [9])], 4), queue(3, [job("c1")])];
    expect(names(run([place(0, 5)], queues).grants)).toBe("a2 c1");
  });
});

describe("place", () => {
  it("spreads over workers, most free first", () => {
    const { grants } = run([place(0, 1), place(1, 3)], [queue(1, [job("a"), job("b"), job("c"), job("d"), job("e")])]);
    expect(grants.map((g) => g.worker)).toEqual([worker(1), worker(1), worker(0), worker(1)]);
  });
  it("a job lost somewhere waits for another healthy place, and goes back only when there is none", () => {
    const lost = [queue(1, [job("lost", [0, 1], [0])])];
    expect(run([place(0, 1)], lost, { healthy: [0, 1] }).grants).toEqual([]);
    expect(run([place(0, 1), place(1, 1)], lost, { healthy: [0, 1] }).grants.map((g) => g.worker)).toEqual([worker(1)]);
    expect(run([place(0, 1)], lost, { healthy: [0] }).grants.map((g) => g.worker)).toEqual([worker(0)]);
  });
  it("an answer stays within its bytes", () => {
    const jobs = [job("a", [0, 1], [], 60), job("b", [0, 1], [], 60), job("c", [0, 1], [], 30)];
    const { grants } = run([place(0, 5)], [queue(1, jobs)], { maxBytes: 90 });
    expect(names(grants)).toBe("a c");
  });
});

describe("always", () => {
  const places = fc
    .array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 4 })
    .map((free) => free.map((f, n) => place(n, f)));
  const queues = fc
    .array(
      fc.record({
        priority: fc.integer({ min: -1, max: 1 }),
        jobs: fc.array(fc.tuple(fc.subarray([0, 1, 2, 3]), fc.subarray([0, 1, 2, 3])), { maxLength: 6 }),
      }),
      { maxLength: 4 },
    )
    .map((all) =>
      all.map(({ priority, jobs }, s) =>
        queue(
          s,
          jobs.map(([on, avoid], j) => job(`${s}.${j}`, on, avoid)),
          priority,
        ),
      ),
    );

  it("nothing is granted twice, over its slots, or where it does not fit; nothing that has a place is left", () => {
    fc.assert(
      fc.property(places, queues, (ps, qs) => {
        const { grants } = run(ps, qs);
        expect(new Set(grants.map((g) => g.job)).size).toBe(grants.length);
        const used = new Map<WorkerId, number>();
        for (const g of grants) used.set(g.worker, (used.get(g.worker) ?? 0) + 1);
        for (const p of ps) expect(used.get(p.worker) ?? 0).toBeLessThanOrEqual(p.free);
        for (const g of grants) expect(g.job.on).toContain(ps.findIndex((p) => p.worker === g.worker));
        const granted = new Set(grants.map((g) => g.job));
        const open = ps.filter((p) => (used.get(p.worker) ?? 0) < p.free);
        for (const q of qs)
          for (const j of q.jobs)
            if (!granted.has(j)) for (const p of open) if (j.on.includes(p.n)) expect(j.avoid).toContain(p.worker);
      }),
      { numRuns: 500 },
    );
  });
});
