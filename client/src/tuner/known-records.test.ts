import { mkdtempSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigSpace, choiceKnob } from "@warpfarm/compiler";
import type { TuningRecord } from "@warpfarm/records";
import { describe, expect, it, onTestFinished } from "vitest";
import { specFor } from "../search/session.testing.ts";
import { openTuningLog } from "../search/tuning-log.ts";
import { warmStartOf } from "../search/warm-start-note.ts";
import { shareSourcesOf } from "./known-records.ts";

const space = new ConfigSpace([choiceKnob("tile", [8, 16, 32]), choiceKnob("order", ["xy", "yx"])]);
const indexOf = (tile: number, order: string) =>
  space.indexOf(
    new Map<string, unknown>([
      ["tile", tile],
      ["order", order],
    ]),
  );

const target = "cuda/sm_90";
let made = 0;
function record(
  tile: number,
  order: string,
  costs: readonly number[] | number,
  change: Partial<TuningRecord> = {},
): TuningRecord {
  return {
    id: `s/${++made}`,
    origin: { kind: "measured", by: "ada" },
    task: "t",
    args: [64],
    config: {
      index: 999,
      code_hash: null,
      entity: [
        ["tile", "ot", tile],
        ["order", "ot", order],
      ],
    },
    target,
    device: { key: "cuda/sm_90", name: "H100" },
    result:
      typeof costs === "number" ? { kind: "failed", errorNo: costs as 4, message: "" } : { kind: "timed", costs, checked: true },
    timestampMs: 1,
    ...change,
  };
}

