import { expect, it } from "vitest";
import { configWords, countWords, printable, shellWord, spanWords, timeWords } from "./words.ts";

it("the time of a kernel is in the largest unit of which it has one", () => {
  expect([1, 0.123_456, 1e-3, 0.999e-3, 1e-6, 12.3e-6, 1e-9, 0.5e-9, 90].map((seconds) => timeWords(seconds))).toEqual([
    ...["1.000 s", "123.5 ms", "1.000 ms", "999.0 us", "1.000 us", "12.30 us", "1.000 ns", "0.5000 ns", "90.00 s"],
  ]);
  expect([timeWords(1.25e-3, 2), timeWords(0), timeWords(-1), timeWords(Number.NaN), timeWords(undefined)]).toEqual([
    "1.3 ms",
    ..."––––",
  ]);
});

it("a span has its unit from a first number on, and the smaller one below it", () => {
  const spans: readonly (readonly [number, string])[] = [
    [0, "0 ms"],
    [999, "999 ms"],
    [1_000, "1 s"],
    [99_400, "99 s"],
    [100_000, "2 min"],
    [5_999_000, "100 min"],
    [6_000_000, "1.7 h"],
    [172_799_000, "48.0 h"],
    [172_800_000, "2.0 d"],
    [864_000_000, "10.0 d"],
  ];
  expect(spans.map(([ms]) => spanWords(ms))).toEqual(spans.map(([, words]) => words));
});

it("counts, configs and words of a shell", () => {
  expect([0, 1, 2, 2_000, 1_234_567].map((n) => countWords(n, "worker"))).toEqual([
    ...["0 workers", "1 worker", "2 workers", "2,000 workers", "1,234,567 workers"],
  ]);
  expect(configWords({ tile: [1, 4], unroll: 2, order: "xy" })).toBe('tile [1,4], unroll 2, order "xy"');
  expect(["", "a", "a b", "it's", "$HOME", "./x-1.jsonl", "key=cuda/sm_80+,memory", "*"].map(shellWord)).toEqual([
    ...["''", "a", "'a b'", "'it'\\''s'", "'$HOME'", "./x-1.jsonl", "key=cuda/sm_80+,memory", "'*'"],
  ]);
});

it("words that are not ours have no signs that a terminal obeys", () => {
  expect(printable("a\u001b[2J\n\u0007\u009b1A \u202eb\u2066 \u00e9\u{1f600}")).toBe("a?[2J???1A ?b? \u00e9\u{1f600}");
});
