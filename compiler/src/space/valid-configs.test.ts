/** Constrained spaces against brute force: the same configs, the same counts, whatever the constraints. */
import { Random } from "@warpfarm/common";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Constraint, expressionConstraint } from "./constraint.ts";
import { choiceKnob } from "./knobs/choice.ts";
import { splitKnob } from "./knobs/split.ts";
import { constrainedSpace, problemSpace } from "./problem-file.ts";
import { constrainedConfigs } from "./valid-configs.ts";

const constraint = (text: string, names: readonly string[]): Constraint | boolean => {
  const made = expressionConstraint(text, names);
  if (!made.ok) throw new Error(made.error);
  return made.value;
};

const names = ["a", "b", "c", "d"];
const knobs = [
  [1, 2, 4, 8],
  [1, 2, 3],
  [0, 1],
  [16, 32, 48, 64, 80],
].map((values, i) => choiceKnob(names[i] as string, values));
const plain = constrainedSpace(knobs, []);
/** Constraints as text and as the same thing in JavaScript. */
const pieces: readonly (readonly [string, (v: Record<string, number>) => boolean])[] = [
  ["a * b <= 8", ({ a = 0, b = 0 }) => a * b <= 8],
  ["d % (a * 16) == 0", ({ a = 0, d = 0 }) => d % (a * 16) === 0],
  ["c == 0 or b != 2", ({ b, c }) => c === 0 || b !== 2],
  ["(a * b + d) * (2 + c) < 150", ({ a = 0, b = 0, c = 0, d = 0 }) => (a * b + d) * (2 + c) < 150],
  ["not (a == 8 and d >= 48)", ({ a, d = 0 }) => !(a === 8 && d >= 48)],
  ["(b if c else a) <= 2", ({ a = 0, b = 0, c }) => (c ? b : a) <= 2],
  ["a < b < d", ({ a = 0, b = 0, d = 0 }) => a < b && b < d],
];

