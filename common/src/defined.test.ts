import { expect, it } from "vitest";
import { defined } from "./defined.ts";

it("drops fields that are undefined and keeps all others, in their order", () => {
  const fields = { z: 0, missing: undefined, a: "", none: null, off: false, nan: Number.NaN };
  expect(defined(fields)).toStrictEqual({ z: 0, a: "", none: null, off: false, nan: Number.NaN });
  expect(Object.keys(defined(fields))).toEqual(["z", "a", "none", "off", "nan"]);
});

it("gives what takes optional fields but no undefined", () => {
  const told = (options: { readonly sure: number; readonly perhaps?: string }): string => JSON.stringify(options);
  const perhaps = [undefined, "yes"];
  expect(perhaps.map((one) => told(defined({ sure: 1, perhaps: one })))).toEqual(['{"sure":1}', '{"sure":1,"perhaps":"yes"}']);
  // @ts-expect-error: the field itself would be undefined
  const wrong = told({ sure: 1, perhaps: perhaps[0] });
  expect(wrong).toBe('{"sure":1}');
});

it("leaves what it was given as it is", () => {
  const fields = Object.freeze({ a: undefined, b: 1 });
  expect(defined(fields)).not.toBe(fields);
  expect(Object.keys(fields)).toEqual(["a", "b"]);
});
