import { describe, expect, it } from "vitest";
import { backends, type Target } from "./backend/index.ts";
import { defaultMeasureOptions } from "./measure.ts";
import { Registry } from "./registry.ts";
import {
  backendOf,
  formatTarget,
  isMatchKey,
  isTarget,
  keyOf,
  keyWords,
  meets,
  needWords,
  parseTarget,
  runsOn,
  type TargetNeed,
  targetsOn,
  targetWords,
} from "./target.ts";

const parts = (text: string) => {
  const { kind, level, features } = parseTarget(text);
  return [kind, level, [...features].join()];
};

describe("targets", () => {
  it.each<[text: string, kind: string, level: number, features: string]>([
    ["cuda/sm_75", "cuda", 75, ""],
    ["cuda/sm_90", "cuda", 90, ""],
    ["cuda/sm_90a", "cuda", 90, "a"],
    ["cuda/sm_120a", "cuda", 120, "a"],
    ["cpu/x86-64-v1", "cpu", 1, "x86-64"],
    ["cpu/x86-64-v4", "cpu", 4, "x86-64"],
    ["cpu/arm64", "cpu", 8, "arm64"],
  ])("%s is %s of level %d with features %j, and is written again as it was", (text, ...expected) => {
    expect(parts(text)).toEqual(expected);
    expect(formatTarget(parseTarget(text))).toBe(text);
    expect(isTarget(text)).toBe(true);
  });
  it.each([
    "",
    "cuda",
    "cuda/",
    "cuda/sm_9",
    "cuda/sm_90b",
    "cuda/sm_90aa",
    "cuda/sm_80a",
    "cuda/sm_90 ",
    "cpu/x86-64-v5",
    "cpu/x86-64-v0",
    "hip/gfx90a",
    "constructor/sm_90",
    "x/cuda/sm_90",
  ])("%j is none, and what there is is listed", (text) => {
    expect(isTarget(text)).toBe(false);
    expect(isMatchKey(text)).toBe(false);
    expect(() => parseTarget(text)).toThrow(
      `target ${JSON.stringify(text)} is not known; known are cpu/x86-64-v1 to v4, cpu/arm64, cuda/sm_NN, cuda/sm_NNa`,
    );
  });
  it("with `a` are no keys, and are named for the device without it", () => {
    expect(isMatchKey("cuda/sm_90a")).toBe(false);
    expect(isMatchKey("cuda/sm_90")).toBe(true);
    expect(keyOf("cuda/sm_90a")).toBe("cuda/sm_90");
    expect(["cuda/sm_90", "cpu/x86-64-v2", "cpu/arm64"].map(keyOf)).toEqual(["cuda/sm_90", "cpu/x86-64-v2", "cpu/arm64"]);
    expect(keyWords()).toBe("cpu/x86-64-v1 to v4, cpu/arm64, cuda/sm_NN");
  });
});

describe("code", () => {
  it.each([
    ["cuda/sm_90a", "cuda/sm_90", true],
    ["cuda/sm_90", "cuda/sm_90", true],
    ["cuda/sm_90a", "cuda/sm_100", false],
    ["cuda/sm_90a", "cuda/sm_89", false],
    ["cuda/sm_90", "cuda/sm_100", false],
    ["cuda/sm_90", "cpu/arm64", false],
    ["cpu/x86-64-v3", "cpu/x86-64-v4", true],
    ["cpu/x86-64-v4", "cpu/x86-64-v3", false],
    ["cpu/x86-64-v1", "cpu/arm64", false],
    ["cpu/arm64", "cpu/arm64", true],
  ])("for %s runs on %s: %s", (target, key, expected) => {
    expect(runsOn(target, key)).toBe(expected);
    expect(targetsOn(key).includes(target)).toBe(expected);
  });
  it("of a 9.0 device is plain or its own alone; an older one has no name with `a`", () => {
    expect(targetsOn("cuda/sm_90")).toEqual(["cuda/sm_90", "cuda/sm_90a"]);
    expect(targetsOn("cuda/sm_80")).toEqual(["cuda/sm_80"]);
    expect(targetsOn("cpu/x86-64-v2")).toEqual(["cpu/x86-64-v1", "cpu/x86-64-v2"]);
  });
});

describe("a need", () => {
  it.each<[need: TargetNeed, words: string, met: string[], unmet: string[]]>([
    [{ kind: "cuda" }, "cuda", ["cuda/sm_75", "cuda/sm_90a"], ["cpu/arm64"]],
    [{ kind: "cuda", from: 80 }, "cuda/sm_80 and later", ["cuda/sm_80", "cuda/sm_90a"], ["cuda/sm_75", "cpu/arm64"]],
    [{ kind: "cuda", from: 90, to: 90, features: ["a"] }, "cuda/sm_90a", ["cuda/sm_90a"], ["cuda/sm_90", "cuda/sm_100a"]],
    [{ kind: "cuda", from: 80, to: 90 }, "cuda/sm_80 to cuda/sm_90", ["cuda/sm_89"], ["cuda/sm_100"]],
    [{ kind: "cuda", to: 90 }, "cuda up to cuda/sm_90", ["cuda/sm_75"], ["cuda/sm_100"]],
    [{ kind: "cuda", features: ["a"] }, "cuda with a", ["cuda/sm_100a"], ["cuda/sm_100"]],
    [{ kind: "cuda", features: ["a", "b"] }, "cuda with a and b", [], ["cuda/sm_100a"]],
    [
      { kind: "cpu", from: 3, features: ["x86-64"] },
      "cpu/x86-64-v3 and later",
      ["cpu/x86-64-v4"],
      ["cpu/arm64", "cpu/x86-64-v2"],
    ],
  ])("%j reads %s", (need, words, met, unmet) => {
    expect(needWords(need)).toBe(words);
    expect(met.map((target) => meets(parseTarget(target), need))).toEqual(met.map(() => true));
    expect(unmet.map((target) => meets(parseTarget(target), need))).toEqual(unmet.map(() => false));
  });
});

describe("a registry", () => {
  it("names what it has for a name that it lacks, and takes a name once", () => {
    const table = new Registry("animal", { cat: 1, dog: 2 });
    expect(() => table.of("cow")).toThrow('animal "cow" is not known; known are cat, dog');
    expect(() => table.of("toString")).toThrow("not known");
    const cow = table.add("cow", 3);
    expect([table.of("cow"), table.names]).toEqual([3, ["cat", "dog", "cow"]]);
    expect(() => table.add("cow", 4)).toThrow('animal "cow" is there already');
    cow[Symbol.dispose]();
    expect(table.has("cow")).toBe(false);
  });
  it("of backends: an unknown one has no defaults, and is not taken for another", () => {
    expect(backends.names).toEqual(["cpu", "cuda"]);
    expect(() => defaultMeasureOptions("hip")).toThrow('backend "hip" is not known; known are cpu, cuda');
    expect(backendOf("hip/gfx90a")).toBe("hip");
    expect(() => formatTarget({ kind: "hip", level: 9, features: new Set() } satisfies Target)).toThrow("known are cpu, cuda");
    expect(targetWords()).not.toContain("hip");
  });
});
