/** Features against those that TVM 0.17 extracted (test/vectors/ORIGIN.md), and its own unit test. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  type ConvConfig,
  convGraph,
  packedConvGraph,
  resnetConv,
  scheduleA,
  schedulePacked,
} from "../../test/programs.testing.ts";
import { infer } from "../schedule/infer.ts";
import { createSchedule, type Schedule } from "../schedule/schedule.ts";
import { graphD, scheduleD } from "../schedule/source-programs.testing.ts";
import { SpaceBuilder } from "../space/space-builder.ts";
import { placeholder } from "../te/compute.ts";
import { graphOf } from "../te/graph-of.ts";
import { matmul } from "../te/ops/matmul.ts";
import { featureMatrix } from "./feature-matrix.ts";
import { itervarFeatures } from "./itervar.ts";
import { choiceFeatures } from "./knob.ts";
import { type LoopTouches, loopTouches, touchFields } from "./loop-touches.ts";

type Sizes = readonly [number, number, number, number];
type Config = Readonly<Record<string, Sizes>> & Readonly<Record<"bx" | "by" | "step_k" | "v", number>>;
interface Recorded {
  readonly index: number;
  readonly config: Config;
  readonly log: readonly number[];
  readonly plain: readonly number[];
}
interface TvmTask {
  readonly task: string;
  readonly args: readonly [number, number, number, ...unknown[]];
  readonly features: readonly Recorded[];
}
const recorded = JSON.parse(readFileSync(new URL("../../test/vectors/tvm-0.17-itervar.json", import.meta.url), "utf8")) as {
  readonly tasks: readonly [TvmTask, TvmTask];
};
const [convTask, gemmTask] = recorded.tasks;

const nestOf = (schedule: Schedule) => {
  const found = infer(schedule.state);
  if (!found.ok) throw found.error;
  return found.value;
};

function convOf(config: Config) {
  const parts = (name: string) => (config[name] as Sizes).slice(1);
  const knobs = {
    ...{ f: parts("tile_f"), y: parts("tile_y"), x: parts("tile_x") },
    ...{ rc: parts("tile_rc"), ry: parts("tile_ry"), rx: parts("tile_rx") },
    ...{ maxStep: 0, explicit: 0 },
  };
  return nestOf(scheduleA(convGraph(resnetConv), knobs as unknown as ConvConfig));
}

function gemmOf({ bx, by, step_k, v }: Config) {
  const [n, l, m] = gemmTask.args;
  const schedule = scheduleD(graphD({ n, l, m }), { bx, by, stepK: step_k, v, warp: 16 });
  schedule.storageAlign(schedule.stage("A.shared"), 0, 16, 8);
  return nestOf(schedule);
}

/** Positions where the two differ by more than 1e-4 of the value, or of 1. */
const differing = (made: ArrayLike<number>, theirs: readonly number[]): number[] =>
  theirs.flatMap((value, i) => (Math.abs((made[i] ?? Number.NaN) - value) <= 1e-4 * Math.max(1, Math.abs(value)) ? [] : [i]));

const cases = [
  ...convTask.features.map((f) => [convTask.task, f.index, f, convOf] as const),
  ...gemmTask.features.map((f) => [gemmTask.task, f.index, f, gemmOf] as const),
];

describe("itervar", () => {
  it.each(cases)("%s %i: every field is TVM's", (_task, _index, { config, log, plain }, nest) => {
    const inferred = nest(config);
    for (const [made, theirs] of [
      [itervarFeatures(inferred), log],
      [itervarFeatures(inferred.func(), { takeLog: false }), plain],
    ] as const) {
      expect(made).toHaveLength(theirs.length);
      expect(differing(made, theirs)).toEqual([]);
    }
  });
  it("the recorded vectors are enough to tell loops and configs apart", () => {
    expect(cases).toHaveLength(10);
    expect(cases.reduce((sum, [, , { log }]) => sum + log.length, 0)).toBe(18_120);
    expect(new Set(cases.map(([, , { log }]) => log.join())).size).toBe(10);
  });
});

/**
 * The index of `data` is, in TVM's order, rc*1568 + tz*392 + (ty*31 + i)/27*49 + (ty*4 + i)%27/3*7 + x.0 + (ty + i)%3 - 8:
 * nothing multiplies x.0, and the 4 of a ty that was met before stays for it. The field is what Apache TVM 0.17.0 gives.
 */
