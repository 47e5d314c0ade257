/** Spaces against what TVM 0.17 itself enumerated, decoded and wrote (test/vectors/ORIGIN.md). */
import { readFileSync } from "node:fs";
import { type Json, Random } from "@warpfarm/common";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ConfigJson, configNamed, configToJson, knobValues } from "./config-json.ts";
import { ConfigSpace } from "./config-space.ts";
import { choiceKnob } from "./knobs/choice.ts";
import { splitKnob } from "./knobs/split.ts";
import { bindKnobs, SpaceBuilder } from "./space-builder.ts";

interface TvmTask {
  readonly task: string;
  readonly space_length: number;
  readonly dims: readonly number[];
  readonly knobs: readonly {
    readonly name: string;
    readonly kind: string;
    readonly repr: string;
    readonly entities: readonly never[];
  }[];
  readonly vectors: readonly {
    readonly index: number;
    readonly knob_indices: readonly number[];
    readonly config: Record<string, unknown>;
    readonly json: ConfigJson;
  }[];
  readonly knob_features: readonly { readonly index: number; readonly features: readonly number[] }[];
}
const vectors = (name: string) => JSON.parse(readFileSync(new URL(`../../test/vectors/${name}`, import.meta.url), "utf8"));
const tvm: { readonly tasks: readonly TvmTask[] } = vectors("tvm-0.17-spaces.json");
const trials: Record<"trials" | "decoded", readonly { readonly index: number; readonly config: Record<string, unknown> }[]> =
  vectors("autotvm-tutorial-trials.json");

/**
 * TVM prints `Split(policy=factors, product=512, num_outputs=4) len=220`: the space is built from that alone, never from the
 * entries.
 */
function spaceOf(task: TvmTask): ConfigSpace {
  return new ConfigSpace(
    task.knobs.map(({ name, repr, entities }) => {
      const split = /product=(\d+), num_outputs=(\d+)/.exec(repr);
      return split
        ? splitKnob(name, { loop: name, extent: Number(split[1]) }, { parts: Number(split[2]) })
        : choiceKnob(name, entities);
    }),
  );
}
const conv = spaceOf(tvm.tasks[0] as TvmTask);
const asObject = (space: ConfigSpace, index: number) => Object.fromEntries(space.get(index).values);

describe.each(tvm.tasks.map((task) => [task.task, task] as const))("TVM's space of %s", (_, task) => {
  const space = spaceOf(task);
  it("has TVM's length, dimensions and entries in TVM's order", () => {
    expect(space.size).toBe(task.space_length);
    expect(space.knobs.map((k) => k.size)).toEqual(task.dims);
    for (const [i, knob] of space.knobs.entries()) {
      expect(Array.from({ length: knob.size }, (_v, d) => knob.decode(d))).toEqual(task.knobs[i]?.entities);
    }
  });
  it("decodes, encodes and writes all 100 vectors as TVM does", () => {
    expect(task.vectors).toHaveLength(100);
    for (const { index, knob_indices, config, json } of task.vectors) {
      const entity = space.get(index);
      expect(Object.fromEntries(entity.values)).toEqual(config);
      expect(space.digits(entity.index)).toEqual(knob_indices);
      expect(space.indexOf(entity.values)).toBe(index);
      expect(configToJson(space, entity)).toEqual(json);
      expect(configNamed(space, json.entity)).toEqual({ ok: true, value: index });
    }
  });
  it("has TVM's knob features", () => {
    for (const { index, features } of task.knob_features) expect(space.features(space.toIndex(index))).toEqual(features);
  });
});

