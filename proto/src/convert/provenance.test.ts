/** What is accepted of a session's provenance can be written by everything that comes after (common/src/recordable.ts). */
import { canonicalJson } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import type { Provenance__Output } from "../gen/warpfarm/farm/v1/Provenance.ts";
import { provenanceFromWire, provenanceToWire } from "./provenance.ts";

const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
const read = (fields: Partial<Provenance__Output>) =>
  provenanceFromWire("provenance", {
    ...{ search: "", task: "", args: "", template: "", template_version: "", space: "", tuner: "", seed: 0, trials: 0 },
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
    expect(read({ ...(wire as Partial<Provenance__Output>) })).toEqual({
      ...told,
      ...{
        task: "mine",
        template: "mine",
        templateVersion: search.task.digest,
        args: [4, "NN"],
        tuner: "auto",
        seed: -3,
        trials: 9,
      },
    });
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

  it("has at most 16 KiB, to the byte, and nothing beside it says the same", () => {
    const room = 16 * 1024 - text({ args: [""] }).length;
    expect(read({ search: text({ args: ["x".repeat(room)] }) }).args).toEqual(["x".repeat(room)]);
    expect(() => read({ search: text({ args: ["x".repeat(room + 1)] }) })).toThrow("16385 bytes");
    for (const key of ["task", "template", "template_version", "args", "tuner"] as const)
      expect(() => read({ search: text(), [key]: "[]" })).toThrow(`provenance.${key} is`);
  });
});
