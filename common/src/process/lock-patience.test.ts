import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { until } from "../../../test-support/until.ts";
import { timingLock } from "./host-lock.ts";
import { LockPatience } from "./lock-patience.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "warpfarm-patience-"));
});
afterEach(() => rmSync(directory, { recursive: true }));
const patient = (patienceMs: number) => new LockPatience({ directory, patienceMs, onChange: () => {} });

test("who waits longer than its patience says so, until it has the lock", async () => {
  const patience = patient(10);
  const waiting = patience.waiting();
  await until(() => patience.trouble !== "", "trouble");
  expect(patience.trouble).toContain(`${timingLock(directory)} has not been free for 0.01 s`);
  waiting[Symbol.dispose]();
  expect(patience.trouble).toBe("");
});

test("a holder that was given more time than the patience of others is no trouble before its time is over", async () => {
  const [impatient, holder] = [patient(10), patient(10)];
  const holding = holder.holding(3_600_000);
  using _waiting = impatient.waiting();
  {
    // By now this one has looked, because another one with ten times the patience, at a lock without a note, reports trouble.
    using elsewhere = new Elsewhere();
    await until(() => elsewhere.patience.trouble !== "", "trouble elsewhere");
  }
  expect(impatient.trouble).toBe("");
  holding[Symbol.dispose]();
  expect(readdirSync(directory)).toEqual([]);
});

test("a holder beyond its time is trouble, and so is one whose note says nothing", async () => {
  const impatient = patient(10);
  using _holding = patient(1).holding(50);
  writeFileSync(`${timingLock(directory)}.until-1-1`, "soon");
  using _waiting = impatient.waiting();
  await until(() => impatient.trouble !== "", "trouble");
});

test("a hold that is within everybody's patience leaves no note", () => {
  using _holding = patient(1_000).holding(1_000);
  expect(readdirSync(directory)).toEqual([]);
});

/** Another waiter with the same patience, at a lock that is held for ever. */
class Elsewhere implements Disposable {
  readonly #directory = mkdtempSync(join(tmpdir(), "warpfarm-patience-"));
  readonly patience = new LockPatience({ directory: this.#directory, patienceMs: 100, onChange: () => {} });
  readonly #waiting = this.patience.waiting();
  [Symbol.dispose](): void {
    this.#waiting[Symbol.dispose]();
    rmSync(this.#directory, { recursive: true });
  }
}
