/** What is accepted of a session's provenance can be written by everything that comes after (common/src/recordable.ts). */
import { canonicalJson, type Json } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import type * as Wire from "../gen/wire.ts";
import { provenanceFromWire, provenanceToWire } from "./provenance.ts";

const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
const read = (fields: Partial<Wire.Provenance>) => provenanceFromWire("provenance", { search: "", space: "", ...fields });
/** Two levels of a search are above its arguments. */
const withArgs = (args: string) => `{"version":1,"task":{"template":"t"},"args":${args}}`;

describe("args of a search", () => {
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
    ["nested deeper than 64", deep(64)],
    ["nested deeper than 64", `[${'{"a":'.repeat(64)}1${"}".repeat(64)}]`],
    ["nested deeper than 64", deep(8_000)],
  ])("with %s are refused", (why, args) => {
    expect(() => read({ search: withArgs(args) })).toThrow(
      `provenance.search is JSON with ${why}; allowed: whole characters, finite numbers, at most 64 levels`,
    );
  });

  it.each([
    deep(63),
    `[${'{"a":'.repeat(62)}1${"}".repeat(62)}]`,
    String.raw`["\ud83d\ude9c", 1e308, 0, "__proto__", {"proto":1}]`,
  ])("are taken, and have a canonical form (%#)", (args) => {
    const { search } = read({ search: withArgs(args) });
    expect(search?.args).toEqual(JSON.parse(args));
    expect(() => canonicalJson(search?.args as Json)).not.toThrow();
  });
});

describe("the search of a session", () => {
  const search = {
    ...{ version: 1 as const, task: { file: "mine.ts", digest: `sha256:${"a".repeat(64)}`, name: "mine" }, args: [4, "NN"] },
    ...{ target: "cpu/x86-64-v3", tuner: "auto", seed: -3, budget: { trials: 9, wall_time: "2h" } },
  } as const;
  const text = (more: object = {}) => JSON.stringify({ ...search, ...more });

  it("says all that is told of it, and travels as one value", () => {
    const { args, ...rest } = search;
    const told = {
      search: { ...rest, args: [...args] },
      space: `sha256:${"b".repeat(64)}`,
      defaultSeconds: 2,
      librarySeconds: 0.5,
    };
    const wire = provenanceToWire(told);
    expect(Object.keys(wire).sort()).toEqual(["default_seconds", "library_seconds", "search", "space"]);
    expect(read({ ...(wire as Partial<Wire.Provenance>) })).toEqual(told);
    expect(read({})).toEqual({});
    expect(() => read({ space: "sha256:1" })).toThrow("provenance.space");
    expect(() => read({ default_seconds: 0 })).toThrow("provenance.default_seconds");
  });

  it.each([
    [
      "an unknown field",
      text({ address: "10.0.0.1:9290" }),
      /provenance\.search: the search: address is no field of it; fields are version, task/,
    ],
    ["an unknown field within", text({ budget: { cost: 3 } }), /budget: cost is no field of it; fields are trials, /],
    ["another version", text({ version: 2 }), /version: it is 2; it takes 1/],
    [
      "a path",
      text({ task: { ...search.task, file: "/home/me/mine.ts" } }),
      /task\.file: takes a file's name without its folder/,
    ],
    ["a path upwards", text({ task: { ...search.task, file: ".." } }), /task\.file: takes a file's name without its folder/],
    ["a file without its digest", text({ task: { file: "mine.ts" } }), /task: \{template\}, \{operator\}/],
    ["a time without a unit", text({ budget: { wall_time: "30" } }), /budget\.wall_time: it is "30", without a unit/],
    ["a value out of range", text({ finalists: { count: 9 } }), /finalists/],
    ["a NUL", text({ args: ["\0"] }), /is JSON with a NUL character/],
    ["no JSON", "{", /provenance\.search/],
    ["nothing but a list", "[]", /provenance\.search/],
  ])("with %s is refused", (_what, said, words) => {
    expect(() => read({ search: said })).toThrow(words);
  });

  it("has at most 16 KiB, to the byte", () => {
    const room = 16 * 1024 - text({ args: [""] }).length;
    expect(read({ search: text({ args: ["x".repeat(room)] }) }).search?.args).toEqual(["x".repeat(room)]);
    expect(() => read({ search: text({ args: ["x".repeat(room + 1)] }) })).toThrow(/provenance\.search .*16384/);
  });
});
