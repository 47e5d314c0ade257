/**
 * A suite of two tasks that is searched while the page shows it: handed to a real tracker by the command line, searched by its
 * `suite work`, built and run by scripted workers whose times the test knows. Needs `npm run build`.
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { timeWords } from "@warpfarm/common/words";
import { expect, it, onTestFinished } from "vitest";
import { bundled } from "../../test-support/bundles.ts";
import { isFull } from "../../test-support/campaign.ts";
import { type Answer, builder, cpu, runner, timedResult } from "../../test-support/farm/scripted.ts";
import { needs } from "../../test-support/needs.ts";
import { Spawned } from "../../test-support/spawned.ts";
import { until } from "../../test-support/until.ts";
import { openChromium, violations } from "./page.testing.ts";

const trials = 3;
const suite = `
name: two-shapes
tasks:
  - task: matmul_derived
    shapes: {ranges: {M: [16, 32], N: [16], K: [16]}}
budget: {trials: ${trials}}
tuner: random
finalists: 0
in_flight: 1
measure: {repeat: 1, min_repeat: 1ms}
`;

it("a suite of two tasks is searched while the page shows it: tasks, trials, the best of each, few kernels for both", async (ctx) => {
  needs(ctx, "chromium");
  if (!isFull) ctx.skip("part of the campaign: farm-views.test.ts shows suites, suite-detached.test.ts searches one");
  const folder = mkdtempSync(join(tmpdir(), "warpfarm-suite-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const home = { HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder, XDG_CACHE_HOME: folder };
  const warpfarm = (...args: readonly string[]) => {
    const command = new Spawned(bundled("bin/warpfarm"), args, home);
    onTestFinished(() => command.kill());
    return command;
  };
  const tracker = warpfarm("tracker", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--data", join(folder, "store"));
  const [, address = "", http = ""] = await tracker.says(/tracker ready grpc=(\S+) http=(\S+)\n/);
  // Each run is faster than the one before; after three they wait for the test.
  const times: number[] = [];
  let goOn = () => {};
  const gate = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const answer: Answer = async ({ job }) => {
    if (job.kind !== "run") throw new Error("not a run");
    if (times.length === 3) await gate;
    const seconds = (90 - times.push(0)) / 1e3;
    times[times.length - 1] = seconds;
    return { kind: "run", result: { ...timedResult(seconds, cpu(1), job.artifact), timestampMs: Date.now() } };
  };
  const workers = [builder(address).start(), runner(address, 1, answer).start()];
  onTestFinished(async () => void (await Promise.all(workers.map((worker) => worker.kill()))));
  writeFileSync(join(folder, "two.yaml"), suite);
  const handed = warpfarm(
    "suite",
    "run",
    join(folder, "two.yaml"),
    "--dir",
    join(folder, "state"),
    "--detach",
    "--tracker",
    address,
  );
  expect(await handed.ended, handed.said).toMatchObject({ code: 0 });

  const browser = await openChromium();
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  page.setDefaultTimeout(180_000);
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  const see = (text: string | RegExp) => page.getByText(text).first().waitFor();
  await page.goto(`http://${http}/suites`);
  await see("0 of 2");
  await page.getByRole("link", { name: "two-shapes" }).click();
  await see("open; 0 of 2 tasks done");
  const cells = page.getByLabel("Tasks", { exact: true }).getByRole("row").filter({ hasText: "matmul_derived" });
  await cells.filter({ hasText: "waiting" }).nth(1).waitFor();

  const work = warpfarm("suite", "work", "--once", "--tracker", address);
  await until(() => times.length === 3, "three runs", 180_000);
  // Nobody loads the page again: it asks by itself.
  await cells
    .filter({ hasText: /searching, [12] trials?/ })
    .first()
    .waitFor();
  await see("open; 0 of 2 tasks done");
  goOn();
  await see("ended; 2 of 2 tasks done");
  expect(await work.ended, work.said).toMatchObject({ code: 0 });
  await cells
    .filter({ hasText: `done, ${trials} trials` })
    .nth(1)
    .waitFor();

  // Whatever was measured last was the fastest, and is the best of its task.
  const bests = (await cells.locator("td:last-child").allTextContents()).map((text) => text.match(/^[\d.]+ ms/)?.[0]);
  expect(bests).toContain(timeWords(times.at(-1) ?? 0));
  for (const best of bests) expect(times.map((seconds) => timeWords(seconds))).toContain(best);
  await page.getByRole("heading", { name: /Few kernels for all shapes: matmul_derived on cpu/ }).waitFor();
  await see(/kernels? for 2 shapes/);
  expect(await violations(page)).toEqual([]);
  expect(faults).toEqual([]);
});
