import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ManualClock } from "@warpfarm/common";
import { afterAll, expect, it } from "vitest";
import { claimDevice, lockDevice } from "./device-lock.ts";

const folder = mkdtempSync(join(tmpdir(), "warpfarm-lock-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const uuid = "GPU-00112233-4455-6677-8899-aabbccddeeff";

it("one holder a GPU: the second is told, and takes it when the first lets go", () => {
  const first = lockDevice(uuid, folder);
  if (!first.ok) throw new Error(first.error.message);
  expect(lockDevice(uuid, folder)).toMatchObject({
    ok: false,
    error: { message: expect.stringContaining(`another runner, process ${process.pid}, on this host holds`) },
  });
  const other = lockDevice("GPU-another", folder);
  expect(other.ok).toBe(true);
  first.value[Symbol.dispose]();
  first.value[Symbol.dispose]();
  const again = lockDevice(uuid, folder);
  expect(again.ok).toBe(true);
  for (const lock of [again, other]) if (lock.ok) lock.value[Symbol.dispose]();
});

it("is given back when its holder is killed, and children of the holder do not keep it", async () => {
  const script = `
    const { openSync } = require("node:fs");
    const koffi = require("koffi");
    const flock = koffi.load(null).func("int flock(int fd, int operation)");
    const fd = openSync(${JSON.stringify(join(folder, `warpfarm-${uuid}.lock`))}, "a+");
    const child = require("node:child_process").spawn("sleep", ["600"], { stdio: "ignore" });
    console.log(flock(fd, 2 | 4), child.pid);
    setInterval(() => {}, 1000);
  `;
  const holder = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  const [answer = "", pid = ""] = await new Promise<string[]>((resolve) =>
    holder.stdout.once("data", (text) => resolve(String(text).trim().split(" "))),
  );
  try {
    expect(answer).toBe("0");
    expect(lockDevice(uuid, folder).ok).toBe(false);
    const ended = new Promise((resolve) => holder.once("exit", resolve));
    holder.kill("SIGKILL");
    await ended;
    const after = lockDevice(uuid, folder);
    expect(after.ok).toBe(true);
    if (after.ok) after.value[Symbol.dispose]();
  } finally {
    process.kill(Number(pid), "SIGKILL");
  }
});

it("who waits is told why once, has it when it is free, and waits no longer than it is asked to", async () => {
  const clock = new ManualClock();
  const told: string[] = [];
  const stop = new AbortController();
  const claim = (signal: AbortSignal, wait = true) =>
    claimDevice({ device: "gpu:0", uuid, directory: folder, wait, signal, clock, onWait: (why) => told.push(why) });
  const first = await claim(stop.signal);
  await expect(claim(stop.signal, false)).rejects.toThrow("end that one, or let warpfarm runner --wait wait for its end");
  const [second, third] = [claim(new AbortController().signal), claim(stop.signal)];
  for (let i = 0; i < 3; i++) {
    await new Promise(setImmediate);
    clock.advance(500);
  }
  expect(told).toEqual([expect.stringContaining("gpu:0 of this machine has a runner already"), told[0]]);
  stop.abort(new Error("given up"));
  await expect(third).rejects.toThrow("given up");
  first[Symbol.dispose]();
  clock.advance(500);
  using _held = await second;
  expect(lockDevice(uuid, folder).ok).toBe(false);
});