describe("a knob that was added later", () => {
  const tile = choiceKnob("tile", [1, 2, 4]);
  const before = new ConfigSpace([tile]);
  const now = new ConfigSpace([tile, choiceKnob("pairs", [false, true], { absent: false })]);

  it("stands where configs mean it that do not name it: their indices and records stay", () => {
    for (let index = 0; index < before.size; index++) {
      const { values } = before.get(index);
      expect(now.indexOf(values)).toBe(index);
      expect(configNamed(now, configToJson(before, before.get(index)).entity)).toEqual({ ok: true, value: index });
      expect(now.get(index).values.get("pairs")).toBe(false);
    }
  });
  it("is told apart where they name it", () => {
    const values = new Map(Object.entries({ tile: 2, pairs: true }));
    expect(now.indexOf(values)).toBe(4);
    expect(now.indexOf(new Map(Object.entries({ tile: 2, pairs: 3 })))).toBeUndefined();
    expect(now.indexOf(new Map(Object.entries({ tile: 2, other: 1 })))).toBeUndefined();
    expect(now.indexOf(new Map(Object.entries({ pairs: true })))).toBeUndefined();
    expect(configNamed(now, [["other", "ot", 1]])).toMatchObject({
      error: "the config has the knobs other; this space has tile, pairs",
    });
    const twice = [..."ab"].map((): [string, string, number] => ["tile", "ot", 2]);
    expect(configNamed(now, twice)).toMatchObject({ error: "the config has the knobs tile, tile; this space has tile, pairs" });
  });
  it("may come first, and have its old meaning last: names stay, indices do not", () => {
    const first = new ConfigSpace([choiceKnob("pairs", [true, false], { absent: false }), tile]);
    for (let index = 0; index < before.size; index++) {
      const read = configNamed(first, configToJson(before, before.get(index)).entity);
      expect(read).toEqual({ ok: true, value: 2 * index + 1 });
    }
  });
  it("may be a split", () => {
    const halves = splitKnob("halves", { loop: "l", extent: 8 }, { parts: 2, absent: [-1, 1] });
    expect(configNamed(new ConfigSpace([halves, tile]), [["tile", "ot", 4]])).toEqual({ ok: true, value: 8 });
    const wrong = () => splitKnob("halves", { loop: "l", extent: 8 }, { parts: 2, absent: [-1, 3] });
    expect(wrong).toThrow("split halves has no entry [-1,3], which `absent` names; its first is [-1,1]");
  });
  it("means a value that it has", () => {
    expect(() => choiceKnob("pairs", [1, 2], { absent: 3 })).toThrow(/choice pairs has no value 3/);
  });
});

describe("the tutorial's space", () => {
  it.each(trials.trials.map((t, i) => [i + 1, t] as const))("decodes printed trial %i", (_, trial) => {
    expect(asObject(conv, trial.index)).toEqual(trial.config);
    expect(conv.indexOf(new Map(Object.entries(trial.config)))).toBe(trial.index);
  });
  it("decodes the further 16 vectors", () => {
    expect(trials.decoded).toHaveLength(16);
    for (const { index, config } of trials.decoded) expect(asObject(conv, index)).toEqual(config);
  });
  it("is a bijection between indices and digits", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: conv.size - 1 }), (i) => {
        const { index, values } = conv.get(i);
        expect(conv.fromDigits(conv.digits(index))).toBe(i);
        expect(conv.indexOf(values)).toBe(i);
      }),
    );
  });
  it("refuses an index outside", () => {
    for (const bad of [-1, 10_454_400, 0.5, Number.NaN]) expect(() => conv.get(bad)).toThrow(/it takes 0 to 10454399/);
  });
  it("draws inside, and every knob moves", () => {
    const random = new Random(1);
    const draws = Array.from({ length: 200 }, () => conv.digits(conv.random(random)));
    for (const [i, knob] of conv.knobs.entries())
      expect(new Set(draws.map((d) => d[i])).size).toBeGreaterThan(knob.size > 3 ? 3 : 1);
  });
});