it("a multiplier of a variable met before is the next new one's stride: field 348 of config 4981418", () => {
  const split = (...sizes: readonly number[]) => [-1, ...sizes];
  const knobs = {
    ...{ tile_f: split(8, 4, 16), tile_y: split(1, 7, 1), tile_x: split(1, 1, 1) },
    ...{ tile_rc: split(1, 32), tile_ry: split(3, 1), tile_rx: split(1, 3) },
  };
  const [made, plain] = [true, false].map((takeLog) => itervarFeatures(convOf(knobs as unknown as Config), { takeLog })) as [
    Float32Array,
    Float32Array,
  ];
  expect([made.length, made[348], plain[348]]).toEqual([2352, expect.closeTo(2.321928, 6), 4]);
});

/** C[y, x] = sum of A[y, k] * B[k, x], 128 each, unscheduled: the case of TVM's own unit test. */
const gemm128 = () => {
  const a = placeholder("A", [128, 128]);
  const b = placeholder("B", [128, 128]);
  return nestOf(createSchedule(graphOf([a, b], [matmul(a, b)])));
};

describe("loop touches", () => {
  const row = ({ touches, firstTouch }: LoopTouches, names: readonly string[], touch: string) => {
    const at = (names.indexOf(touch) - firstTouch) * touchFields.length;
    return touches.slice(at, at + touchFields.length);
  };
  it("are those of TVM's test_iter_feature_gemm", () => {
    const { loops, names } = loopTouches(gemm128().func());
    expect(loops.map((l) => [l.extent, l.nestLevel, l.topDown, l.bottomUp, l.kind])).toEqual([
      [128, 1, 128, 2097152, "serial"],
      [128, 2, 16384, 16384, "serial"],
      [128, 3, 2097152, 128, "serial"],
    ]);
    const [y, x, k] = loops as [LoopTouches, LoopTouches, LoopTouches];
    expect([row(y, names, "A_0"), row(y, names, "B_0"), row(y, names, "C_0"), row(y, names, "C_1")]).toEqual([
      [128, -1, 16384, 128, 0, 0],
      [0, -1, 16384, 128, 0, 0],
      [128, -1, 16384, 128, 0, 0],
      [128, -1, 16384, 128, 0, 0],
    ]);
    expect([row(x, names, "A_0"), row(x, names, "B_0"), row(x, names, "C_0"), row(x, names, "C_1")]).toEqual([
      [0, -1, 128, 128, 0, 0],
      [1, -1, 16384, 1, 0, 0],
      [1, -1, 128, 128, 0, 0],
      [1, -1, 128, 128, 0, 0],
    ]);
    expect([row(k, names, "A_0"), row(k, names, "B_0"), row(k, names, "C_1")]).toEqual([
      [1, -1, 128, 1, 0, 0],
      [128, -1, 128, 1, 0, 0],
      [0, -1, 1, 128, 0, 0],
    ]);
  });
  it("know the marks of a CPU's loops, and which operations stand innermost", () => {
    const size = { ...resnetConv, inChannels: 4, outChannels: 16 };
    const { loops } = loopTouches(nestOf(schedulePacked(packedConvGraph(size, 8), 7)).func());
    expect(new Set(loops.map((l) => l.kind))).toEqual(new Set(["parallel", "serial", "unrolled", "vectorized"]));
    const busy = loops.filter((l) => l.arithmetic.some((n) => n > 0));
    expect(busy.map((l) => [l.kind, l.extent, l.arithmetic])).toEqual([["vectorized", 8, [1, 1, 0]]]);
  });
});

describe("knobs and matrices", () => {
  it("gives splits with their -1, choices as numbers, choices alone", () => {
    const builder = new SpaceBuilder();
    builder.choice("explicit", [0, 1]);
    builder.split("tile", { loop: "l", extent: 8 }, { parts: 3 });
    builder.choice("step", [0, 512, 1500]);
    const space = builder.build();
    const index = space.indexOf(
      new Map<string, unknown>([
        ["explicit", 1],
        ["tile", [-1, 2, 4]],
        ["step", 1500],
      ]),
    );
    if (index === undefined) throw new Error("no such config");
    expect([...space.features(index)]).toEqual([1, -1, 2, 4, 1500]);
    expect([...choiceFeatures(space, index)]).toEqual([1, 1500]);
  });
  it("fills the shorter rows with zeros, and keeps to a given width", () => {
    const rows = [Float32Array.of(1, 2, 3), Float32Array.of(4)];
    expect(featureMatrix(rows)).toEqual({ rows: 2, columns: 3, values: Float32Array.of(1, 2, 3, 4, 0, 0) });
    expect(featureMatrix(rows, 2)).toEqual({ rows: 2, columns: 2, values: Float32Array.of(1, 2, 4, 0) });
  });
});
