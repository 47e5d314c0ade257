/** The tracker as a process: its ready line, ends and lock. Runs the built code. Kills with -9: deploy/test/suite.test.ts. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { ScriptedClient } from "../../test-support/farm/scripted-client.ts";
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
