/** A farm with fixed data, for the views that only a tracker has. */
import { FarmError } from "@warpfarm/common";
import type { Fleet, Queue, RunDetail, RunSummary, SuiteDetail } from "../src/api.ts";
import type { PageSource } from "../src/index.ts";

export const hostile = "<img src=x onerror=\"document.title='owned'\">";
export const nowMs = Date.UTC(2026, 0, 2, 3, 4, 5);
const minute = 60_000;

const gpu = (key: string, busy: boolean) => ({
  key,
  name: "NVIDIA H100 80GB HBM3",
  memoryBytes: 80 * 2 ** 30,
  busy,
  clockMhz: 1980,
  temperatureC: 41,
  drift: [
    [nowMs - 9 * minute, 1],
    [nowMs - minute, 1.034],
  ] as const,
  work: busy ? [[nowMs - 5 * minute, nowMs] as const] : [],
  ...(busy ? { doing: "matmul of ada" } : {}),
});
const node = { role: "runner", state: "READY", slots: 1, leases: 0, labels: { rack: "7" }, lastSeenMs: nowMs - 2_000 } as const;

const waits = {
  holds: [
    { kind: "builders_busy", what: "8 slots of builders busy" },
    { kind: "node", what: hostile },
  ],
  ...{ share: 0.8, due: 0.375, before: 3, startsInMs: 12_000, doneInMs: 95_000 },
};
const times = { queueSeconds: 300, buildSeconds: 40, transferSeconds: 2.5, timedSeconds: 31 };
const queue: Queue = {
  atMs: nowMs,
  queues: [
    {
      key: "cuda/sm_90",
      waitingBuilds: 12,
      waitingRuns: 3,
      running: 1,
      devices: 2,
      idleDevices: 1,
      oldestBuildMs: 4_000,
    },
  ],
  shares: [
    {
      ...{ principal: "ada", entitled: 0.5, used: 0.9, deviceSeconds: 90, waiting: 12, ...times },
      sessions: [
        { id: "a1", task: "matmul", weight: 3, entitled: 0.75, used: 0.8, deviceSeconds: 72, waiting: 12, waits, ...times },
        { id: "a2", task: hostile, weight: 1, entitled: 0.25, used: 0.2, deviceSeconds: 18, waiting: 0, ...times },
      ],
    },
    { principal: hostile, entitled: 0.5, used: 0.1, deviceSeconds: 10, waiting: 3, ...times, sessions: [] },
  ],
};
const suite: SuiteDetail = {
  id: "s1",
  name: "resnet shapes",
  state: "running",
  tasks: 2,
  done: 1,
  startedMs: nowMs,
  devices: ["cuda/sm_90", "cuda/sm_80"],
  rows: ["matmul", hostile].map((task) => ({
    task,
    args: [512, 512],
    weight: 3,
    cells: [
      { state: "done", trials: 512, best: 2e-5, librarySeconds: 1.8e-5, shareAfter: [0.4, 0.7, 0.95, 1] },
      { state: "waiting", trials: 0, shareAfter: [] },
    ],
  })),
  courses: [
    {
      ...{ device: "cuda/sm_90", tasks: 2 },
      over: [
        { seconds: 0.1, share: 0, worst: 0 },
        { seconds: 0.2, share: 0.45, worst: 0 },
        { seconds: 0.5, share: 0.91, worst: 0.84 },
        { seconds: 1, share: 0.97, worst: 0.95 },
        { seconds: 2, share: 1, worst: 1 },
      ],
      brought: [
        "results that come with Warpfarm: 12 trials, 0.912 of the best in 2 tasks; found the best of 0 of 2",
        "the search itself: 52 trials, 1.000 of the best in 2 tasks; found the best of 2 of 2",
      ],
    },
  ],
  portability: [
    {
      title: hostile,
      devices: ["cuda/sm_90", "cuda/sm_80"],
      loss: [
        [0, 0.31],
        ["fails", 0],
      ],
      common: { config: '{"tile":8}', worstLoss: 0.12 },
    },
  ],
  tables: [
    {
      task: "matmul",
      device: "cuda/sm_90",
      kernels: ['{"tile":8}', hostile],
      shapes: [
        { args: [512, 512], weight: 3, kernel: 0, seconds: 2.2e-5, bestSeconds: 2e-5, regret: 0.1 },
        { args: [64], label: hostile, weight: 1, kernel: 1, seconds: 1e-6, bestSeconds: 1e-6, regret: 0 },
      ],
      meanRegret: 0.075,
      worstRegret: 0.1,
      unmeasured: 2,
    },
  ],
};
const summary: RunSummary = {
  id: "session-7",
  task: "matmul",
  args: [512],
  device: "cuda/sm_90",
  deviceName: "NVIDIA H100",
  principal: "ada",
  state: "open",
  accepted: 9,
  finished: 0,
  failed: 0,
  trials: 100,
  startedMs: nowMs,
  lastMs: nowMs,
  mine: true,
};

export function farm(more: Partial<RunDetail> = {}): {
  readonly source: PageSource;
  readonly drained: string[];
  readonly asked: unknown[];
} {
  const drained: string[] = [];
  const asked: unknown[] = [];
  let session: Partial<RunDetail> = { takesTrials: true, ...more };
  let shown: RunDetail["running"] = [{ sequence: 8, node: "gpu1", sinceMs: nowMs, step: "run" }];
  const fleet = (): Fleet => ({
    atMs: nowMs,
    sinceMs: nowMs - 8 * minute,
    nodes: [
      { ...node, node: "gpu1", devices: [gpu("cuda/sm_90", true), gpu("cuda/sm_90", false)], leases: 1, work: [] },
      {
        ...node,
        node: "gpu2",
        devices: [gpu("cuda/sm_90", false)],
        work: [],
        state: drained.includes("gpu2") ? "DRAIN" : "READY",
      },
      {
        ...node,
        node: hostile,
        devices: [],
        role: "builder",
        slots: 8,
        work: [],
        state: "QUARANTINED",
        reason: { what: hostile, detail: hostile },
      },
    ],
  });
  const source: PageSource = {
    kind: "tracker",
    runs: async () => [{ ...summary, ...session }],
    run: async (id) => (id === summary.id ? { ...summary, knobs: [], queuePosition: 2, running: shown, ...session } : undefined),
    trials: async () => undefined,
    record: async () => undefined,
    records: async () => ({ records: [] }),
    farm: {
      fleet: async () => fleet(),
      queue: async () => queue,
      suites: async () => [suite],
      suite: async (id) => (id === suite.id ? suite : undefined),
      stop: async () => {
        shown = [];
        throw new FarmError("NOT_FOUND", "no session of yours has this id");
      },
      pause: async (id, undo) => {
        asked.push([id, undo ? "resume" : "pause"]);
        const { paused: _, ...rest } = session;
        session = undo ? rest : { ...rest, paused: true };
      },
      extend: async (id, trials) => {
        asked.push([id, trials]);
        if (trials > 900) throw new FarmError("FAILED_PRECONDITION", "too much for this one");
        session = { ...session, trials: (session.trials ?? 100) + trials };
      },
      drain: async (name, undo, viewer) => {
        if (!viewer.isAdmin) throw new FarmError("PERMISSION_DENIED", "only admins drain nodes");
        drained.splice(0, drained.length, ...(undo ? [] : [name]));
      },
    },
  };
  return { source, drained, asked };
}
