/** Checks that every implementation of a store of records must pass. */

import type { Json } from "@warpfarm/common";
import { defined } from "@warpfarm/common";
import { expect } from "vitest";
import { passes } from "../records/src/filter.ts";
import type { RecordQuery, RecordStore } from "../records/src/store.ts";
import { keyOf, type RecordResult, type TuningRecord } from "../records/src/tuning-record.ts";

export const digest = (name: string): string => `sha256:${Buffer.from(name).toString("hex").padEnd(64, "0").slice(0, 64)}`;
export const h100 = { key: "cuda/sm_90", name: "NVIDIA H100", uuid: "GPU-1", node: "n1", driver: "580" };
export const h200 = { ...h100, name: "NVIDIA H200", uuid: "GPU-2" };
const day = 24 * 3_600_000;
/** The time of the tests. */
export const nowMs = 1_760_000_000_000;

export const timed = (...costs: readonly number[]): RecordResult => ({ kind: "timed", costs, checked: true });
/** Ended early; its one repeat alone would be the fastest of all. */
export const slower = (atLeast: number): RecordResult => ({ kind: "slower", atLeast, costs: [1e-6], number: 3, checked: true });
export const failed = (errorNo: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8, rule = "x"): RecordResult => ({
  kind: "failed",
  errorNo,
  rule,
  message: `failed by ${rule}`,
});

export function record(id: string, change: Partial<TuningRecord> = {}): TuningRecord {
  return {
    id,
    origin: { kind: "measured", by: "ada" },
    task: "matmul",
    args: [64, 64, 64],
    template: "matmul_mma",
    config: { index: 3, code_hash: null, entity: [["tile", "sp", [-1, 8]]] },
    search: { tuner: "auto", seed: 1, sequence: 4, told: 2 },
    program: digest(id),
    target: "cuda/sm_90",
    device: h100,
    observations: { smClockMhz: 1980, throttleReasons: ["power"] },
    options: { l2: "warm", runTimeoutMs: 10_000, buildTimeoutMs: 30_000 },
    result: timed(1e-3, 1.001e-3, 1e-3),
    buildMs: 12.5,
    session: "s-1",
    labels: { team: "a" },
    timestampMs: nowMs - day,
    ...change,
  };
}

/** Of a config whose only knob has that value. */
export const tiled = (id: string, tile: number, change: Partial<TuningRecord> = {}): TuningRecord =>
  record(id, { config: { index: 20 - tile, code_hash: null, entity: [["tile", "sp", [-1, tile]]] }, ...change });

export type Check = (store: RecordStore) => Promise<void>;

const idsOf = async (store: RecordStore, query: Parameters<RecordStore["query"]>[0]): Promise<string[]> =>
  (await store.query(query)).records.map(({ id }) => id);

