/** The farm's supervision, with stand-ins that only print that they are ready: start, restart, giving up, end. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FarmError, ManualClock, systemClock } from "@warpfarm/common";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { isAlive } from "../../test-support/processes.ts";
import { LocalFarm, type LocalFarmOptions } from "./local-farm.ts";

/**
 * Prints its role's ready line, prints its arguments on stderr, and lives until it is told to end or for `lifeMs`. A worker is
 * ready when it was told the tracker's address. The tracker waits until both workers run, where it is told to.
 */
const part = `
const [role, ...flags] = process.argv.slice(2);
const of = (name) => flags[flags.indexOf(name) + 1];
process.stderr.write(JSON.stringify({ flags }) + "\\n");
if (process.env.FAIL === role) { console.error("warpfarm " + role + ": it cannot"); process.exit(2); }
const port = of("--listen")?.endsWith(":0") ? "127.0.0.1:4711" : of("--listen");
const lines = { tracker: "tracker ready grpc=" + port + " http=127.0.0.1:4712", builder: "builder ready w at x", runner: "runner ready w cpu/x86-64-v3 at x: y" };
const ready = () => {
  console.log(lines[role]);
  setTimeout(() => process.exit(9), process.env.SHORT === role ? 20 : 600_000);
};
if (role === "tracker" && process.env.AFTER) {
  const look = () => (require("node:fs").readdirSync(process.env.AFTER).length === 2 ? ready() : setTimeout(look, 5));
  look();
} else if (role === "tracker") ready();
else {
  if (process.env.AFTER) require("node:fs").writeFileSync(process.env.AFTER + "/" + role, "");
  process.stdin.once("data", (told) => {
    process.stderr.write(JSON.stringify({ told: String(told).trim() }) + "\\n");
    ready();
  });
}
`;

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "warpfarm-test-"));
  writeFileSync(join(directory, "part.cjs"), part);
  return () => rmSync(directory, { recursive: true, force: true });
});

const said: { role: string; flags: string[]; told?: string }[] = [];
const notices: string[] = [];
async function farmOf(env: Record<string, string> = {}, change: Partial<LocalFarmOptions> = {}): Promise<LocalFarm> {
  said.length = 0;
  notices.length = 0;
  const farm = await LocalFarm.start({
    bin: join(directory, "part.cjs"),
    device: "cpu",
    env: { PATH: process.env.PATH, ...env },
    dataDir: join(directory, "data"),
    cacheDir: join(directory, "cache"),
    clock: systemClock,
    signal: new AbortController().signal,
    notice: (text) => notices.push(text),
    onLog: (role, line) => line.startsWith("{") && said.push({ role, ...JSON.parse(line) }),
    ...change,
  });
  onTestFinished(() => farm[Symbol.asyncDispose]());
  return farm;
}
const startsOf = (role: string) => said.filter((line) => line.role === role && line.flags);
const toldTo = (role: string) => said.flatMap((line) => (line.role === role ? (line.told ?? []) : []));

