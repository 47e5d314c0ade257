/** The tracker as a process: its ready line, its ends, its lock, and what a kill -9 leaves. Runs the built code. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TimedResult } from "@warpfarm/common";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { isFull } from "../../test-support/campaign.ts";
import { builder, cpu, pause, programOf, runner, timedResult } from "../../test-support/farm/scripted.ts";
import { ScriptedClient } from "../../test-support/farm/scripted-client.ts";
import { freePort } from "../../test-support/free-port.ts";
import { until } from "../../test-support/until.ts";
import { exitOf, killAll, spawnTracker, startProcess } from "./process.testing.ts";

const base = mkdtempSync(join(tmpdir(), "warpfarm-tracker-"));
const testdata = (name: string) => fileURLToPath(new URL(`testdata/${name}`, import.meta.url));
const undo: (() => PromiseLike<unknown>)[] = [];
afterEach(async () => {
  for (const f of undo.splice(0).reverse()) await f();
  await killAll();
});
afterAll(() => rmSync(base, { recursive: true }));

const ports = ["--listen", "127.0.0.1:0", "--http", "127.0.0.1:0"];
const all = async (child: ReturnType<typeof spawnTracker>) => {
  let text = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    text += chunk;
  });
  return { code: await exitOf(child), text };
};

describe("the process", () => {
  it("is ready, answers on both ports, locks its directory, and ends with 0 when its parent's pipe closes", async () => {
    const data = join(base, "one");
    const tracker = await startProcess([...ports, "--data", data, "--exit-with-parent"]);
    const c = new ScriptedClient(tracker.address);
    undo.push(() => c.close());
    expect((await c.tracker.farm.listNodes()).nodes).toEqual([]);
    expect(await (await fetch(`http://${tracker.http}/healthz`)).text()).toBe("ok\n");
    expect(await (await fetch(`http://${tracker.http}/metrics`)).text()).toContain("warpfarm_sessions 0");
    expect(await (await fetch(`http://${tracker.http}/farm`)).json()).toEqual({ nodes: [], queues: [], sessions: [] });

    const second = await all(spawnTracker([...ports, "--data", data]));
    expect(second.code).toBe(3);
    expect(second.text).toContain(`in use by process ${tracker.child.pid}`);

    tracker.child.stdin?.end();
    expect(await exitOf(tracker.child)).toBe(0);
    expect(existsSync(`${data}.lock`)).toBe(false);
  });

  it("ends when its parent's pipe closes before it is ready", async () => {
    const early = spawnTracker([...ports, "--data", "memory", "--exit-with-parent"]);
    early.stdin?.end();
    expect(await exitOf(early)).toBe(0);
  });

  it("bad flags are one sentence and 2; a directory that is no store is one sentence and 3", async () => {
    const bad = await all(spawnTracker(["--listen", "0.0.0.0:1"]));
    expect(bad).toEqual({
      code: 2,
      text: expect.stringMatching(/^warpfarm tracker: --listen 0\.0\.0\.0:1 is not loopback[^\n]*\n$/),
    });
    const unmade = join(base, "unmade");
    const [cert, key] = [testdata("server.pem"), testdata("README.md")];
    const noKey = await all(spawnTracker([...ports, "--data", unmade, "--tls-cert", cert, "--tls-key", key]));
    expect(noKey).toEqual({
      code: 2,
      text: expect.stringMatching(/^warpfarm tracker: the files of --tls-cert and --tls-key cannot be used together: [^\n]*\n$/m),
    });
    expect(existsSync(unmade)).toBe(false);
    const other = await all(spawnTracker([...ports, "--data", testdata("")]));
    expect(other).toEqual({
      code: 3,
      text: expect.stringMatching(/^warpfarm tracker: the data directory [^\n]* is not empty and holds no store[^\n]*\n$/),
    });
    rmSync(`${testdata("").replace(/\/$/, "")}.lock`, { force: true });
  });
});

describe("kill -9 of the tracker", () => {
  it("while programs are measured interleaved: the job goes on or is tried again whole, with one result", async (ctx) => {
    if (!isFull) ctx.skip("part of the campaign: paired.test.ts cuts the runner off meanwhile");
    const address = `127.0.0.1:${await freePort()}`;
    const args = ["--listen", address, "--http", "none", "--data", join(base, "in-turns")];
    let tracker = await startProcess(args);
    const r = runner(address, 1, () => "keep", {});
    for (const w of [builder(address), r]) {
      undo.push(() => w.kill());
      w.start();
    }
    await until(() => r.registered !== undefined, "the runner");
    const c = new ScriptedClient(address);
    undo.push(() => c.close());
    await c.open({}, { paired: { rounds: 2, idleMs: 0 } });
    c.stream();
    const [program, ...others] = ["a", "b", "c"].map((name) => ({ kind: "program", program: programOf(name) }) as const);
    if (!program) throw new Error("no program");
    const input = { kind: "input", sequence: 1, program, others } as const;
    c.raw(input);
    await until(() => r.jobs.length === 1, "the job");
    expect(await tracker.end("SIGKILL")).toBe("SIGKILL");
    await until(() => c.error !== undefined, "the client to notice");
    tracker = await startProcess(args);
    // It was durable: the same again is a no-op.
    c.stream();
    c.raw(input);
    const [first] = r.jobs;
    if (first?.job.kind !== "run" || !first.job.paired) throw new Error("no paired job");
    const { artifact, paired } = first.job;
    const each = [artifact, ...paired.others].map((of, i) => ({ artifact: of, costs: [i + 1, i + 1], number: 1 }));
    const result = { ...timedResult(1, cpu(1), artifact), costs: [1, 1], paired: each } as TimedResult;
    r.finish(first, { kind: "run", result });
    await until(() => c.results.size === 1, "the result");
    await c.finish();
    expect(c.results.get(1)).toMatchObject({ kind: "timed", attempt: 1, paired: each });
    expect([c.deliveries, r.jobs.length]).toEqual([[1], 1]);
    expect(await tracker.end("SIGTERM")).toBe(0);
  });

  it("loses nothing acknowledged, measures nothing twice, and everybody goes on by themselves; SIGTERM ends it with 0", async (ctx) => {
    if (!isFull) ctx.skip("part of the campaign: deploy/test/suite.test.ts and survival/kills.test.ts kill trackers");
    const data = join(base, "killed");
    const address = `127.0.0.1:${await freePort()}`;
    const args = ["--listen", address, "--http", "none", "--data", data];
    let tracker = await startProcess(args);
    const total = 40;
    const executions = new Map<string, number>();
    const b = builder(address);
    const r = runner(address, 1, async ({ job }) => {
      if (job.kind !== "run") throw new Error("not a run");
      executions.set(job.artifact, (executions.get(job.artifact) ?? 0) + 1);
      await pause(15);
      const device = { key: "cpu/x86-64-v3", name: "A CPU", uuid: "cpu-1", node: "test-node", driver: "none" };
      return {
        kind: "run",
        result: {
          kind: "timed",
          costs: [executions.size],
          number: 1,
          busyMs: 1,
          checked: false,
          device,
          observations: {},
          artifact: job.artifact,
          buildMs: 0,
          runMs: 1,
          timestampMs: 1,
          attempt: job.attempt,
        },
      };
    });
    for (const w of [b, r]) {
      undo.push(() => w.kill());
      w.start();
    }
    const c = new ScriptedClient(address);
    undo.push(() => c.close());
    await c.open({}, { maxInFlight: total });
    let sent = 0;
    const resume = () => {
      // What a client knows: what it received, and how far it was acknowledged.
      let through = 0;
      while (c.results.has(through + 1)) through++;
      c.stream(through);
      for (let i = c.acceptedThrough + 1; i <= sent; i++) c.send(i, programOf(`k${i}`));
    };
    c.stream();
    for (const kills of [1, 2]) {
      const goal = (total * kills) / 2;
      while (sent < goal) c.send(++sent, programOf(`k${sent}`));
      const before = c.results.size;
      await until(() => c.results.size >= before + 5, "some results");
      const acknowledged = c.acceptedThrough;
      expect(await tracker.end("SIGKILL")).toBe("SIGKILL");
      await until(() => c.error !== undefined, "the client to notice");
      expect(c.error?.code).toBe("UNAVAILABLE");
      tracker = await startProcess(args);
      for (let tries = 0; c.error; tries++) {
        resume();
        await until(() => c.error !== undefined || c.acceptedThrough >= acknowledged, "the resumed stream");
        await pause(50);
        expect(tries).toBeLessThan(100);
      }
      expect(c.acceptedThrough).toBeGreaterThanOrEqual(acknowledged);
    }
    await until(() => c.results.size === total, "every result");
    await c.finish();
    expect(c.error).toBeUndefined();
    expect([...c.results.keys()].sort((x, y) => x - y)).toEqual(Array.from({ length: total }, (_, i) => i + 1));
    for (const result of c.results.values()) expect(result).toMatchObject({ kind: "timed", attempt: 1 });
    expect([...executions.values()].filter((n) => n !== 1)).toEqual([]);
    expect(executions.size).toBe(total);
    expect(r.registrations).toBe(1); // its epoch outlived the tracker
    const recorded = async () => (await c.tracker.records.query({ limit: 1000 })).records.map(({ id }) => id);
    await until(async () => (await recorded()).length >= total, "every record");
    expect((await recorded()).sort()).toEqual(Array.from({ length: total }, (_, i) => `${c.session}/${i + 1}`).sort());
    expect(await tracker.end("SIGTERM")).toBe(0);
    expect(existsSync(`${data}.lock`)).toBe(false);
  });
});
