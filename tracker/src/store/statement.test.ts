/** Statements by names: their text and parameters. store.test.ts has engines run one. */
import { describe, expect, it } from "vitest";
import { rowsOf, statement, value } from "./statement.ts";

const twice = statement(
  { limit: value("integer"), r: rowsOf({ name: "text", size: "bigint", bytes: "bytea" }, "at"), over: value() },
  ({ limit, r, over }) =>
    `select r.* from ${r.rows} where r.name = any(${r.name}) and r.size > ${over} and r.size < 2 * ${over} limit ${limit}`,
);

describe("a statement", () => {
  it("numbers its parameters in the order of its parts, whatever the order and number of their uses", () => {
    expect(twice.text).toBe(
      "select r.* from unnest($2::text[], $3::bigint[], $4::bytea[]) with ordinality as r(name, size, bytes, at)" +
        " where r.name = any($2::text[]) and r.size > $5 and r.size < 2 * $5 limit $1::integer",
    );
    const [one, two] = [Uint8Array.of(1), Uint8Array.of(2)];
    expect(twice.params({ over: 4, limit: 9, r: { bytes: [one, two], size: [5, 6], name: ["a", "b"] } })).toEqual([
      9,
      ["a", "b"],
      [5, 6],
      [one, two],
      4,
    ]);
  });
  it("refuses columns of different lengths, which unnest would fill up with nulls", () => {
    const none = { name: [], size: [], bytes: [] };
    expect(twice.params({ limit: 1, over: 1, r: none })).toHaveLength(5);
    expect(() => twice.params({ limit: 1, over: 1, r: { ...none, size: [1] } })).toThrow(/columns of r have 0 and 1 rows/);
  });
  it("refuses what was not given", () => {
    const given = { limit: 1, r: { name: ["a"], size: [1] } } as unknown as Parameters<typeof twice.params>[0];
    expect(() => twice.params(given)).toThrow(/given no r\.bytes/);
  });
  it("does not compile with a column or a value too many or of another name", () => {
    const r = { name: ["a"], size: [1], bytes: [null] };
    // @ts-expect-error: there is no part `over`.
    expect(() => twice.params({ limit: 1, r })).toThrow(/no over/);
    // @ts-expect-error: there is no column `length`.
    expect(twice.params({ limit: 1, over: 1, r: { ...r, length: [1] } })).toHaveLength(5);
    // @ts-expect-error: a single value is no column.
    expect(() => twice.params({ limit: 1, over: 1, r: 3 })).toThrow();
  });
});
