import { describe, expect, test } from "vitest";
import { isAlive } from "../../test-support/processes.ts";
import { endedHow, ManagedProcess, type ProcessSpec } from "./managed-process.ts";
import { parseReadyLine, type ReadyLine } from "./ready-line.ts";

const ready = JSON.stringify("tracker ready grpc=127.0.0.1:1 http=none\n");
const forever = "setInterval(() => {}, 1000);";
const signal = new AbortController().signal;

const spec = (script: string, readyMs = 10_000): ProcessSpec<ReadyLine> => ({
  name: "toy",
  command: process.execPath,
  args: ["-e", script],
  env: process.env,
  readyMs,
  parseReady: parseReadyLine("tracker"),
});

describe("a managed process", () => {
  test("is ready when it says so, among other lines, and ends when disposed, twice is once", async () => {
    const toy = await ManagedProcess.start(spec(`console.log("hello"); process.stdout.write(${ready}); ${forever}`), { signal });
    expect(toy.ready.address).toBe("127.0.0.1:1");
    expect(toy.running).toBe(true);
    await toy[Symbol.asyncDispose]();
    await toy[Symbol.asyncDispose]();
    expect(await toy.ended).toMatchObject({ signal: "SIGTERM" });
    expect(isAlive(toy.pid)).toBe(false);
  });
  test("leaves no grandchild behind, even one that ignores SIGTERM", async () => {
    const grandchild = `process.on("SIGTERM", () => {}); ${forever}`;
    const script = `
      const g = require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(grandchild)}], { stdio: "inherit" });
      process.stderr.write(g.pid + "\\n");
      process.stdout.write(${ready}); ${forever}`;
    const seen: string[] = [];
    const toy = await ManagedProcess.start({ ...spec(script), onLog: (line) => seen.push(line) }, { signal });
    await expect.poll(() => seen.length).toBe(1);
    const pid = Number(seen[0]);
    expect(isAlive(pid)).toBe(true);
    await toy[Symbol.asyncDispose]();
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
  test.each([
    [
      "ends early",
      'console.error("warpfarm toy: no C compiler"); process.exit(3)',
      10_000,
      "the toy did not start: no C compiler",
    ],
    ["is killed", 'process.kill(process.pid, "SIGKILL")', 10_000, "the toy did not start: SIGKILL"],
    ["stays silent", forever, 300, "starting the toy took longer than 300 ms"],
    [
      "speaks for another",
      `console.log(${ready}.replace("tracker", "builder")); ${forever}`,
      300,
      "starting the toy took longer than 300 ms",
    ],
  ])("that %s is an error in its own words", async (_, script, readyMs, message) => {
    await expect(ManagedProcess.start(spec(script, readyMs), { signal })).rejects.toThrow(message);
  });
  test("that was too late is gone when that is said", async () => {
    const seen: string[] = [];
    // It must have come as far as its first line, however busy the machine is.
    for (let readyMs = 1000; seen.length === 0; readyMs *= 2) {
      const late = {
        ...spec(`process.stderr.write(process.pid + "\\n"); ${forever}`, readyMs),
        onLog: (line: string) => seen.push(line),
      };
      await expect(ManagedProcess.start(late, { signal })).rejects.toThrow(`took longer than ${readyMs} ms`);
    }
    expect(seen).toHaveLength(1);
    expect(isAlive(Number(seen[0]))).toBe(false);
  });
  test("that is not there at all is an error, not a crash", async () => {
    const absent = { ...spec(""), command: "/nonexistent/node" };
    await expect(ManagedProcess.start(absent, { signal })).rejects.toThrow(/the toy did not start: .*ENOENT/);
  });
  test("is not waited for when the caller gives up", async () => {
    const stop = new AbortController();
    const starting = ManagedProcess.start(spec(forever), { signal: stop.signal });
    stop.abort(new Error("enough"));
    await expect(starting).rejects.toThrow("enough");
  });
});

test("of what a process says the last twenty lines are kept", async () => {
  const lines = 'for (const i of Array(30).keys()) console.error("line", i + 1);';
  const toy = await ManagedProcess.start(spec(`process.stdout.write(${ready}); ${lines} process.exitCode = 3;`), { signal });
  const { code, lastWords } = await toy.ended;
  expect([code, lastWords]).toEqual([3, Array.from({ length: 20 }, (_, i) => `line ${i + 11}`)]);
});

test("how a process ended, in words", () => {
  expect(endedHow({ code: 2, signal: null, lastWords: ["noise", "warpfarm runner: no such device"] })).toBe("no such device");
  expect(endedHow({ code: null, signal: "SIGKILL", lastWords: [] })).toBe("SIGKILL");
});
