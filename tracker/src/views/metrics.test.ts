/** What /metrics tells: each number in its unit and under its label, and nothing of a scrape before that is over. */
import { expect, it } from "vitest";
import { Metrics } from "./metrics.ts";

/** Lines by name and labels. */
async function scraped(metrics: Metrics, farm?: object): Promise<ReadonlyMap<string, number>> {
  const { text } = await metrics.scrape(farm as never);
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))]));
}
const device = (key: string, busy: boolean) => ({ facts: { key }, busy });
const node = (role: string, state: string, ...devices: object[]) => ({ role, state, devices });
const farmOf = (more: { nodes?: object[]; queues?: object[]; sessions?: object[]; backlog?: object[]; quarantined?: number }) => {
  const { nodes = [], queues = [], sessions = [], backlog = [], quarantined = 0 } = more;
  return { snapshot: { nodes, queues, sessions }, backlog, quarantined, claims: { waiting: 0, oldestSeconds: 0 } };
};

it("gauges are those of the farm as it is, and what is gone from it is gone from them", async () => {
  const metrics = new Metrics();
  const first = await scraped(
    metrics,
    farmOf({
      nodes: [
        node(
          "runner",
          "ACTIVE",
          device("cuda/sm_90", true),
          device("cuda/sm_90", false),
          device("cuda/sm_90", false),
          device("cpu/x86-64-v3", true),
        ),
        node("runner", "ACTIVE", device("cuda/sm_90", true)),
        node("runner", "LOST", device("cuda/sm_80", true)),
        node("builder", "DRAIN"),
      ],
      queues: [{ key: "cuda/*", waitingBuilds: 1, waitingRuns: 2, running: 3 }],
      sessions: [{}, {}],
      backlog: [
        { kind: "build", key: "cuda/sm_90", waiting: 4, oldestSeconds: 5.5 },
        { kind: "run", key: "cuda/*", waiting: 6, oldestSeconds: 7 },
      ],
      quarantined: 8,
    }),
  );
  expect(Object.fromEntries(first)).toMatchObject({
    warpfarm_store_up: 1,
    'warpfarm_nodes{role="runner",state="ACTIVE"}': 2,
    'warpfarm_nodes{role="runner",state="LOST"}': 1,
    'warpfarm_nodes{role="builder",state="DRAIN"}': 1,
    'warpfarm_devices{key="cuda/sm_90",state="busy"}': 2,
    'warpfarm_devices{key="cuda/sm_90",state="idle"}': 2,
    'warpfarm_devices{key="cpu/x86-64-v3",state="idle"}': 0,
    'warpfarm_device_busy_share{key="cuda/sm_90"}': 0.5,
    'warpfarm_device_busy_share{key="cpu/x86-64-v3"}': 1,
    'warpfarm_queue{selector="cuda/*",stage="building"}': 1,
    'warpfarm_queue{selector="cuda/*",stage="ready"}': 2,
    'warpfarm_queue{selector="cuda/*",stage="running"}': 3,
    'warpfarm_waiting{kind="build",key="cuda/sm_90"}': 4,
    'warpfarm_oldest_seconds{kind="build",key="cuda/sm_90"}': 5.5,
    'warpfarm_waiting{kind="run",key="cuda/*"}': 6,
    'warpfarm_oldest_seconds{kind="run",key="cuda/*"}': 7,
    warpfarm_sessions: 2,
    warpfarm_quarantined_workers: 8,
  });
  expect([...first.keys()].filter((name) => name.includes("sm_80"))).toEqual([]);
  const second = await scraped(metrics, farmOf({ nodes: [node("runner", "ACTIVE", device("cuda/sm_90", false))] }));
  expect(
    [...second].filter(([name]) => name.includes("{") && /nodes|devices|busy_share|queue|waiting|oldest/.test(name)),
  ).toEqual([
    ['warpfarm_nodes{role="runner",state="ACTIVE"}', 1],
    ['warpfarm_devices{key="cuda/sm_90",state="busy"}', 0],
    ['warpfarm_devices{key="cuda/sm_90",state="idle"}', 1],
    ['warpfarm_device_busy_share{key="cuda/sm_90"}', 0],
  ]);
  expect([second.get("warpfarm_sessions"), second.get("warpfarm_quarantined_workers")]).toEqual([0, 0]);
});

it("while the store is away says so, and leaves out what is read from it; counters go on, times in seconds", async () => {
  const metrics = new Metrics();
  metrics.certificateEnds(1_760_000_000_500);
  for (let cycle = 1; cycle <= 2; cycle++) {
    metrics.held("cuda/sm_90", 1_500);
    metrics.accepted({ count: 5, built: 2, measured: 1 });
    metrics.granted("run", 3, [250, 750]);
    metrics.granted("replay", 1, []);
    metrics.built(4_000, false);
    metrics.built(9_000, true);
    metrics.buildFailed(3);
    metrics.ran(0);
    metrics.ran(5);
    metrics.lost(2);
    metrics.setAside("leases");
    const found = Object.fromEntries(await scraped(metrics));
    expect(found).toMatchObject({
      warpfarm_store_up: 0,
      warpfarm_certificate_end_seconds: 1_760_000_000.5,
      'warpfarm_device_held_seconds_total{key="cuda/sm_90"}': 1.5 * cycle,
      'warpfarm_cache_hits_total{where="farm"}': 2 * cycle,
      'warpfarm_cache_hits_total{where="reuse"}': cycle,
      'warpfarm_cache_hits_total{where="builder"}': cycle,
      'warpfarm_dispatch_seconds_sum{kind="run"}': cycle,
      'warpfarm_dispatch_seconds_count{kind="run"}': 2 * cycle,
      warpfarm_build_seconds_sum: 4 * cycle,
      warpfarm_build_seconds_count: cycle,
      'warpfarm_builds_total{outcome="built"}': 2 * cycle,
      'warpfarm_builds_total{outcome="COMPILE_DEVICE"}': cycle,
      'warpfarm_results_total{error="NO_ERROR"}': cycle,
      'warpfarm_results_total{error="WRONG_ANSWER"}': cycle,
    });
    expect(Object.keys(found).filter((name) => /^warpfarm_(nodes|devices|queue|waiting|sessions)/.test(name))).toEqual([]);
  }
});
