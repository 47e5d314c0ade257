/** Tunables in comments: each line is taken whole, or refused by its number. */
import { expect, it } from "vitest";
import { rangesOf } from "./ranges.ts";

it.each([
  ["// %RANGE% A x 1:4:1", { A: [1, 2, 3, 4] }],
  ["  //%RANGE% A x -4:4:4\r\n// %RANGE% B y 7:7:1", { A: [-4, 0, 4], B: [7] }],
  ["// %RANGE% A x 1:6:2", { A: [1, 3, 5] }],
  ["int x; // no range", {}],
])("%j", (text, expected) => expect(rangesOf(text, "k.cu")).toEqual({ ok: true, value: expected }));

it("the longest list is whole", () => {
  const read = rangesOf("// %RANGE% A x 1:10000:1", "k.cu");
  expect(read.ok && read.value.A).toHaveLength(10_000);
});

it.each([
  ["\n// %RANGE% A x 1:10001:1", /^k\.cu:2: .*the range has 10001 values; at most 10000/],
  ["// %RANGE% A x 1:4:0", /^k\.cu:1: .*the range has no value/],
  ["// %RANGE% A x 4:1:1", /^k\.cu:1: .*the range has no value/],
  ["// %RANGE% A x 4:1:-1", /^k\.cu:1: .*write \/\/ %RANGE% NAME label from:to:step/],
  ["// %RANGE% A 1:4:1", /^k\.cu:1: .*write \/\/ %RANGE%/],
  ["// %RANGE% A x 1:4", /^k\.cu:1: .*write/],
  ["// %RANGE% A x 1:4:1:2", /^k\.cu:1: .*write/],
  ["// %RANGE% A x 1:4:1 and more", /^k\.cu:1: .*write/],
  ["// %RANGE% A x 0.5:4:1", /^k\.cu:1: .*write/],
  ["/* %RANGE% A x 1:4:1 */", /^k\.cu:1: .*write/],
  ["int y; // %RANGE% A x 1:4:1", /^k\.cu:1: .*write/],
  ["// %RANGE% A x 1:4:1\n\n// %RANGE% A x 1:8:1", /^k\.cu:3: .*A has a %RANGE% before/],
  ["// %RANGE% A x 1:99999999999999999999:1", /^k\.cu:1: .*at most 10000/],
])("%j is refused", (text, message) => {
  const read = rangesOf(text, "k.cu");
  expect(read.ok ? "" : read.error).toMatch(message);
});
