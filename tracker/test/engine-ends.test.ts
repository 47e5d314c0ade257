/** A store whose files are damaged says so in words of its user: when it opens, and when its engine ends while it is open. */
import { mkdtempSync, readdirSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@warpfarm/common";
import { engineWords, openLocalRecords } from "@warpfarm/records";
import { afterAll, expect, it } from "vitest";
import { storeGone } from "../src/store/engine-thread.ts";
import { openPglite } from "../src/store/pglite.ts";

const base = mkdtempSync(join(tmpdir(), "warpfarm-damaged-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const words = "its engine ended itself, as it does when one of its files is damaged, missing, or cannot be written";
const damages: readonly (readonly [string, (store: string) => void])[] = [
  ["a cut control file", (store) => truncateSync(join(store, "global/pg_control"), 10)],
  ["a file that is gone", (store) => rmSync(join(store, "global/pg_filenode.map"))],
  [
    "a cut log",
    (store) => {
      for (const file of readdirSync(join(store, "pg_wal"))) if (/^0/.test(file)) truncateSync(join(store, "pg_wal", file), 100);
    },
  ],
];
const saidBy = (opening: Promise<unknown>) =>
  opening.then(
    () => "it opened",
    (error: Error) => error.message,
  );

it.each(damages)("%s in a tracker's store", async (name, damage) => {
  const store = join(base, `tracker ${name}`);
  await (await openPglite(store))[Symbol.asyncDispose]();
  damage(store);
  const said = await saidBy(openPglite(store));
  expect(said).toContain(`the store in ${store} does not open: ${words}; `);
  expect(said).toMatch(/MiB are free on its disk$/);
});

it("a damaged file of a machine's records", async () => {
  const directory = join(base, "records");
  await (await openLocalRecords(directory, { clock: systemClock }))[Symbol.asyncDispose]();
  damages[0]?.[1](join(directory, "db"));
  expect(await saidBy(openLocalRecords(directory, { clock: systemClock }))).toBe(
    `the records in ${directory} do not open: ${words}`,
  );
});

it("an engine that ended while it was open, by an abort of its runtime; a thread that ended is told as it is", () => {
  const told = (message: string) => storeGone(new Error(message)).message;
  const rest = "; it holds what was acknowledged, and the next start reads it";
  for (const message of ["Aborted(). Build with -sASSERTIONS for more info.", "unreachable", "memory access out of bounds"])
    expect(told(message)).toBe(`the store stopped: ${words}${rest}`);
  expect(told("its thread ended with 1")).toBe(`the store stopped: its thread ended with 1${rest}`);
  expect(engineWords(new Error("could not write: No space left on device"))).toBe("could not write: No space left on device");
});