describe("the matmul space of 54 points that another printing of the tutorial used", () => {
  it("has the printed best at the printed index 40, and today's space has it at 127", () => {
    const space = (by: number[], step: number[], v: number[]) =>
      new ConfigSpace([choiceKnob("bx", [2, 4, 8]), choiceKnob("by", by), choiceKnob("step_k", step), choiceKnob("v", v)]);
    const best = new Map(Object.entries({ bx: 4, by: 32, step_k: 16, v: 8 }));
    expect(space([16, 32, 64], [8, 16, 32], [4, 8]).indexOf(best)).toBe(40);
    expect(space([8, 16, 32, 64], [1, 2, 4, 8, 16, 32], [4, 8, 16, 32]).indexOf(best)).toBe(127);
  });
});

describe("split knobs", () => {
  const split = (extent: number, parts: number) => splitKnob("t", { loop: "l", extent }, { parts });
  it.each([
    [512, 4, 220],
    [7, 4, 4],
    [512, 3, 55],
    [3, 3, 3],
    [128, 2, 8],
    [224, 3, 63],
    [256, 3, 45],
    [2 ** 25, 4, 3276],
  ])("%i into %i has %i entries (TVM's unit tests)", (extent, parts, size) => expect(split(extent, parts).size).toBe(size));

  it("maxFactor bounds single factors, filter whole entries", () => {
    const space = new SpaceBuilder();
    const a = space.split("a", { loop: "l", extent: 16 }, { parts: 3, maxFactor: 2 });
    expect(Array.from({ length: a.size }, (_, d) => a.decode(d))).toEqual([
      [-1, 1, 1],
      [-1, 2, 1],
      [-1, 1, 2],
      [-1, 2, 2],
    ]);
    const b = space.split("b", { loop: "l", extent: 16 }, { parts: 3, filter: ([, x = 0, y = 0]) => x * y === 8 });
    expect(Array.from({ length: b.size }, (_, d) => b.decode(d))).toEqual([
      [-1, 8, 1],
      [-1, 4, 2],
      [-1, 2, 4],
      [-1, 1, 8],
    ]);
    expect(space.build().size).toBe(16);
  });

  it("neighbours are mutual and move one prime factor", () => {
    const knob = split(12, 3);
    const at = (sizes: number[]) => knob.find(sizes) as number;
    expect(knob.neighbours(at([-1, 2, 1])).map((d) => knob.decode(d))).toEqual(
      [
        [-1, 1, 1],
        [-1, 4, 1],
        [-1, 6, 1],
        [-1, 1, 2],
        [-1, 2, 2],
        [-1, 2, 3],
      ].sort((p, q) => at(p) - at(q)),
    );
    for (let d = 0; d < knob.size; d++) for (const n of knob.neighbours(d)) expect(knob.neighbours(n)).toContain(d);
  });
});

describe("configs of another space", () => {
  const json = (tvm.tasks[0] as TvmTask).vectors[0]?.json as ConfigJson;
  const refusal = (change: Partial<ConfigJson>) => {
    const read = configNamed(conv, { ...json, ...change }.entity);
    return read.ok ? "accepted" : read.error;
  };
  const put = (name: string, kind: "sp" | "ot", value: unknown) =>
    json.entity.map((e) => (e[0] === name ? ([name, kind, value] as never) : e));
  it.each([
    [
      "an entry that is not there",
      { entity: put("tile_f", "sp", [-1, 3, 1, 1]) },
      /knob tile_f has no entry \[-1,3,1,1\] among its 220/,
    ],
    ["another kind", { entity: put("tile_f", "ot", 4) }, /knob tile_f is of kind "ot" in the config; it is "sp"/],
    ["other knobs", { entity: json.entity.slice(1) }, /the config has the knobs tile_y, .*; this space has tile_f, tile_y/],
  ])("%s is refused by name", (_, change, message) => expect(refusal(change)).toMatch(message));
  it("whose index is another one are read by their values, in any order", () => {
    const entity = [...json.entity].reverse();
    expect(configNamed(conv, entity)).toEqual({ ok: true, value: json.index });
  });
});

