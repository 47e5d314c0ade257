import { describe, expect, test } from "vitest";
import { durationWords, parseDuration } from "./duration.ts";

const day = 86_400_000;
const read = (text: string, range: Partial<Parameters<typeof parseDuration>[2]> = {}) => {
  const { highMs = 366 * day, ...rest } = range;
  const result = parseDuration("--d", text, { highMs, ...rest });
  return result.ok ? result.value : result.error;
};

describe("times", () => {
  test.each([
    ["500ms", 500],
    ["10s", 10_000],
    ["1.5s", 1_500],
    [".5s", 500],
    ["0.3s", 300],
    ["1.1s", 1_100],
    ["2m", 120_000],
    ["1h", 3_600_000],
    ["7d", 7 * day],
    ["0ms", 0],
    ["2000us", 2],
  ])("%s", (text, ms) => {
    expect(read(text)).toBe(ms);
  });
  test("parts of a millisecond, where these mean something", () => {
    expect(read("50us", { isFine: true, lowMs: 1e-6, highMs: 1000 })).toBeCloseTo(0.05, 12);
    expect(read("8ns", { isFine: true, lowMs: 1e-6, highMs: 1000 })).toBeCloseTo(8e-6, 15);
  });
  test.each([
    ["30", {}, '--d is "30", without a unit: write 30s; it takes a time such as 500ms, 10s or 2m, at most 366d'],
    ["20", { usual: "ms", highMs: 60_000 } as const, /^--d is "20", without a unit: write 20ms; .*, at most 1m$/],
    ["0", {}, /without a unit: write 0s/],
    [
      ".001",
      { isFine: true, lowMs: 1e-6, highMs: 1000 },
      /write .001s; it takes a time such as 50us, 2ms or 1s, from 1ns to 1s$/,
    ],
    ["0s", { isFine: true, lowMs: 1e-6, highMs: 1000 }, /from 1ns to 1s$/],
    ["-1s", {}, /^--d is "-1s"; it takes/],
    ["1 s", {}, /^--d is "1 s"; it takes/],
    ["1S", {}, /^--d is "1S"; it takes/],
    ["", {}, /^--d is ""; it takes/],
    ["soon", {}, /^--d is "soon"; it takes/],
    ["2s", { highMs: 1500 }, /at most 1500ms$/],
    ["400d", {}, /at most 366d$/],
    ["1s", { lowMs: 2000, highMs: day }, /, from 2s to 1d$/],
    ["1.5ms", {}, /at most 366d, in whole milliseconds$/],
    ["100us", {}, /in whole milliseconds$/],
    ["Infinitys", {}, /it takes a time/],
  ])("%s is refused", (text, range, message) => {
    const answer = read(text, range);
    if (typeof message === "string") expect(answer).toBe(message);
    else expect(answer).toMatch(message);
  });
  test("are told in their largest whole unit", () => {
    expect([0, 1, 1500, 2000, 90_000, 120_000, 5_400_000, 366 * day, 1e-6].map(durationWords)).toEqual([
      "0ms",
      "1ms",
      "1500ms",
      "2s",
      "90s",
      "2m",
      "90m",
      "366d",
      "1ns",
    ]);
  });
});