describe("constrained spaces", () => {
  it("number exactly the configs that brute force finds, for any set of constraints", () => {
    fc.assert(
      fc.property(fc.subarray([...pieces.keys()]), (chosen) => {
        const space = constrainedSpace(
          knobs,
          chosen.map((i) => constraint(pieces[i]?.[0] as string, names)),
        );
        const holds = (index: number) => {
          const values = Object.fromEntries(plain.get(index).values) as Record<string, number>;
          return chosen.every((i) => pieces[i]?.[1](values));
        };
        const expected = Array.from({ length: plain.size }, (_, i) => i).filter(holds);
        const numbered = Array.from({ length: space.valid.count }, (_, rank) => space.valid.nth(rank));
        expect(numbered.sort((x, y) => x - y)).toEqual(expected);
        for (let i = 0; i < plain.size; i++) expect(space.valid.has(i)).toBe(holds(i));
      }),
    );
  });

  it("are counted within as many checks as that takes, and not within one less", () => {
    // The entries of each knob, once.
    expect(constrainedConfigs(knobs, [], 14).count).toBe(4 * 3 * 2 * 5);
    expect(() => constrainedConfigs(knobs, [], 13).count).toThrow("not counted within 13 checks");
  });

  it("take parts of splits", () => {
    const split = splitKnob("t", { loop: "l", extent: 64 }, { parts: 3 });
    const space = constrainedSpace(
      [split, choiceKnob("a", [1, 2, 4]), choiceKnob("z", [1, 2, 3])],
      [constraint("t[1] * a <= 8", ["t", "a", "z"])],
    );
    const brute = Array.from({ length: split.size * 3 }, (_, i) => i).filter(
      (i) => (split.decode(i % split.size)[1] ?? 0) * 2 ** Math.floor(i / split.size) <= 8,
    );
    expect(space.valid.count).toBe(brute.length * 3);
  });

  it("of 10^9 configs are counted and numbered without being listed", () => {
    const digits = Array.from({ length: 10 }, (_, i) => i + 1);
    const many = Array.from({ length: 9 }, (_, k) => `k${k}`);
    const space = constrainedSpace(
      many.map((name) => choiceKnob(name, digits)),
      [constraint(`${many.join(" + ")} <= 40`, many), constraint("k0 % k1 == 0", many)],
    );
    expect(space.size).toBe(1e9);
    // Ways to reach each sum with seven knobs, then the pairs of the first two.
    let ways = new Map([[0, 1]]);
    for (let k = 2; k < 9; k++) {
      const next = new Map<number, number>();
      for (const [sum, count] of ways) for (const d of digits) next.set(sum + d, (next.get(sum + d) ?? 0) + count);
      ways = next;
    }
    let expected = 0;
    for (const a of digits)
      for (const b of digits) if (a % b === 0) for (const [sum, count] of ways) if (sum + a + b <= 40) expected += count;
    expect(space.valid.count).toBe(expected);
    const random = new Random(2);
    for (let i = 0; i < 200; i++) {
      const values = [...space.get(space.random(random)).values.values()] as number[];
      expect(values.reduce((sum, v) => sum + v, 0)).toBeLessThanOrEqual(40);
      expect((values[0] ?? 0) % (values[1] ?? 0)).toBe(0);
    }
    const ranked = [0, 1, Math.floor(expected / 2), expected - 1].map((rank) => space.valid.nth(rank));
    expect(new Set(ranked).size).toBe(4);
    for (const index of ranked) expect(space.valid.has(index)).toBe(true);
  });

  it("draw uniformly: chi-square over all valid configs", () => {
    const space = constrainedSpace(knobs, [constraint("a * b <= 8", names), constraint("c == 0 or d > 48", names)]);
    const counts = new Map<number, number>();
    const random = new Random(5);
    const draws = 200 * space.valid.count;
    for (let i = 0; i < draws; i++) {
      const index = space.random(random);
      counts.set(index, (counts.get(index) ?? 0) + 1);
    }
    expect(counts.size).toBe(space.valid.count);
    const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - 200) ** 2 / 200, 0);
    const freedom = counts.size - 1;
    // Mean `freedom`, variance twice that; the seed is fixed.
    expect(Math.abs(chiSquare - freedom)).toBeLessThan(3 * Math.sqrt(2 * freedom));
  });

  it("of 10^12 configs are counted, or refused after a fixed number of checks, and at once when asked again", () => {
    const many = Array.from({ length: 12 }, (_, k) => `k${k}`);
    let checks = 0;
    const counting = (name: string) => choiceKnob(name, [1, 3, 7, 11, 13, 17, 19, 23, 29, 31]);
    const product = constraint(`${many.join(" * ")} % 9973 < 10`, many) as Constraint;
    const watched = (of: Constraint): Constraint => ({
      ...of,
      narrowed(name, values) {
        checks += values.length;
        return of.narrowed(name, values).map((left) => (typeof left === "object" ? watched(left) : left));
      },
      holds(name, value, other, values) {
        checks += values.length;
        return of.holds(name, value, other, values);
      },
    });
    const most = 20_000;
    const refused = constrainedConfigs(many.map(counting), [watched(product)], most);
    const told = /not counted within 20000 checks.*write constraints of fewer of its 12 tunables/;
    expect(() => refused.count).toThrow(told);
    expect(checks).toBeGreaterThan(most / 4);
    expect(checks).toBeLessThanOrEqual(most);
    const before = checks;
    for (const ask of [() => refused.nth(0), () => refused.has(0), () => refused.count]) expect(ask).toThrow(told);
    expect(checks - before).toBeLessThanOrEqual(30);
    const size = constrainedConfigs(many.map(counting), [constraint(`${many.join(" + ")} <= 14`, many) as Constraint]);
    expect(size.count).toBe(1 + 12); // all ones, or one three
  });

  it("takes exactly as many checks as it may", () => {
    const two = [choiceKnob("a", [1, 2, 3]), choiceKnob("b", [1, 2])];
    const sum = constraint("a + b <= 4", ["a", "b"]) as Constraint;
    let least = 0;
    for (; ; least++) {
      try {
        expect(constrainedConfigs(two, [sum], least).count).toBe(5);
        break;
      } catch (error) {
        expect((error as Error).message).toContain(`within ${least} checks`);
      }
    }
    // Six pairs; b's two values; of a three for b = 1, which leaves all, and twice three for b = 2, which leaves a list.
    expect(least).toBe(17);
  });

  const counted = (tunables: Record<string, unknown>, conditions: readonly string[]) => {
    const space = problemSpace({
      ConfigurationSpace: {
        TuningParameters: Object.entries(tunables).map(([Name, Values]) => ({ Name, Values })),
        Conditions: conditions,
      },
    });
    return space.ok ? space.value.valid.count : space.error;
  };
  const sizes = { BX: [8, 16, 32], BY: [8, 16, 32], MODE: ["fast", "slow-safe"] };

  // Counts are those of Python's own loops over these lists.
  it.each([
    ["(BX, BY) not in [(32, 32), (8, 8)]", 14],
    ["(BX, BY) in [(32, 32), (8, 8)]", 4],
    ["[BX, BY] == [8, 16]", 2],
    ["(BX, BY) != (8, 16)", 16],
    ["[BX] == (BX,)", 0],
    ["'slow' not in MODE", 9],
    ["MODE + '!' == 'fast!'", 9],
    ["(BX == 8 or BY) == 1", 6],
    ["(BX > 8 and BY) == 16", 4],
    ["BX & (BX - 1) == 0 and BX >> 3 in {1, 4}", 12],
    ["all(b % 16 == 0 for b in (BX, BY))", 8],
    ["sum([BX, BY]) <= 0x20", 8],
    ["round(BX / 16) == ceil(BX / 32) - 1", 6],
  ])("of %s: %d configs", (condition, count) => expect(counted(sizes, [condition])).toBe(count));

  it("name the constraint and the values where Python would raise, unless another one excludes them", () => {
    const knobs = { A: [0, 1, 2], B: [0, 4] };
    const raised = /^"B % A == 0" takes a rest of a division by zero where B = [04], A = 0$/;
    expect(() => counted(knobs, ["B % A == 0"])).toThrow(raised);
    expect(() => counted(knobs, ["B % A == 0", "B == 4"])).toThrow(raised);
    for (const excluded of ["A > 0", "A", "A * 2 + B > 5", "(A, B) not in [(0, 0), (0, 4)]"]) {
      expect(counted(knobs, ["B % A == 0", excluded])).toBeTypeOf("number");
      expect(counted(knobs, [`B % A == 0 and ${excluded}`])).toBe(counted(knobs, [excluded, "B % A == 0"]));
    }
    expect(counted(knobs, ["A == 0 or B % A == 0"])).toBe(6);
    expect(() => counted({ MODE: ["a", "b"] }, ["MODE > 3"])).toThrow(
      '"MODE > 3" compares the order of str and int where MODE = "a"',
    );
    expect(() => counted({ A: [61, 70] }, ["2 ** A > 3"])).toThrow(
      /"2 \*\* A > 3" makes an integer of more than 64 bits.* where A = 70/,
    );
    expect(counted(knobs, ["1 // 0 > A"])).toBe('"1 // 0 > A" divides by zero');
  });

  it("of values that Python's text gives", () => {
    expect(counted({ A: "(1, 2, 3)", B: "range(3)", C: "sorted({4, 8})" }, [])).toBe(18);
    expect(counted({ A: "{1, 2}" }, [])).toBe('the values of A: "{1, 2}" is not a list of values');
    expect(counted({ A: "[2**62]" }, [])).toBe("the values of A: 4611686018427387904 is not a number, a word or a truth value");
    expect(counted({ A: "[1 // 0]" }, [])).toBe('the values of A: "[1 // 0]" divides by zero');
    expect(counted({ A: "[1.0, 1]" }, [])).toBe(1);
  });

  it("that nothing satisfies are empty", () => {
    expect(constrainedSpace(knobs, [constraint("a > 8", names)]).valid.count).toBe(0);
    expect(constrainedSpace(knobs, [constraint("1 > 8", names)]).valid.count).toBe(0);
  });
});

