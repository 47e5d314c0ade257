/** How often a row of a background queue is tried, and whose fault a failure is. */
import { FarmError } from "@warpfarm/common";
import { pino } from "pino";
import { expect, it } from "vitest";
import { type Background, SetAside } from "./set-aside.ts";

function opened() {
  const lines: { readonly row: string; readonly queue: string }[] = [];
  const counted: Background[] = [];
  const log = pino({ level: "error" }, { write: (line: string) => lines.push(JSON.parse(line)) });
  return { aside: new SetAside({ log, onSetAside: (queue) => counted.push(queue) }), lines, counted };
}
const named = (row: string) => row;
const bad = (code?: string) => Object.assign(new Error("no"), code === undefined ? {} : { code });

it("a batch is one piece of work while nothing fails; then each row is one, and one that failed three times is tried no more", async () => {
  const { aside, lines, counted } = opened();
  const tries: string[] = [];
  const work = (rows: readonly string[]) => {
    tries.push(rows.join(""));
    return rows.includes("b") ? Promise.reject(bad()) : Promise.resolve(rows.length);
  };
  expect(await aside.work("sessions", ["a", "c"], named, work)).toEqual([2]);
  for (const done of [1, 2, 3]) {
    expect(await aside.work("sessions", ["a", "b", "c"], named, work)).toEqual([1, 1]);
    expect(lines).toHaveLength(done === 3 ? 1 : 0);
  }
  expect(tries).toEqual(["ac", ...Array(3).fill(["abc", "a", "b", "c"]).flat()]);
  expect(await aside.work("sessions", ["a", "b", "c"], named, work)).toEqual([2]);
  expect(await aside.work("sessions", ["b"], named, work)).toEqual([]);
  expect(lines).toMatchObject([{ queue: "sessions", row: "b" }]);
  expect(counted).toEqual(["sessions"]);
  // A row of another queue is another row.
  await aside.work("leases", ["b"], named, work);
  expect(tries.at(-1)).toBe("b");
});

it("a row that was done is a new one when it comes again: failures before that do not count", async () => {
  const { aside, counted } = opened();
  const failing = () => Promise.reject(bad());
  const doing = () => Promise.resolve("done");
  // Alone, in a batch that succeeds, and in one that fails by another.
  const ways = [
    () => aside.work("workers", ["w"], named, doing),
    () => aside.alone("workers", ["w"], bad(), { nameOf: named, work: doing }),
    () => aside.work("workers", ["w", "other"], named, (rows) => (rows.length > 1 ? failing() : doing())),
  ];
  for (const way of ways) {
    for (let i = 0; i < 2; i++) expect(await aside.work("workers", ["w"], named, failing)).toEqual([]);
    expect((await way()).length).toBeGreaterThan(0);
  }
  expect(counted).toEqual([]);
  for (let i = 0; i < 3; i++) await aside.work("workers", ["w"], named, failing);
  expect(counted).toEqual(["workers"]);
});

it("a row that failed is taken out of its queue the third time, and again if that failed", async () => {
  const { aside, lines } = opened();
  const out: string[] = [];
  let refuses = 1;
  const o = {
    nameOf: named,
    work: (row: string) => (row === "b" ? Promise.reject(new Error("why")) : Promise.resolve(row)),
    aside: async (row: string, why: string) => {
      if (refuses-- > 0) throw new FarmError("UNAVAILABLE", "away");
      out.push(`${row}: ${why}`);
    },
  };
  for (let i = 0; i < 2; i++) expect(await aside.alone("records", ["a", "b"], bad(), o)).toEqual(["a"]);
  await expect(aside.alone("records", ["a", "b"], bad(), o)).rejects.toThrow("away");
  expect(out).toEqual([]);
  expect(await aside.alone("records", ["a", "b"], bad(), o)).toEqual(["a"]);
  expect(out).toEqual(["b: why"]);
  expect(lines).toHaveLength(1);
});

it.each([
  ["a store that is away", new FarmError("UNAVAILABLE", "the store cannot be reached"), false],
  ["a full disk of the inbox", bad("ENOSPC"), false],
  ["memory of the server", bad("53200"), false],
  ["an internal error of the server", bad("XX000"), false],
  ["a connection", bad("08006"), false],
  ["two that wait for each other", bad("40P01"), false],
  ["text that is no json", bad("22P02"), true],
  ["too deep", bad("54001"), true],
  ["an entry too long for an index", bad("54000"), true],
  ["a constraint", bad("23514"), true],
  ["a refusal of ours", new FarmError("INVALID_ARGUMENT", "args"), true],
  ["no canonical form", new TypeError("canonical JSON cannot carry a lone surrogate"), true],
  ["a stack", new RangeError("Maximum call stack size exceeded"), true],
])("%s", async (_what, error, isRows) => {
  const { aside } = opened();
  const call = aside.work("leases", ["a"], named, () => Promise.reject(error));
  await (isRows ? expect(call).resolves.toEqual([]) : expect(call).rejects.toBe(error));
});
