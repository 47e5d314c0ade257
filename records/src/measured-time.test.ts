/** The table of units once more, from the words that files have. */
import { expect, test } from "vitest";
import { unitMs } from "./measured-time.ts";

test.each([
  [1e-6, ["n", "ns", "nsec", "nsecs", "nano", "nanos", "nanosecond", "Nanoseconds", "NS"]],
  [1e-3, ["u", "us", "usec", "\u00b5s", "\u03bcs", "micro", "microsecond", "Microseconds"]],
  [1, ["ms", "MS", "msec", "millisecond", "Milliseconds", "Miliseconds"]],
  [1_000, ["s", "S", "sec", "secs", "second", "Seconds"]],
  [60_000, ["min", "mins", "minute", "Minutes"]],
])("%d ms", (ms, words) => {
  for (const word of [...words, ` ${words[0]} `]) expect([word, unitMs(word)]).toEqual([word, ms]);
});

test("a unit that is not named is the usual one, and one that is unknown its own name", () => {
  for (const none of [undefined, null, ""]) expect([unitMs(none), unitMs(none, 1e-3)]).toEqual([1, 1e-3]);
  expect(["m", "M", "hours", "GB/s"].map((unit) => unitMs(unit, 1e-3))).toEqual(["m", "M", "hours", "GB/s"]);
});
