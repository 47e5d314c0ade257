import { describe, expect, it } from "vitest";
import { canReach, parseSelector, selects } from "./match-key.ts";

describe("selectors", () => {
  it.each([
    ["cuda/sm_90", "cuda/sm_90", {}, true],
    ["cuda/sm_90", "cuda/sm_80", {}, false],
    ["cuda/sm_80+", "cuda/sm_90", {}, true],
    ["cuda/sm_90+", "cuda/sm_80", {}, false],
    ["cuda/*", "cuda/sm_120", {}, true],
    ["cuda/*", "cpu/x86-64-v3", {}, false],
    ["cpu/x86-64-v3", "cpu/x86-64-v4", {}, false],
    ["cpu/x86-64-v3+", "cpu/x86-64-v4", {}, true],
    ["cpu/x86-64-v1+", "cpu/arm64", {}, false],
    ["cuda/sm_90,rack=a", "cuda/sm_90", { rack: "a" }, true],
    ["cuda/sm_90,rack=a", "cuda/sm_90", { rack: "b" }, false],
    ["cuda/sm_90,rack=a", "cuda/sm_90", {}, false],
    ["cuda/*,memory>=80GB", "cuda/sm_90", {}, true],
    ["cuda/*,memory>=85GB,memory>=40GB", "cuda/sm_90", {}, true],
    ["cuda/*,memory>=86GB", "cuda/sm_90", {}, false],
    ["cuda/*,memory>=86GB,memory>=40GB", "cuda/sm_90", {}, false],
    ["cuda/*,rack=a,memory>=86GB", "cuda/sm_90", { rack: "a" }, false],
  ])("%s on %s of 85 GB with %j: %s", (selector, key, labels, expected) => {
    const device = { key, labels: labels as unknown as Record<string, string>, memoryBytes: 85e9 };
    expect(selects(parseSelector(selector), device)).toBe(expected);
  });
  it.each([
    "",
    "gpu",
    "cuda/sm_9",
    "cpu/x86-64-v5",
    "cuda/sm_90,rack",
    "cuda/sm_90,=a",
    "cuda/sm_90 ",
    "cuda/sm_90,memory>=80",
    "cuda/sm_90,memory>80GB",
  ])("refuses %j by name", (text) => {
    expect(() => parseSelector(text)).toThrow(/selector ".*": .*; write cpu/s);
  });
});

describe("a target can reach", () => {
  it.each([
    ["cuda/sm_90", "cuda/sm_90a", true],
    ["cuda/sm_100", "cuda/sm_90a", false],
    ["cuda/sm_80+", "cuda/sm_90a", true],
    ["cuda/sm_100+", "cuda/sm_90a", false],
    ["cuda/sm_80+", "cuda/sm_75", false],
    ["cuda/*", "cuda/sm_90a", true],
    ["cuda/*", "cpu/arm64", false],
    ["cpu/x86-64-v3+", "cpu/x86-64-v1", true],
    ["cpu/x86-64-v3+", "cpu/x86-64-v4", true],
    ["cpu/x86-64-v3", "cpu/x86-64-v4", false],
    ["cpu/x86-64-v1+", "cpu/arm64", false],
  ])("%s with %s: %s", (selector, target, expected) => expect(canReach(parseSelector(selector), target)).toBe(expected));
});
