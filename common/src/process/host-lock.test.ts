import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { until } from "../../../test-support/until.ts";

const locker = fileURLToPath(new URL("../../../test-support/fixtures/locker.mjs", import.meta.url));
let directory: string;
let log: string[];
let children: ChildProcess[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "warpfarm-lock-"));
  log = [];
  children = [];
});
afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(directory, { recursive: true });
});

/** Starts a process that asks for the lock; what it says goes to the log as "name: asking" and so on. */
function start(name: string, mode: "shared" | "exclusive") {
  const child = spawn(process.execPath, [locker, directory, mode], { stdio: ["pipe", "pipe", "inherit"] });
  children.push(child);
  child.stdout.on("data", (text: Buffer) => {
    for (const line of text.toString().trim().split("\n")) log.push(`${name}: ${line}`);
  });
  return { release: () => child.stdin.write("\n"), kill: () => child.kill("SIGKILL") };
}
const seen = (line: string) => until(() => log.includes(line), line);
/** Resolves when a process waits for the lock. Later processes queue behind it. */
const someoneWaits = () => {
  const gate = join(directory, "warpfarm-timing.gate");
  return until(() => spawnSync("flock", ["-n", gate, "true"]).status === 1, "the gate to be shut");
};
/** Waits long enough that a process that can continue does so. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 300));

test("compiles share the lock; a timing waits for all of them", async () => {
  const a = start("a", "shared");
  const b = start("b", "shared");
  await seen("a: held");
  await seen("b: held");
  const timing = start("timing", "exclusive");
  await seen("timing: asking");
  a.release();
  await settle();
  expect(log).not.toContain("timing: held");
  b.release();
  await seen("timing: held");
  timing.release();
  await seen("timing: released");
});

test("a compile that comes while a timing waits queues behind it, and then gets its turn before the next timing", async () => {
  const a = start("a", "shared");
  await seen("a: held");
  const timing = start("timing", "exclusive");
  await someoneWaits();
  start("b", "shared");
  await seen("b: asking");
  await settle();
  expect(log).not.toContain("b: held");
  a.release();
  await seen("timing: held");
  expect(log).not.toContain("b: held");
  await settle();
  timing.release();
  await seen("b: held");
});

test("the kernel gives back the lock of a holder that was killed", async () => {
  const timing = start("timing", "exclusive");
  await seen("timing: held");
  const compile = start("compile", "shared");
  await seen("compile: asking");
  await settle();
  expect(log).not.toContain("compile: held");
  timing.kill();
  await seen("compile: held");
  compile.release();
});
