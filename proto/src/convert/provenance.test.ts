/** What is accepted of a session's provenance can be written by everything that comes after (common/src/recordable.ts). */
import { canonicalJson } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import type { Provenance__Output } from "../gen/warpfarm/farm/v1/Provenance.ts";
import { provenanceFromWire } from "./provenance.ts";

const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
const read = (fields: Partial<Provenance__Output>) =>
  provenanceFromWire("provenance", {
    ...{ task: "", args: "", template: "", template_version: "", space: "", tuner: "", seed: 0, trials: 0 },
    ...fields,
  });

describe("args of a session", () => {
  it.each([
    ["a lone surrogate", String.raw`["\ud800"]`],
    ["a lone surrogate", String.raw`[{"a\udfff":1}]`],
    ["a NUL character", String.raw`["a\u0000b"]`],
    ["a NUL character", String.raw`[{"\u0000":1}]`],
    ["the number Infinity", "[1e999]"],
    ["the number -Infinity", "[[-1e999]]"],
    ["the number -0", "[-0]"],
    ["the number -0", '[{"a":-0.0}]'],
    ['a key "__proto__"', '[{"__proto__":[]}]'],
    ["nested deeper than 64", deep(65)],
    ["nested deeper than 64", `[${'{"a":'.repeat(64)}1${"}".repeat(64)}]`],
    ["nested deeper than 64", deep(8_000)],
  ])("with %s are refused", (why, args) => {
    expect(() => read({ args })).toThrow(
      `provenance.args is JSON with ${why}; allowed: whole characters, finite numbers, at most 64 levels`,
    );
  });

  it.each([
    deep(64),
    `[${'{"a":'.repeat(63)}1${"}".repeat(63)}]`,
    String.raw`["\ud83d\ude9c", 1e308, 0, "__proto__", {"proto":1}]`,
  ])("are taken, and have a canonical form (%#)", (args) => {
    expect(read({ args })).toEqual({ args: JSON.parse(args) });
    expect(() => canonicalJson(read({ args }).args)).not.toThrow();
  });
});

it.each([
  ["task", 400],
  ["template", 400],
  ["template_version", 8192],
  ["tuner", 8192],
] as const)("a %s has at most %i characters of two bytes, without NUL", (name, most) => {
  expect(() => read({ [name]: "ü".repeat(most + 1) })).toThrow(/at most (400|16384 bytes)/);
  expect(() => read({ [name]: "a\0b" })).toThrow(`provenance.${name} is text with a NUL character`);
  expect(() => read({ [name]: "\ud800" })).toThrow(`provenance.${name} is text with a lone surrogate`);
  expect(Object.values(read({ [name]: "ü".repeat(most) }))).toContain("ü".repeat(most));
});
