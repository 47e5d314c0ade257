import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson, jsonDepth, reviveJson } from "./canonical.ts";

describe("canonicalJson", () => {
  // The example of RFC 8785 §3.2.2 and its published canonical form.
  it("reproduces the example of RFC 8785", () => {
    const value = JSON.parse(
      String.raw`{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`,
    );
    expect(canonicalJson(value)).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });
  // RFC 8785 §3.2.3: order by UTF-16 code units.
  it("sorts keys by UTF-16 code units", () => {
    const keys = ["\u20ac", "\r", "\ufb33", "1", "\ud83d\ude00", "\u0080", "\u00f6"];
    const text = canonicalJson(Object.fromEntries(keys.map((k) => [k, 0])));
    expect(Object.keys(JSON.parse(text))).toEqual(["1", "\r", "\u0080", "\u00f6", "\u20ac", "\ud83d\ude00", "\ufb33"]);
  });
  it("keeps every JSON value and does not depend on key order", () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        fc.pre(
          !JSON.stringify(value).includes("\\ud") &&
            !JSON.stringify(value, (_, v) => (Object.is(v, -0) ? "NEG0" : v)).includes("NEG0"),
        );
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
    );
  });
  it("writes the same whether keys come in order or not", () => {
    const reversed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reversed);
      if (typeof value !== "object" || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([key, item]) => [key, reversed(item)]),
      );
    };
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        fc.pre(!JSON.stringify(value, (_, v) => (Object.is(v, -0) ? "NEG0" : v)).includes("NEG0"));
        const text = canonicalJson(value);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
        expect(canonicalJson(reversed(value))).toBe(text);
      }),
    );
  });
  it.each([undefined, Number.NaN, Number.POSITIVE_INFINITY, -0, "\ud800", () => 1, 1n])("refuses %s", (value) => {
    expect(() => canonicalJson({ a: [value] })).toThrow(TypeError);
  });
  it("refuses a name with half of a character", () => {
    expect(() => canonicalJson({ "\ud800": 1 })).toThrow(TypeError);
  });
});

describe("reviveJson", () => {
  it("takes what canonical JSON carries, and -0 as 0", () => {
    const text = '{"a":[1,-0,{"b":"\\ud83d\\ude00"}],"c":-0.0}';
    expect(canonicalJson(JSON.parse(text, reviveJson))).toBe('{"a":[1,0,{"b":"\u{1f600}"}],"c":0}');
  });
  it.each([
    ['{"n":1e400}', '"n": its number is not a finite one (they end at 1.8e308)'],
    ["-1e400", "its number is not a finite one (they end at 1.8e308)"],
    ['{"a":["\\ud800"]}', '"0": its text has half of a character'],
    ['{"a":{"\\ud800":1}}', String.raw`"\ud800": its name has half of a character`],
  ])("refuses %s by its name", (text, why) => {
    expect(() => JSON.parse(text, reviveJson)).toThrow(new SyntaxError(why));
  });
});

describe("jsonDepth", () => {
  it.each([
    [1, 0],
    [[], 1],
    [{ a: [1, { b: 2 }] }, 3],
  ])("of %j is %i", (value, depth) => expect(jsonDepth(value)).toBe(depth));
});
