/**
 * A tracker process with a full disk: what it refuses, how it ends, and what is there when there is room again. Runs the built
 * code.
 */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FarmError } from "@warpfarm/common";
import { afterEach, beforeEach, expect, it, type TestContext } from "vitest";
import { isFull } from "../../test-support/campaign.ts";
import { builder, programOf, runner } from "../../test-support/farm/scripted.ts";
import { ScriptedClient } from "../../test-support/farm/scripted-client.ts";
import { fillDisk, noMount, type SmallDisk, smallDisk } from "../../test-support/small-disk.ts";
import { until } from "../../test-support/until.ts";
import { exitOf, killAll, spawnTracker, startProcess, type TrackerProcess } from "./process.testing.ts";

const undo: (() => unknown)[] = [];
let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "warpfarm-full-"));
});
afterEach(async () => {
  for (const f of undo.splice(0).reverse()) await f();
  await killAll();
  for (const f of last.splice(0)) f();
  rmSync(base, { recursive: true, force: true });
});
const last: (() => void)[] = [];

const mib = 2 ** 20;
/** A segment of the engine's log, which has its full size from its start. */
const segmentBytes = 16 * mib;

function disk(ctx: TestContext): SmallDisk {
  const made = smallDisk(join(base, "disk"), 160 * 1024);
  if (!made) return ctx.skip(noMount);
  last.push(() => made.unmount());
  return made;
}

async function withDisk(ctx: TestContext) {
  const small = disk(ctx);
  const args = ["--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--data", join(small.path, "data")];
  const start = () => startProcess(args);
  return { path: small.path, args, start };
}

const clientOf = ({ address }: TrackerProcess): ScriptedClient => {
  const c = new ScriptedClient(address);
  undo.push(() => c.close());
  return c;
};

/** Uploads until one is refused. Returns what was acknowledged, and the refusal. */
async function uploadUntilRefused(c: ScriptedClient, bytes: number) {
  const digests: string[] = [];
  for (;;)
    try {
      digests.push(await c.tracker.artifacts.upload(randomBytes(bytes)));
    } catch (error) {
      return { digests, refusal: error as FarmError };
    }
}

it("no room for rows: a refusal that says so, what was acknowledged stays, it works again when there is room, and a SIGTERM ends it with none", async (ctx) => {
  const { path, start } = await withDisk(ctx);
  const tracker = await start();
  const c = clientOf(tracker);
  const filler = fillDisk(path, 2 * mib);
  const { digests, refusal } = await uploadUntilRefused(c, mib);
  expect(refusal.code).toBe("UNAVAILABLE");
  expect(refusal.message).toMatch(/^the store has no room: could not extend file .*: No space left on device/);
  expect((await c.tracker.farm.listNodes()).nodes).toEqual([]);
  rmSync(filler);
  const more = await c.tracker.artifacts.upload(randomBytes(mib));
  expect((await c.tracker.artifacts.stat([...digests, more] as never)).size).toBe(digests.length + 1);

  fillDisk(path);
  expect((await uploadUntilRefused(c, mib)).refusal.code).toBe("UNAVAILABLE");
  expect([0, 3]).toContain(await tracker.end("SIGTERM")); // 3 when the last thing it wrote took the store with it
});

it("no room for the log: the process ends with 3 and says why; what was acknowledged is there when there is room", async (ctx) => {
  if (!isFull) ctx.skip("part of the campaign: a store without room for rows is refused in the same words, above");
  const { path, start, args } = await withDisk(ctx);
  const first = await start();
  const workers = [builder(first.address), runner(first.address, 1)];
  for (const worker of workers) worker.start();
  const c = clientOf(first);
  const { sessionId: session } = await c.open({}, { maxInFlight: 8 });
  c.stream();
  c.send(1, programOf("p1"));
  await until(() => c.results.size === 1, "a result before");
  for (const worker of workers) await worker.kill();
  c.send(2, programOf("p2"));
  await until(() => c.acceptedThrough === 2, "an input that is acknowledged");
  const filler = fillDisk(path, segmentBytes + 4 * mib);
  // Uploads grow both rows and log. The next segment begins while there is room for rows and none for it.
  const { digests, refusal } = await uploadUntilRefused(c, mib);
  expect(refusal.code).toBe("UNAVAILABLE");
  const gone = /warpfarm tracker: the store stopped: could not write to file .*: No space left on device; it holds what was/;
  expect([await exitOf(first.child), first.log()]).toEqual([3, expect.stringMatching(gone)]);

  const early = spawnTracker(args);
  let said = "";
  early.stderr?.on("data", (text: Buffer) => {
    said += text;
  });
  const full = /^warpfarm tracker: the store in .* does not open: .*; \d+ MiB are free on its disk\n$/;
  expect([await exitOf(early), said]).toEqual([3, expect.stringMatching(full)]);

  rmSync(filler);
  const second = await start();
  const again = clientOf(second);
  expect((await again.tracker.artifacts.stat(digests as never)).size).toBe(digests.length);
  const [open] = await again.tracker.admin.listSessions();
  expect(open).toMatchObject({ sessionId: session, accepted: 2, building: 1 });
  expect(await second.end("SIGTERM")).toBe(0);
});