it("a choice finds its own values and nothing that only looks like one of them", () => {
  const values = [0, 1, "1", "true", true, null, "null", [1, 2], ["1", 2], []];
  const knob = choiceKnob("k", values);
  expect(values.map((value) => knob.find(value))).toEqual(values.map((_, digit) => digit));
  const others = [-0, Number.NaN, undefined, "0", false, "[1,2]", [1, 2, 3], [1, -0], {}, 2, () => 1, Number.POSITIVE_INFINITY];
  expect(others.map((value) => knob.find(value))).toEqual(others.map(() => undefined));
});

it("lists of equally many numbers are their numbers to a model, whatever others are listed; other values are not", () => {
  const featuresOf = (values: readonly Json[]) => values.map((_, digit) => choiceKnob("k", values).features(digit));
  const tiles = [
    [14, 1],
    [7, 2],
    [14, 2],
    [2, 14],
  ];
  expect(featuresOf(tiles)).toEqual(tiles);
  expect(featuresOf([[14, 2]])).toEqual([[14, 2]]);
  expect(featuresOf([[8], [4]])).toEqual([[8], [4]]);
  // Where the entries are not alike, each has one number: its position.
  for (const unlike of [
    [[1, 2], [4]],
    [
      [1, "a"],
      [2, "b"],
    ],
    [
      [1, [2]],
      [3, [4]],
    ],
    [[1, 2], "x"],
    [[2, 1], null],
    ["b", "a"],
  ])
    expect(featuresOf(unlike)).toEqual([[0], [1]]);
  expect(featuresOf([[]])).toEqual([[0]]);
  expect(featuresOf([8, true, "a", [4, 4], false, 2.5])).toEqual([[8], [1], [2], [3], [0], [2.5]]);
});

it("values of a config are those of its knobs by name and kind, in the space's order", () => {
  const space = new ConfigSpace([choiceKnob("a", [1, 2]), choiceKnob("b", [1, 2])]);
  const entity = (...knobs: readonly (readonly [string, string, number])[]) => knobValues(space, knobs);
  expect(entity(["a", "ot", 1], ["b", "ot", 2])).toEqual({ ok: true, value: [1, 2] });
  expect(entity(["b", "ot", 2], ["a", "ot", 1])).toEqual({ ok: true, value: [1, 2] });
  expect(entity(["a", "ot", 1], ["b", "sp", 2])).toMatchObject({ ok: false, error: expect.stringContaining('is of kind "sp"') });
  expect(entity(["a", "ot", 1], ["c", "ot", 2]).ok).toBe(false);
  expect(entity(["a", "ot", 1]).ok).toBe(false);
  expect(entity(["a", "ot", 1], ["b", "ot", 2], ["c", "ot", 3]).ok).toBe(false);
});

describe("bindKnobs", () => {
  it("gives each handle its value; a split applies to its own axis or to the one named", () => {
    const space = new SpaceBuilder();
    const f = space.split("tile_f", { loop: "l1", extent: 512 }, { parts: 4 });
    const unroll = space.choice("unroll", [0, 512]);
    const built = space.build();
    const bound = bindKnobs({ unroll, f }, built, built.toIndex(220 + 12));
    const calls: unknown[] = [];
    const schedule = {
      split: (loop: string, factors: readonly (number | null)[]) => {
        calls.push([loop, factors]);
        return ["a", "b", "c", "d"];
      },
    };
    expect(bound.f.apply(schedule)).toEqual(["a", "b", "c", "d"]);
    bound.f.apply(schedule, "l9");
    expect(calls).toEqual([
      ["l1", [null, 4, 2, 1]],
      ["l9", [null, 4, 2, 1]],
    ]);
    expect(bound.unroll).toBe(512);
    expect(() => bindKnobs({ f }, conv, conv.toIndex(0))).toThrow(/tile_f is not of this space/);
  });
});
