import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { lockDataDirectory } from "./data-lock.ts";

const base = mkdtempSync(join(tmpdir(), "warpfarm-lock-"));
afterAll(() => rmSync(base, { recursive: true }));
let n = 0;
const directory = () => join(base, `data-${++n}`);
const holder = (path: string) => JSON.parse(readFileSync(path, "utf8"));

describe("the data directory's lock", () => {
  it("is held by one, released, and taken again", async () => {
    const data = directory();
    const lock = await lockDataDirectory(data);
    expect(lock.path).toBe(`${data}.lock`);
    expect(holder(lock.path).pid).toBe(process.pid);
    await expect(lockDataDirectory(`${data}/`)).rejects.toMatchObject({
      code: "FAILED_PRECONDITION",
      message: expect.stringContaining(`in use by process ${process.pid}`),
    });
    await lock[Symbol.asyncDispose]();
    await lock[Symbol.asyncDispose]();
    expect(existsSync(lock.path)).toBe(false);
    await (await lockDataDirectory(data))[Symbol.asyncDispose]();
  });

  it("is never taken from a live process, and taken over from one that was killed", async () => {
    const data = directory();
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
    const started = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(" ")[21];
    writeFileSync(`${data}.lock`, JSON.stringify({ pid: child.pid, started }));
    await expect(lockDataDirectory(data)).rejects.toThrow(`in use by process ${child.pid}`);
    child.kill("SIGKILL");
    await once(child, "exit");
    const lock = await lockDataDirectory(data);
    expect(holder(lock.path).pid).toBe(process.pid);
    await lock[Symbol.asyncDispose]();
  });

  it.each([
    ["a pid that lives but started at another time", JSON.stringify({ pid: process.pid, started: "1" })],
    ["a file that is no lock", "half a li"],
  ])("%s is stale", async (_name, text) => {
    const data = directory();
    writeFileSync(`${data}.lock`, text);
    const lock = await lockDataDirectory(data);
    expect(holder(lock.path).started).not.toBe("1");
    await lock[Symbol.asyncDispose]();
  });

  it("of a directory that cannot be, says so by the directory's name", async () => {
    const file = join(base, "file");
    writeFileSync(file, "");
    await expect(lockDataDirectory(join(file, "farm/data"))).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: `the data directory ${file}/farm/data cannot be used: a part of its path is a file, not a folder`,
    });
  });

  it.each([1, 2])("of many who find a stale lock one gets it, and nothing is left behind: %i dead", async (dead) => {
    const data = directory();
    const gone = JSON.stringify({ pid: 2 ** 22 + 1, started: "1" });
    for (let round = 0; round < 40; round++) {
      writeFileSync(`${data}.lock`, gone);
      // The second died as it was about to remove what the first had left.
      if (dead === 2) writeFileSync(`${data}.lock.breaking`, gone);
      const tries = await Promise.allSettled(Array.from({ length: dead === 2 ? 2 : 20 }, () => lockDataDirectory(data)));
      const won = tries.filter((t) => t.status === "fulfilled");
      expect(won).toHaveLength(1);
      for (const t of won) await t.value[Symbol.asyncDispose]();
      expect(readdirSync(base).filter((name) => name.startsWith(`data-${n}`))).toEqual([]);
    }
  });
});