describe("records as sources", () => {
  it("are as many as there are configs, however often the default schedule was measured beside them", () => {
    const { config: _, ...default_ } = record(8, "xy", [5e-3]);
    const sources = shareSourcesOf(space, [record(16, "yx", [1e-3]), default_, default_, default_]);
    expect(sources.map(({ rows }) => rows)).toEqual([[{ index: indexOf(16, "yx"), seconds: 1e-3 }]]);
  });

  it("are found by their values in this space, by shape and device, the fastest time of a config", () => {
    const sources = shareSourcesOf(space, [
      record(16, "yx", [3e-3, 2e-3, 1e-3]),
      record(16, "yx", [1.234567e-3]),
      record(8, "xy", 4),
      record(8, "yx", 8), // the farm's own failure
      record(32, "xy", [1], { args: [128] }),
      record(32, "xy", [2], { device: { key: "cuda/sm_90", name: "H200" } }),
    ]);
    expect(sources).toEqual([
      { name: "[128] on H100", of: { args: [128], target }, rows: [{ index: indexOf(32, "xy"), seconds: 1 }] },
      {
        name: "[64] on H100",
        of: { args: [64], target },
        rows: expect.arrayContaining([
          { index: indexOf(16, "yx"), seconds: 1.2346e-3 },
          { index: indexOf(8, "xy"), seconds: undefined },
        ]),
      },
      { name: "[64] on H200", of: { args: [64], target }, rows: [{ index: indexOf(32, "xy"), seconds: 2 }] },
    ]);
    expect(sources[1]?.rows).toHaveLength(2);
  });

  it("that ended early are bounds: a time goes before them, the greater bound is kept, and they alone are no source", async () => {
    const bound = (tile: number, atLeast: number) =>
      record(tile, "xy", 4, { result: { kind: "slower", atLeast, costs: [1e-9] } });
    const rows = shareSourcesOf(space, [bound(8, 2), bound(8, 3), bound(16, 1), record(16, "xy", [2]), record(8, "xy", 4)])[0]
      ?.rows;
    expect(rows).toEqual([
      { index: indexOf(8, "xy"), seconds: 3, isBound: true },
      { index: indexOf(16, "xy"), seconds: 2 },
    ]);
    expect(shareSourcesOf(space, [bound(8, 2)])).toEqual([]);
    const folder = mkdtempSync(join(tmpdir(), "warpfarm-warm-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const path = join(folder, "a.jsonl");
    const spec = specFor({ name: "t", args: [64], target: "cpu/x86-64-v3" }, "auto");
    const sources = [{ name: "a", rows: rows ?? [] }];
    await (await openTuningLog(path, { spec, resume: false, warmStart: { space, sources, starts: [] } }))[Symbol.asyncDispose]();
    expect((await warmStartOf(path, space, spec)).sources).toEqual(sources);
  });

  it("of another space, or that were never timed, say nothing", () => {
    const other = (args: readonly number[], tile: number) => record(tile, "xy", [1], { args });
    expect(shareSourcesOf(space, [other([1], 8), other([1], 7), other([1], 9)])).toEqual([]);
    expect(shareSourcesOf(space, [other([1], 8), other([1], 7)])).toHaveLength(1);
    expect(shareSourcesOf(space, [record(8, "xy", 4)])).toEqual([]);
    const { config: _, ...bare } = record(8, "xy", [1]);
    expect(shareSourcesOf(space, [bare])).toEqual([]);
  });

  it("of a template's other shapes may have entries that this space has not, and stay beside the others, in the log too", async () => {
    const of = (tile: number, costs: readonly number[] | number) => record(tile, "xy", costs, { args: [128] });
    const sources = shareSourcesOf(space, [of(64, [3]), of(64, [2]), of(16, [1]), of(128, 4)], true);
    expect(sources).toEqual([
      {
        name: "[128] on H100",
        of: { args: [128], target },
        rows: [{ index: indexOf(16, "xy"), seconds: 1 }],
        others: [
          { values: [128, "xy"], seconds: undefined },
          { values: [64, "xy"], seconds: 2 },
        ],
      },
    ]);
    // None in the space, and none in time.
    expect(shareSourcesOf(space, [of(64, [2])], true)[0]).toMatchObject({ rows: [], others: [{ seconds: 2 }] });
    expect(shareSourcesOf(space, [of(64, 4)], true)).toEqual([]);
    const folder = mkdtempSync(join(tmpdir(), "warpfarm-warm-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const path = join(folder, "a.jsonl");
    const spec = specFor({ name: "t", args: [64], target: "cpu/x86-64-v3" }, "auto");
    await (await openTuningLog(path, { spec, resume: false, warmStart: { space, sources, starts: [] } }))[Symbol.asyncDispose]();
    expect((await warmStartOf(path, space, spec)).sources).toEqual(sources);
  });

  it("stay by their values in a log whose template grew a knob and lost a value, or has other knobs", async () => {
    const folder = mkdtempSync(join(tmpdir(), "warpfarm-warm-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const path = join(folder, "a.jsonl");
    const spec = specFor({ name: "t", args: [64], target: "cpu/x86-64-v3" }, "auto");
    const [a, b] = [choiceKnob("a", [1, 2, 3]), choiceKnob("b", [10, 20])];
    const old = new ConfigSpace([a, b]);
    const rows = [0, 1, 5].map((index) => ({ index: old.toIndex(index), seconds: 1 + index }));
    const others = [{ values: [4, 20], seconds: undefined }];
    const warmStart = { space: old, sources: [{ name: "n", rows, others }], starts: rows.map(({ index }) => index) };
    await (await openTuningLog(path, { spec, resume: false, warmStart }))[Symbol.asyncDispose]();
    const added = choiceKnob("c", [false, true], { absent: true });
    const now = new ConfigSpace([added, choiceKnob("a", [4, 3, 1]), b]);
    const at = (values: Record<string, unknown>) => now.indexOf(new Map(Object.entries(values)));
    expect((await warmStartOf(path, now, spec)).sources).toEqual([
      {
        name: "n",
        rows: [
          { index: at({ a: 1, b: 10 }), seconds: 1 },
          { index: at({ a: 3, b: 20 }), seconds: 6 },
          { index: at({ a: 4, b: 20 }), seconds: undefined },
        ],
        others: [{ values: [true, 2, 10], seconds: 2 }],
      },
    ]);
    expect((await warmStartOf(path, now, spec)).starts).toEqual([at({ a: 1, b: 10 }), at({ a: 3, b: 20 })]);
    expect((await warmStartOf(path, new ConfigSpace([a]), spec)).sources).toEqual([{ name: "n", rows: [] }]);
  });

  it("stay in the log of the search that began with them, and only of that", async () => {
    const folder = mkdtempSync(join(tmpdir(), "warpfarm-warm-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const spec = specFor({ name: "t", args: [64], target: "cpu/x86-64-v3" }, "auto");
    const sources = shareSourcesOf(space, [record(16, "yx", [1.5e-3]), record(8, "xy", 4)]);
    const path = join(folder, "a.jsonl");
    await (await openTuningLog(path, { spec, resume: false, warmStart: { space, sources, starts: [] } }))[Symbol.asyncDispose]();
    expect((await warmStartOf(path, space, spec)).sources).toEqual(sources);
    // Who goes on with it brings nothing of his own.
    const before = readFileSync(path, "utf8");
    await (
      await openTuningLog(path, {
        spec,
        resume: true,
        warmStart: { space, sources: shareSourcesOf(space, [record(32, "xy", [1])]), starts: [] },
      })
    )[Symbol.asyncDispose]();
    expect(readFileSync(path, "utf8")).toBe(before);
    const bare = join(folder, "b.jsonl");
    await (await openTuningLog(bare, { spec, resume: false }))[Symbol.asyncDispose]();
    expect((await warmStartOf(bare, space, spec)).sources).toEqual([]);
    expect((await warmStartOf(join(folder, "none.jsonl"), space, spec)).sources).toEqual([]);
  });
});
