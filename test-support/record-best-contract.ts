/** Checks of the best that every implementation of a store of records must pass, besides those of record-store-contract.ts. */

import type { Json } from "@warpfarm/common";
import { expect } from "vitest";
import { type Check, digest, failed, h200, record, slower, tiled, timed } from "./record-store-contract.ts";

/** Checks by name; each is run on an empty store. */
export const bestContract: Readonly<{ [name: string]: Check }> = {
  async "has a best for each kind of device, and never takes another's"(store) {
    await store.append([
      record("slow", { result: timed(3e-3) }),
      record("fast", { result: timed(2e-3) }),
      record("h200", { device: h200, result: timed(1e-3) }),
      record("other-shape", { args: [1, 1, 1], result: timed(1e-6) }),
      record("failed", { result: failed(5) }),
      record("ended early", { result: slower(2e-6) }),
    ]);
    const query = { task: "matmul", args: [64, 64, 64] as Json[] };
    const best = await store.best(query);
    expect(best.map((b) => [b.device.name, b.record.id, b.seconds])).toEqual([
      ["NVIDIA H100", "fast", 2e-3],
      ["NVIDIA H200", "h200", 1e-3],
    ]);
    expect((await store.best({ ...query, deviceName: "NVIDIA H100" })).map((b) => b.record.id)).toEqual(["fast"]);
    expect(await store.best({ ...query, device: "cuda/sm_80" })).toEqual([]);
    expect(await store.best({ ...query, args: [2, 2, 2] })).toEqual([]);
  },

  async "has a best for each computation, whose times are never compared with another's"(store) {
    const [small, large] = ["small", "large"].map(digest) as [string, string];
    await store.append([
      record("copy", { computation: small, result: timed(1e-9) }),
      record("slow", { computation: large, result: timed(3e-3) }),
      record("fast", { computation: large, result: timed(2e-3) }),
      record("untold", { result: timed(1e-3) }),
    ]);
    const best = await store.best({ task: "matmul", args: [64, 64, 64] });
    expect(new Map(best.map((b) => [b.computation, b.record.id]))).toEqual(
      new Map([
        [undefined, "untold"],
        [small, "copy"],
        [large, "fast"],
      ]),
    );
    const fastest = await store.query({ task: "matmul", order: "fastest", limit: 2 });
    expect(fastest.records.map(({ id }) => id)).toEqual(["copy", "untold"]);
  },

  async "takes measured, checked, warm ones unless asked"(store) {
    await store.append([
      record("measured", { result: timed(9e-3) }),
      record("imported", {
        origin: { kind: "imported", by: "ada", format: "csv" },
        result: { kind: "timed", costs: [1e-3] },
      }),
      record("unchecked", { result: { kind: "timed", costs: [2e-3], checked: false } }),
      record("flushed", { options: { l2: "flushed" }, result: timed(3e-3) }),
    ]);
    const of = async (more: object) =>
      (await store.best({ task: "matmul", args: [64, 64, 64], ...more })).map((b) => b.record.id);
    expect(await of({})).toEqual(["measured"]);
    expect(await of({ origin: "any" })).toEqual(["imported"]);
    expect(await of({ origin: "imported" })).toEqual(["imported"]);
    expect(await of({ unchecked: true })).toEqual(["unchecked"]);
    expect(await of({ l2: "flushed" })).toEqual(["flushed"]);
  },

  async "gives one of times on one set of inputs and one of judged times, and compares none of one with one of the other"(store) {
    const judged = { sets: 3, commitment: "0".repeat(64) };
    await store.append([
      tiled("warm", 1, { result: timed(5e-3) }),
      tiled("rotated", 2, { options: { judged: true }, judged, result: timed(6e-3) }),
      tiled("not judged", 3, { options: { judged: true }, judged: { not: "in-out" }, result: timed(4e-3) }),
      tiled("both", 4, { options: { judged: true, l2: "flushed" }, judged, result: timed(1e-3) }),
    ]);
    const of = async (more: object) =>
      (await store.best({ task: "matmul", args: [64, 64, 64], ...more })).map((b) => b.record.id);
    expect(await of({})).toEqual(["not judged", "rotated"]);
    expect(await of({ l2: "warm" })).toEqual(["not judged"]);
    expect(await of({ l2: "rotated" })).toEqual(["rotated"]);
    expect(await of({ l2: "flushed" })).toEqual([]);
    expect(await of({ l2: "flushed_rotated" })).toEqual(["both"]);
  },

  async "chooses among ties by the values of the configs, and not by digest, index, time or order, and lists them"(store) {
    const { config: _, ...plain } = record("default", { result: timed(0.9e-3) });
    await store.append([
      tiled("r1", 9, { result: timed(1.0e-3) }),
      tiled("r2", 3, { result: timed(1.009e-3) }),
      tiled("r3", 1, { result: timed(1.2e-3) }),
      plain,
    ]);
    const [best] = await store.best({ task: "matmul", args: [64, 64, 64] });
    expect(best?.tied.map((t) => t.record.id)).toEqual(["r2", "r1"]);
    expect(best?.record.id).toBe("r2");
    expect(best?.noise).toBe(0.01);
    expect(best?.interleaved).toBeUndefined();
    await store.delete({ ids: ["r1", "r2", "r3"] });
    const [alone] = await store.best({ task: "matmul", args: [64, 64, 64] });
    expect(alone?.record.id, "no config counts").toBe("default");
  },

  async "lets the rounds that the fastest shares with others decide, however slow these are"(store) {
    const run = "s-9/1";
    const inRun = (place: number, tile: number, seconds: number) => {
      const { config: _, ...plain } = tiled(`k${tile}`, tile, {
        ...{ id: `${run}/${place}`, session: "s-9", interleaved: { run, place, of: 3 } },
        result: timed(...Array.from({ length: 13 }, (_, i) => seconds * (1 + 1e-3 * (i % 3)))),
      });
      return plain;
    };
    const trials = [
      tiled("k1", 1, { result: timed(1.02e-3) }),
      tiled("k2", 2, { result: timed(1.0e-3) }),
      tiled("k3", 3, { result: timed(4e-3) }),
      tiled("k4", 4, { result: timed(1.1e-3) }),
    ];
    await store.append([...trials, inRun(1, 2, 2e-3), inRun(2, 3, 1.5e-3), inRun(3, 4, 1.4e-3)]);
    const [best] = await store.best({ task: "matmul", args: [64, 64, 64] });
    expect([best?.record.id, best?.seconds, best?.measurements, best?.interleaved]).toEqual(["k4", 1.1e-3, 1, 3]);
    expect(best?.tied).toHaveLength(1);
    await store.delete({ ids: [`${run}/2`] });
    const [incomplete] = await store.best({ task: "matmul", args: [64, 64, 64] });
    expect([incomplete?.record.id, incomplete?.interleaved], "a part of a run says nothing").toEqual(["k2", undefined]);
  },

  async "never takes a time of another timer, whose launches cost more or less"(store) {
    await store.append([
      record("events", { options: { timer: "events" }, result: timed(1e-3) }),
      record("graph", { options: { timer: "cuda_graph" }, result: timed(2e-3) }),
    ]);
    expect((await store.best({ task: "matmul", args: [64, 64, 64] })).map((b) => b.record.id)).toEqual(["graph"]);
  },

  async "does not take a lucky minimum for a kernel's time"(store) {
    const lucky = digest("lucky");
    await store.append([
      record("l1", { program: lucky, result: timed(0.2e-3) }),
      ...[2, 3, 4].map((i) => record(`l${i}`, { program: lucky, result: timed(2e-3) })),
      record("steady", { result: timed(1e-3) }),
    ]);
    const [best] = await store.best({ task: "matmul", args: [64, 64, 64] });
    expect([best?.record.id, best?.seconds, best?.measurements]).toEqual(["steady", 1e-3, 1]);
    const [slower] = await store.best({ task: "matmul", args: [64, 64, 64], device: "cuda/sm_90" });
    expect(slower?.tied).toHaveLength(1);
  },
};