/** The stencil of the community's benchmarks (hotspot), its 22.2 million points described as its T1 file does. */
const stencil = {
  ConfigurationSpace: {
    TuningParameters: [
      { Name: "block_size_x", Values: "[1, 2, 4, 8, 16] + list(range(32, 1024+1, 32))" },
      { Name: "block_size_y", Values: "[2**i for i in range(0, 6)]" },
      { Name: "tile_size_x", Values: "[i for i in range(1, 11)]" },
      { Name: "tile_size_y", Values: "[i for i in range(1, 11)]" },
      { Name: "temporal_tiling_factor", Values: "[i for i in range(1, 11)]" },
      { Name: "loop_unroll_factor_t", Values: "[i for i in range(1, 10+1)]" },
      { Name: "sh_power", Values: [0, 1] },
      { Name: "blocks_per_sm", Values: [0, 1, 2, 3, 4] },
    ],
    Conditions: [
      { Expression: "block_size_x*block_size_y >= 32", Parameters: [] },
      { Expression: "temporal_tiling_factor % loop_unroll_factor_t == 0" },
      { Expression: "block_size_x*block_size_y <= 1024" },
      {
        Expression:
          "(block_size_x*tile_size_x + temporal_tiling_factor * 2) * (block_size_y*tile_size_y + temporal_tiling_factor * 2) * (2+sh_power) * 4 <= 49152",
      },
    ],
  },
};

