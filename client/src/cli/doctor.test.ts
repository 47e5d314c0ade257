import { createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCli, scratch } from "./context.testing.ts";

const path = { PATH: process.env.PATH };
let server: Server;
let port = 0;
beforeAll(async () => {
  server = createServer((socket) => socket.end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as { port: number }).port;
});
afterAll(() => server.close());

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
  });
  test("a tracker that was named and does not answer is exit 3, an unnamed one is not needed", async () => {
    await new Promise<void>((resolve) => server.close(() => resolve()));
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
    [["now"], /too many arguments/],
  ])("%j is refused", async (argv, message) => {
    const said = await runCli(["doctor", ...argv], { home: scratch() });
    expect(said.code).toBe(2);
    expect(said.stderr).toMatch(message);
  });
});