describe("a local farm", () => {
  test("tracker and builder start while the device is being chosen, and what the choice throws ends them", async () => {
    let refuse = (_: FarmError): void => {};
    const device = new Promise<string>((_, reject) => {
      refuse = reject;
    });
    const farm = farmOf({ FAIL: "builder" }, { device });
    await expect.poll(() => startsOf("tracker").length + startsOf("builder").length).toBe(2);
    // The builder has failed meanwhile: what is wrong with the device is told.
    refuse(new FarmError("UNAVAILABLE", "there is no GPU"));
    await expect(farm).rejects.toThrow("there is no GPU");
    expect(startsOf("runner")).toEqual([]);
  });

  test("says that a farm elsewhere may have a GPU where the runner refuses the one of this machine", async () => {
    const refused = (device: string) => farmOf({ FAIL: "runner" }, { device }).catch(({ message }: Error) => message);
    expect(await refused("cuda:0")).toBe(
      "the runner did not start: it cannot; warpfarm tune --tracker host:port measures on a farm's GPU instead",
    );
    expect(await refused("cpu")).toBe("the runner did not start: it cannot");
  });

  test("starts the tracker on free ports, and tells the workers its address; disposal ends all of them", async () => {
    const farm = await farmOf();
    expect([farm.address, farm.httpAddress, farm.key]).toEqual(["127.0.0.1:4711", "127.0.0.1:4712", "cpu/x86-64-v3"]);
    await expect.poll(() => said.length).toBe(5);
    expect(startsOf("tracker")[0]?.flags).toEqual([
      "--listen",
      "127.0.0.1:0",
      "--http",
      "127.0.0.1:0",
      "--data",
      join(directory, "data/tracker"),
      "--record-inbox",
      join(directory, "data", "records", "inbox"),
      "--exit-with-parent",
    ]);
    expect(startsOf("runner")[0]?.flags[0]).toBe("--tracker-on-stdin");
    expect([toldTo("builder"), toldTo("runner")]).toEqual([["127.0.0.1:4711"], ["127.0.0.1:4711"]]);
    const pids = (["tracker", "builder", "runner"] as const).map((role) => farm.pidOf(role) ?? -1);
    expect(pids.every(isAlive)).toBe(true);
    await farm[Symbol.asyncDispose]();
    expect(pids.some(isAlive)).toBe(false);
    expect([notices, farm.lost.aborted]).toEqual([[], false]);
  });
  test("starts the workers while the tracker starts", async () => {
    const both = join(directory, "both");
    mkdirSync(both);
    // The stand-in of the tracker is ready when both workers run; otherwise this would never end.
    await farmOf({ AFTER: both });
    expect([toldTo("builder"), toldTo("runner")]).toEqual([["127.0.0.1:4711"], ["127.0.0.1:4711"]]);
  });
  test("does something before the parts are ready, and what that throws ends it", async () => {
    // The stand-in of the tracker is never ready.
    const env = { AFTER: join(directory, "data") };
    mkdirSync(env.AFTER);
    writeFileSync(join(env.AFTER, "a third one"), "");
    const meanwhile = async () => {
      throw new FarmError("DATA_LOSS", "a file is broken");
    };
    await expect(farmOf(env, { meanwhile })).rejects.toThrow("a file is broken");
  });
  test("starts a killed part again, the tracker on its old ports, and tells a worker the address again", async () => {
    const farm = await farmOf();
    for (const role of ["builder", "tracker"] as const) {
      const before = farm.pidOf(role) ?? -1;
      process.kill(before, "SIGKILL");
      await expect.poll(() => farm.pidOf(role) ?? before).not.toBe(before);
    }
    await expect.poll(() => startsOf("tracker").length).toBe(2);
    expect(toldTo("builder")).toEqual(["127.0.0.1:4711", "127.0.0.1:4711"]);
    expect(startsOf("tracker")[1]?.flags.slice(0, 4)).toEqual(["--listen", "127.0.0.1:4711", "--http", "127.0.0.1:4712"]);
    expect(notices).toEqual(["the builder ended (SIGKILL); starting it again", "the tracker ended (SIGKILL); starting it again"]);
  });
  test("gives up on a part that keeps dying, and says so", async () => {
    const farm = await farmOf({ SHORT: "builder" }, { maxRestarts: 3 });
    await expect.poll(() => farm.lost.aborted).toBe(true);
    expect(farm.lost.reason).toMatchObject({ code: "UNAVAILABLE", message: "the builder keeps dying, last by exit code 9" });
    expect(startsOf("builder")).toHaveLength(4);
  });
  test("does not hold against a part what is more than a minute ago", async () => {
    const clock = new ManualClock(0);
    const farm = await farmOf({}, { clock, maxRestarts: 1 });
    const dies = () => process.kill(farm.pidOf("builder") ?? -1, "SIGKILL");
    for (const [notice, restMs] of [
      [1, 60_000],
      [2, 100],
    ] as const) {
      const before = farm.pidOf("builder");
      dies();
      await expect.poll(() => notices.length).toBe(notice);
      clock.advance(restMs);
      await expect.poll(() => farm.pidOf("builder") ?? before).not.toBe(before);
    }
    expect(farm.lost.aborted).toBe(false);
    dies();
    await expect.poll(() => farm.lost.aborted).toBe(true);
  });
  test("a tracker that does not start fails the farm in its words, though workers wait for its address", async () => {
    await expect(farmOf({ FAIL: "tracker" })).rejects.toThrow("the tracker did not start: it cannot");
    expect([toldTo("builder"), toldTo("runner")]).toEqual([[], []]);
  });
  test("a part that does not start fails the farm in that part's words, and nothing is left", async () => {
    await expect(farmOf({ FAIL: "runner" })).rejects.toThrow("the runner did not start: it cannot");
  });
  test("a directory that a live process holds is left alone: a temporary store, removed in the end", async () => {
    mkdirSync(join(directory, "data"));
    writeFileSync(join(directory, "data/tracker.lock"), JSON.stringify({ pid: process.pid, started: "" }));
    // The real tracker refuses the directory; the stand-in is told to fail until it is given another one.
    const refusing = part.replace(
      "process.env.FAIL === role",
      `role === "tracker" && of("--data").startsWith(${JSON.stringify(directory)})`,
    );
    writeFileSync(join(directory, "part.cjs"), refusing);
    const farm = await farmOf();
    expect(farm.dataDir.startsWith(directory)).toBe(false);
    expect(notices).toEqual([`${join(directory, "data")} is in use by process ${process.pid}: this run takes a temporary store`]);
  });
});