describe("problem files", () => {
  it("22.2 million points are counted as nested loops count them", () => {
    const space = problemSpace(stencil);
    if (!space.ok) throw new Error(space.error);
    expect(space.value.size).toBe(22_200_000);
    const xs = [1, 2, 4, 8, 16, ...Array.from({ length: 32 }, (_, i) => 32 * (i + 1))];
    let count = 0;
    for (const x of xs)
      for (const y of [1, 2, 4, 8, 16, 32]) {
        if (x * y < 32 || x * y > 1024) continue;
        for (let tx = 1; tx <= 10; tx++)
          for (let ty = 1; ty <= 10; ty++)
            for (let t = 1; t <= 10; t++)
              for (const sh of [0, 1]) {
                if ((x * tx + t * 2) * (y * ty + t * 2) * (2 + sh) * 4 > 49152) continue;
                for (let u = 1; u <= 10; u++) if (t % u === 0) count += 5;
              }
      }
    expect(space.value.valid.count).toBe(count);
    const index = space.value.valid.nth(Math.floor(count / 2));
    expect(space.value.valid.has(index)).toBe(true);
  });

  it.each([
    [{}, /there is no ConfigurationSpace.TuningParameters/],
    [
      { ConfigurationSpace: { TuningParameters: ["a", "b", "a"].map((Name) => ({ Name, Values: [1, 2] })) } },
      /^two tuning parameters are named a$/,
    ],
    [
      {
        ConfigurationSpace: { TuningParameters: Array.from({ length: 16 }, (_, i) => ({ Name: `k${i}`, Values: "range(10)" })) },
      },
      /^the tuning parameters have 1\.0e\+16 configs; a space has at most 2\^53$/,
    ],
    [{ ConfigurationSpace: { TuningParameters: [{ Name: "a", Values: "7" }] } }, /the values of a: "7" is not a list of values/],
    [
      { ConfigurationSpace: { TuningParameters: [{ Name: "a", Values: "[1]" }], Conditions: [{ Expression: "a < b" }] } },
      /"a < b" uses b, which is not a knob; the knobs are a/,
    ],
    [
      {
        ConfigurationSpace: {
          TuningParameters: [{ Name: "tile_x", Values: "[1]" }],
          Conditions: [{ Expression: "tile_xx < 2" }],
        },
      },
      /"tile_xx < 2" uses tile_xx, which is not a knob \(did you mean tile_x\?\); the knobs are tile_x/,
    ],
  ])("%j is refused in a sentence", (document, message) => {
    const space = problemSpace(document);
    expect(space.ok ? "accepted" : space.error).toMatch(message);
  });
});
