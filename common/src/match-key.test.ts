import { describe, expect, it } from "vitest";
import { canReach, parseSelector, selects, whyNoDevice } from "./match-key.ts";

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

describe("why no device satisfies a selector", () => {
  const device = (key: string, gigabytes: number, labels: Record<string, string> = {}, node = "n") => ({
    ...{ key, labels, node, memoryBytes: gigabytes * 1e9 },
  });
  const farm = [
    device("cuda/sm_90", 80, { zone: "us" }, "a"),
    device("cuda/sm_90", 40, { zone: "eu" }, "b"),
    device("cpu/x86-64-v3", 16),
  ];
  it.each([
    ["cuda/sm_90", undefined],
    ["cuda/sm_90,zone=eu,memory>=40GB", undefined],
    ["cuda/sm_80", "it has no device cuda/sm_80; its devices are cpu/x86-64-v3, cuda/sm_90"],
    ["cuda/sm_100+", "it has no device cuda/sm_100 or later; its devices are cpu/x86-64-v3, cuda/sm_90"],
    ["cuda/sm_90,zone=asia", "none of its devices cuda/sm_90 has zone=asia; their zone is eu, us"],
    ["cpu/x86-64-v3,zone=eu", "none of its devices cpu/x86-64-v3 has zone=eu; their zone is not set"],
    ["cuda/*,node=c", "none of its devices cuda has node=c; their node is a, b"],
    [
      "cuda/sm_90,zone=eu,memory>=41GB",
      "none of its devices cuda/sm_90 that meet the other conditions has 41 GB of memory; the most is 40 GB",
    ],
  ])("%s: %s", (selector, why) => expect(whyNoDevice(parseSelector(selector), farm)).toBe(why));
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