/** Checks by name; each is run on an empty store whose clock is at `nowMs`. */
export const contract: Readonly<{ [name: string]: Check }> = {
  async "gives back what it was given, once for an id"(store) {
    const whole = record("a", { trace: [1, { b: null }], private: true, foreign: { some_field: { inner_field: 1 } } });
    expect(await store.append([whole, whole])).toEqual({ added: 1, existed: 1, conflicts: [] });
    const later = record("b", { result: failed(4), timestampMs: nowMs });
    expect(await store.append([later, whole])).toEqual({ added: 1, existed: 1, conflicts: [] });
    expect((await store.query({ order: "oldest" })).records).toEqual([whole, later]);
  },

  async "tells the ids that are there with another content, which stays, and those that a list has twice"(store) {
    const [one, two] = [record("a"), record("b")];
    await store.append([one]);
    const changed = { ...one, timestampMs: one.timestampMs + 1 };
    expect(await store.append([changed, two, one])).toEqual({ added: 1, existed: 1, conflicts: ["a"] });
    expect(await store.append([two, { ...two, result: timed(1e-15) }])).toEqual({ added: 0, existed: 1, conflicts: ["b"] });
    expect(await store.append([{ ...two, session: "another" }])).toEqual({ added: 0, existed: 0, conflicts: ["b"] });
    expect((await store.query({ order: "fastest" })).records).toHaveLength(2);
    expect((await store.query({ ids: ["a"] })).records).toEqual([one]);
    expect((await store.query({ ids: ["b"] })).records).toEqual([two]);
  },

  async "filters by each field"(store) {
    const other: readonly [Parameters<RecordStore["query"]>[0], Partial<TuningRecord>][] = [
      [{ task: "conv" }, { task: "conv" }],
      [{ task: "matmul", args: [1, [2], "x"] }, { args: [1, [2], "x"] }],
      [{ template: "simt" }, { template: "simt" }],
      [{ device: "cuda/sm_80" }, { device: { ...h100, key: "cuda/sm_80" } }],
      [{ deviceName: "NVIDIA H200" }, { device: h200 }],
      [{ target: "cuda/sm_90a" }, { target: "cuda/sm_90a" }],
      [{ program: digest("p") }, { program: digest("p") }],
      [{ session: "s-2" }, { session: "s-2" }],
      [{ by: "bob" }, { origin: { kind: "measured", by: "bob" } }],
      [{ outcome: "failed" }, { result: failed(3) }],
      [{ outcome: "slower" }, { result: slower(2e-3) }],
      [{ origin: "imported" }, { origin: { kind: "imported", by: "ada", format: "csv" } }],
      [{ sinceMs: nowMs }, { timestampMs: nowMs }],
      [{ untilMs: nowMs - day }, { timestampMs: nowMs - day - 1 }],
    ];
    await store.append([record("usual"), ...other.map(([, change], i) => record(`r${i}`, change))]);
    for (const [i, [query]] of other.entries()) expect(await idsOf(store, query), JSON.stringify(query)).toEqual([`r${i}`]);
    expect(await idsOf(store, { ids: ["r3", "usual", "none"] })).toHaveLength(2);
    await expect(store.query({ args: [1] })).rejects.toThrow("args are given without a task");
  },

  async "pages in each order without a gap, equal places by key"(store) {
    const all = Array.from({ length: 25 }, (_, i) =>
      record(`r${String(i).padStart(2, "0")}`, {
        timestampMs: nowMs - (i % 4) * 1000,
        result: i % 5 === 0 ? failed(5) : timed((1 + (i % 3)) * 1e-3),
      }),
    );
    await store.append(all);
    for (const order of ["newest", "oldest", "fastest"] as const) {
      const seen: TuningRecord[] = [];
      for (let cursor: string | undefined, more = true; more; ) {
        const page = await store.query({ order, limit: 4, ...defined({ cursor }) });
        seen.push(...page.records);
        cursor = page.next;
        more = cursor !== undefined;
      }
      const place = (r: TuningRecord) =>
        order === "fastest" ? Number(r.result.kind === "timed" && r.result.costs[0]) : r.timestampMs;
      const sign = order === "newest" ? -1 : 1;
      const wanted = all
        .filter((r) => order !== "fastest" || r.result.kind === "timed")
        .sort((a, b) => sign * (place(a) - place(b) || (keyOf(a) < keyOf(b) ? -1 : 1)));
      expect(seen.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id));
    }
    await expect(store.query({ limit: 0 })).rejects.toThrow("limit is 0");
    await expect(store.query({ cursor: "nonsense" })).rejects.toThrow("no page of records ordered by newest");
    const page = await store.query({ limit: 1 });
    await expect(store.query({ order: "oldest", cursor: page.next as string })).rejects.toThrow("ordered by oldest");
  },

  async "gives what is asked for across shapes, devices and origins, page by page in each order, whatever filters apply"(store) {
    const devices = [h100, h200, { ...h100, key: "cuda/sm_80" }, undefined];
    const all = Array.from({ length: 72 }, (_, i) =>
      record(`r${(i * 37) % 72}`, {
        task: i % 7 === 0 ? "other" : "matmul",
        args: [i % 6],
        // Many are equal, also across groups.
        timestampMs: nowMs - (i % 30),
        result: i % 9 === 0 ? failed(5) : timed((1 + ((i * 11) % 8)) * 1e-3),
        ...(i % 10 === 3 ? { origin: { kind: "imported", by: "bob", format: "x" } as const } : {}),
        device: devices[i % 4],
      } as Partial<TuningRecord>),
    );
    await store.append(all);
    const pagesOf = async (query: RecordQuery) => {
      const seen: string[] = [];
      for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
        const page = await store.query({ ...query, ...defined({ cursor }) });
        seen.push(...page.records.map(({ id }) => id));
        cursor = page.next;
      }
      return seen;
    };
    const place = ({ result }: TuningRecord) => (result.kind === "timed" ? (result.costs[0] as number) : Number.NaN);
    const wanted = (query: RecordQuery) => {
      const sign = query.order === "newest" ? -1 : 1;
      const by = (r: TuningRecord) => (query.order === "fastest" ? place(r) : r.timestampMs);
      return all
        .filter((r) => passes(r, query) && (query.order !== "fastest" || r.result.kind === "timed"))
        .sort((a, b) => sign * (by(a) - by(b) || (keyOf(a) < keyOf(b) ? -1 : 1)))
        .map(({ id }) => id);
    };
    const task = "matmul";
    for (const filter of [
      { task },
      { task, args: [2] as Json[] },
      { task, args: [9] as Json[] },
      { task, device: "cuda/sm_90" },
      { task, deviceName: "NVIDIA H200", args: [1] as Json[] },
      { task, origin: "imported" as const },
      { task, by: "bob", device: "cuda/sm_80" },
      { task, untilMs: nowMs - 20 },
    ])
      for (const limit of [2, 20]) {
        const query = { ...filter, order: "fastest", limit } as const;
        expect(await pagesOf(query)).toEqual(wanted(query));
      }
    for (const filter of [
      {},
      { task },
      { task, args: [2] as Json[], outcome: "failed" as const },
      { task, by: "bob", device: "cuda/sm_80" },
      { device: "cuda/sm_90" },
      { deviceName: "NVIDIA H100" },
      { deviceName: "NVIDIA H100", device: "cuda/sm_80", origin: "measured" as const },
      { origin: "imported" as const },
      { outcome: "failed" as const },
      { template: "matmul_mma", sinceMs: nowMs - 9 },
      { sinceMs: nowMs - 9, untilMs: nowMs - 2 },
    ])
      for (const order of ["newest", "oldest"] as const) {
        const query = { ...filter, order, limit: 15 };
        expect(await pagesOf(query), JSON.stringify(query)).toEqual(wanted(query));
      }
  },

  async "exports what a filter lets pass, the oldest first, and deletes it"(store) {
    const all = Array.from({ length: 20 }, (_, i) => record(`r${i}`, { timestampMs: nowMs - i, task: i % 2 ? "odd" : "even" }));
    await store.append(all);
    const exported: string[] = [];
    for await (const { id } of store.export({ task: "odd" })) exported.push(id);
    expect(exported).toEqual([19, 17, 15, 13, 11, 9, 7, 5, 3, 1].map((i) => `r${i}`));
    await expect(store.delete({})).rejects.toThrow("no record is named");
    expect(await store.delete({ task: "odd" })).toBe(10);
    expect(await store.delete({ task: "odd" })).toBe(0);
    expect(await idsOf(store, {})).toHaveLength(10);
    await store.append([record("imported", { origin: { kind: "imported", by: "ada", format: "x" }, timestampMs: nowMs - 12 })]);
    expect(await store.delete({ sinceMs: nowMs - 12, untilMs: nowMs - 9 })).toBe(3);
    expect(await idsOf(store, {})).toHaveLength(8);
  },

  async "prunes by age and number, and keeps the best"(store) {
    const aged = (id: string, days: number, change: Partial<TuningRecord> = {}) =>
      record(id, { timestampMs: nowMs - days * day, ...change });
    await store.append([
      aged("best", 90, { result: timed(1e-3) }),
      aged("old", 80, { result: timed(5e-3) }),
      aged("old-failure", 40, { result: failed(3) }),
      aged("new-failure", 2, { result: failed(3) }),
      ...[3, 4, 5].map((n) => aged(`new-${n}`, n, { result: timed(n * 1e-2) })),
    ]);
    expect(await store.prune({ nowMs, keepBest: 1 })).toBe(0);
    expect(await store.prune({ nowMs, keepBest: 1, failuresMs: 30 * day })).toBe(1);
    expect(await store.prune({ nowMs, keepBest: 1, ageMs: 60 * day })).toBe(1);
    expect((await idsOf(store, {})).sort()).toEqual(["best", "new-3", "new-4", "new-5", "new-failure"]);
    expect(await store.prune({ nowMs, keepBest: 1, most: 3 })).toBe(2);
    expect((await idsOf(store, {})).sort()).toEqual(["best", "new-3", "new-failure"]);
  },

  async "prunes what is as old as a limit and nothing younger, and keeps the ten best unless it is told another number"(store) {
    const aged = (id: string, ageMs: number, change: Partial<TuningRecord> = {}) =>
      record(id, { timestampMs: nowMs - ageMs, ...change });
    await store.append([
      aged("failed-at", 30 * day, { result: failed(3) }),
      aged("failed-before", 30 * day - 1, { result: failed(3) }),
      ...Array.from({ length: 12 }, (_, i) => aged(`timed-${i}`, 60 * day, { result: timed((12 - i) * 1e-3) })),
      aged("slow-young", 60 * day - 1, { result: timed(1) }),
    ]);
    const left = async () => (await idsOf(store, {})).sort();
    const best = Array.from({ length: 10 }, (_, i) => `timed-${i + 2}`).sort();
    expect(await store.prune({ nowMs, failuresMs: 30 * day })).toBe(1);
    expect(await store.prune({ nowMs, ageMs: 60 * day })).toBe(2);
    expect(await left()).toEqual(["failed-before", "slow-young", ...best].sort());
    expect(await store.prune({ nowMs, ageMs: 60 * day, failuresMs: 30 * day })).toBe(0);
    expect(await store.prune({ nowMs: nowMs + 1, ageMs: 60 * day, failuresMs: 30 * day })).toBe(2);
    expect(await left()).toEqual(best);
    expect(await store.prune({ nowMs, ageMs: 60 * day, keepBest: 2 })).toBe(8);
    expect(await left()).toEqual(["timed-10", "timed-11"]);
  },

  async "beyond a number takes from who has most, and keeps the best measured whatever somebody imported"(store) {
    const of = (by: string, n: number, change: (i: number) => Partial<TuningRecord>) =>
      Array.from({ length: n }, (_, i) => record(`${by}-${i}`, { origin: { kind: "measured", by }, ...change(i) }));
    const slow = timed(1);
    await store.append([
      ...of("ada", 3, (i) => ({ timestampMs: nowMs - (9 - i) * day, result: i === 0 ? timed(2e-3) : slow, task: "matmul" })),
      ...of("bob", 12, (i) => ({
        origin: { kind: "imported", by: "bob", format: "test" },
        timestampMs: nowMs + i,
        result: timed(1e-9 * (i + 1)),
      })),
    ]);
    expect(await store.prune({ nowMs, keepBest: 1, most: 8 })).toBe(7);
    expect((await idsOf(store, {})).sort()).toEqual(
      ["ada-0", "ada-1", "ada-2", "bob-0", "bob-10", "bob-11", "bob-8", "bob-9"].sort(),
    );
    expect(await store.prune({ nowMs, keepBest: 1, most: 2 })).toBe(6);
    expect((await idsOf(store, {})).sort()).toEqual(["ada-0", "bob-0"]);
  },
};
