import { createServer } from "node:net";
import { FarmError, systemClock, toWorkerId } from "@warpfarm/common";
import { type FarmHandlers, type FarmSnapshot, type RpcServer, serve, snapshotToWire } from "@warpfarm/proto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { runCli, scratch } from "../context.testing.ts";

const path = { PATH: process.env.PATH, COLUMNS: "300" };
const worker = {
  node: "box",
  labels: {},
  lastSeenMs: systemClock.now(),
  devices: [],
  slots: 0,
  leases: 0,
  toolchains: [],
  targets: [],
};
const snapshot: FarmSnapshot = {
  nodes: [
    { ...worker, workerId: toWorkerId("w1"), role: "runner", state: "ACTIVE" },
    { ...worker, workerId: toWorkerId("w2"), role: "runner", state: "LOST" },
  ],
  queues: [],
  sessions: [],
};
let answer: () => Promise<FarmSnapshot>;
let server: RpcServer;
let port = 0;
beforeAll(async () => {
  const refuse = () => Promise.reject(new FarmError("INTERNAL", "not of this test"));
  const none = async function* () {};
  const ListNodes: FarmHandlers["ListNodes"] = async () => ({ snapshot: snapshotToWire(await answer()) });
  const farm: FarmHandlers = {
    ListNodes,
    OpenSession: refuse,
    CloseSession: refuse,
    SettleTrials: refuse,
    Measure: none,
  };
  server = await serve({ farm }, { listen: "127.0.0.1:0" });
  port = server.port;
});
beforeEach(() => {
  answer = async () => snapshot;
});
afterAll(() => server.close(0));

describe("doctor", () => {
  test("names every check, in one line of JSON", async () => {
    const said = await runCli(["doctor", "--json", "--tracker", `127.0.0.1:${port}`], { env: path });
    expect(said.stdout.match(/\n/g)).toHaveLength(1);
    const report = JSON.parse(said.stdout) as { ok: boolean; checks: { name: string; state: string }[] };
    expect(report.checks.map((check) => check.name)).toEqual([
      ...[
        "Node",
        "CPU",
        "config file",
        "C compiler",
        "nvcc",
        "NVRTC",
        "CUDA driver",
        "kubectl",
        "tracker",
        "data directory",
        "cache directory",
      ],
    ]);
    expect(report.checks.find((check) => check.name === "tracker")).toMatchObject({ state: "ok" });
    expect(said.code).toBe(report.ok ? 0 : 4);
  });
  test("of several trackers one that answers is enough, the others are named", async () => {
    const said = await runCli(["doctor", "--tracker", `127.0.0.1:9,127.0.0.1:${port}`], { env: path });
    expect(said.stdout).toMatch(new RegExp(`ok +tracker: 127.0.0.1:${port} answers \\(not 127.0.0.1:9: .*ECONNREFUSED`));
    expect(said.stdout).toContain(": 1 runner, 0 builders; ");
  });
  test("one that answers and does not serve us is exit 3, with what it says", async () => {
    answer = () =>
      Promise.reject(
        new FarmError("UNAVAILABLE", "the store cannot be reached: connect ECONNREFUSED 10.0.0.1:5432", { rule: "store.away" }),
      );
    const away = await runCli(["doctor", "--tracker", `127.0.0.1:${port}`], { env: path });
    expect([away.code, away.stdout]).toEqual([3, expect.stringMatching(/MISSING +tracker: .* cannot serve: the store cannot/)]);
    answer = () => Promise.reject(new FarmError("UNAUTHENTICATED", "a token is needed"));
    const refused = await runCli(["doctor", "--tracker", `127.0.0.1:${port}`], { env: path });
    expect([refused.code, refused.stdout]).toEqual([
      3,
      expect.stringMatching(/MISSING +tracker: a token is needed; --token-file/),
    ]);
    const other = createServer((socket) => socket.end());
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port: strange } = other.address() as { port: number };
    const said = await runCli(["doctor", "--tracker", `127.0.0.1:${strange}`], { env: path });
    other.close();
    expect([said.code, said.stdout]).toEqual([3, expect.stringMatching(/MISSING +tracker: cannot reach the tracker/)]);
  });
  test("a tracker that was named and does not answer is exit 3, an unnamed one is not needed", async () => {
    await server.close(0);
    const named = await runCli(["doctor", "--tracker", `127.0.0.1:${port}`], { env: path });
    expect(named.code).toBe(3);
    expect(named.stdout).toContain(`MISSING  tracker: 127.0.0.1:${port}`);
    expect((await runCli(["doctor"], { env: path })).stdout).toContain("absent   tracker");
  });
  test("a directory that cannot be written is named, with exit 4", async () => {
    const said = await runCli(["doctor"], { env: { ...path, XDG_DATA_HOME: "/proc/1/data" } });
    expect(said.stdout).toContain("MISSING  data directory: /proc/1/data/warpfarm");
    expect(said.code).toBe(4);
  });
  test("rows fit the terminal, or 80 columns, and go on under where they began", async () => {
    const detail =
      "a long story of what there is and what there is not, which no terminal of 80 columns has on one line of its own";
    const probeMachine = async () => [{ name: "koffi", state: "absent", detail } as const];
    const { stdout } = await runCli(["doctor"], { env: { PATH: path.PATH }, probeMachine });
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(stdout).toContain(
      "absent   koffi: a long story of what there is and what there is not, which no\n         terminal of",
    );
    let painted = "";
    const terminal = { isTTY: true, columns: 200, write: (text: string) => (painted += text) };
    await runCli(["doctor"], { env: { PATH: path.PATH }, probeMachine, stdout: terminal });
    expect(painted).toContain("\u001b[2mabsent \u001b[0m  koffi: ");
    expect(painted).toContain(detail);
  });
  test("findings of the composition root are shown in place", async () => {
    const probeMachine = async () => [{ name: "koffi", state: "missing", detail: "gone", advice: "npm ci" } as const];
    const said = await runCli(["doctor"], { env: path, probeMachine });
    expect(said.stdout).toContain("MISSING  koffi: gone - npm ci");
    expect(said.stderr).toContain("missing: koffi");
  });
  test.each([
    [["--tracker"], /argument missing/],
    [["--tracker", "x"], /host:port/],
    [["--tracker", "x:y"], /host:port/],
    [["--nope"], /unknown option/],
    [["--token-file", "nowhere"], /--token-file names "nowhere"/],
    [["now"], /too many/],
  ])("%j is refused", async (argv, message) => {
    const said = await runCli(["doctor", ...argv], { home: scratch() });
    expect(said.code).toBe(2);
    expect(said.stderr).toMatch(message);
  });
});
