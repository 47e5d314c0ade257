/** The views that only a tracker has, in Chromium, on a source with fixed data. Needs `npm run build`. */
import { FarmError, systemClock } from "@warpfarm/common";
import { recordOfTrial, type TuningRecord } from "@warpfarm/records";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { has, needs } from "../../test-support/needs.ts";
import { type PageDoors, type PageServer, type PageSource, pageApp, servePage } from "../src/index.ts";
import { RunTrials } from "../src/run/run-trials.ts";
import { farm, hostile } from "./farm.testing.ts";
import { defaultOf, trial } from "./logs.testing.ts";
import { assets, expectRight, expectStateClean, openChromium, openPage, violations } from "./page.testing.ts";

const doorsOf = (isAdmin: boolean): PageDoors => ({
  signIn: "possible",
  viewerOf: () => ({ name: isAdmin ? "root" : "ada", isAdmin }),
  enter: () => ({ name: "ada", isAdmin }),
  leave: () => {},
});

let browser: Browser | undefined;
let page: Page;
let clear: () => Promise<void>;
let server: PageServer | undefined;
let faults: string[] = [];

beforeAll(async () => {
  if (!has("chromium")) return;
  browser = await openChromium();
  ({ page, clear } = await openPage(browser));
});
afterAll(async () => browser?.close());
beforeEach(async (ctx) => {
  needs(ctx, "chromium");
  faults = [];
  page.on("pageerror", (error) => faults.push(error.message));
});
afterEach(async () => {
  if (browser === undefined) return;
  await clear();
  await server?.[Symbol.asyncDispose]();
  server = undefined;
});

async function start(source: PageSource, isAdmin: boolean): Promise<void> {
  const onError = (error: unknown) => faults.push(String(error));
  const app = pageApp({ source, doors: doorsOf(isAdmin), clock: systemClock, version: "0", isLoopback: true, onError, assets });
  server = await servePage(app, 0);
}
const go = (path: string) => page.goto(new URL(path, server?.address).href);
const see = (text: string | RegExp) => page.getByText(text).first().waitFor();

describe("views of a farm", () => {
  it("are right in both themes, at 1280 and 420 pixels and at 200 %, hostile names as words", async () => {
    await start(farm().source, true);
    await expectRight(page, server?.address ?? "", [
      ["/", "1 run"],
      ["/run/session-7", "No trial has ended yet"],
      ["/fleet", "3 nodes, 3 devices, 1 busy now"],
      ["/queue", hostile],
      ["/suites", "resnet shapes"],
      ["/suite/s1", hostile],
      ["/%E0%A4%A", "Nothing is here"],
    ]);
    expect(await page.title()).toBe("Warpfarm");
    expect(faults).toEqual([]);
  });
});

it("a device that never worked has its lane, and drift of the reference kernel is told", async () => {
  await start(farm().source, false);
  await go("/fleet");
  await page.getByRole("img", { name: /gpu1 device 0: 63 % busy; gpu1 device 1: 0 % busy; gpu2 \(runner\): 0 % busy/ }).waitFor();
  await see(/8 min are known so far/);
  await see(/reference kernels take 1\.034x their best \(1\.000 to 1\.034 in 2 checks of 8 min\)/);
  await page.getByRole("rowheader", { name: "cuda/sm_90 3 devices, 1 busy" }).waitFor();
  expect(await page.getByRole("button", { name: "Drain" }).count()).toBe(0);
  expect(faults).toEqual([]);
});

it("shares of device time are told by user, and by session with its weight", async () => {
  await start(farm().source, false);
  await go("/queue");
  const table = page.getByLabel("Shares of device time");
  const row = (name: string) => table.getByRole("row").filter({ has: page.getByRole("rowheader", { name, exact: true }) });
  await row("ada").waitFor();
  expect(await row("ada").getByRole("cell").allTextContents()).toEqual([
    ...["", "50 % of all", "90 %", "12"],
    ...["5 min", "40 s", "3 s", "90 s", "31 s", ""],
  ]);
  expect(await row("matmul").getByRole("cell").allTextContents()).toEqual([
    ...["3", "75 % of ada's", "80 %", "12", "5 min", "40 s", "3 s", "72 s", "31 s"],
    expect.stringMatching(/^8 slots of builders busy; .* in about 12 s; all that wait now are done in about 95 s; /),
  ]);
  await row("matmul").getByRole("link").click();
  await page.waitForURL(/\/run\/a1$/);
});

it("an admin drains a node and gives it work again", async () => {
  const { source, drained } = farm();
  await start(source, true);
  await go("/fleet");
  const row = page.getByRole("row").filter({ hasText: "gpu2" });
  await row.getByRole("button", { name: "Drain" }).click();
  await row.getByRole("button", { name: "Give work again" }).waitFor();
  expect(drained).toEqual(["gpu2"]);
  await row.getByRole("button", { name: "Give work again" }).click();
  await row.getByRole("button", { name: "Drain" }).waitFor();
  expect(drained).toEqual([]);
});

it("what runs now is told before a trial has ended; a refused stop says why and the view stays", async () => {
  const { source } = farm();
  let isAway = false;
  await start(
    {
      ...source,
      run: async (id, viewer) => {
        if (isAway) throw new FarmError("UNAVAILABLE", "the store is away");
        return source.run(id, viewer);
      },
    },
    false,
  );
  await go("/run/session-7");
  await see(/trial 8: run on gpu1/);
  await see("Before it in the queue");
  await page.getByRole("button", { name: "Stop session" }).click();
  await page.getByRole("button", { name: "Stop it" }).click();
  await see("no session of yours has this id");
  await page.getByText(/trial 8: run on gpu1/).waitFor({ state: "detached" });
  isAway = true;
  const refusal = () => page.waitForResponse((answer) => answer.url().endsWith("/api/runs/session-7") && answer.status() === 503);
  await refusal();
  await refusal();
  await see("Before it in the queue");
});

it("the default schedule has its name wherever it is listed, and is no trial", async () => {
  const trials = new RunTrials();
  const one = recordOfTrial(trial(1), "ada");
  const { config: _, search: __, ...rest } = one;
  trials.add({ ...rest, id: "default", search: { tuner: "auto" } });
  const { source } = farm({ finished: 1, running: [{ sequence: 0, node: "gpu1", sinceMs: 0, step: "run" }] });
  await start({ ...source, trials: async (_id, after) => trials.columns(after) }, false);
  await go("/run/session-7");
  await see(/^default schedule: run on gpu1/);
  await see("No trial has ended yet");
  await go("/run/session-7/trials");
  await see("0 of 0 trials");
  await see("default schedule");
  trials.add(one);
  await go("/run/session-7");
  await see(/^1 trial; the best takes .*, found by trial 1;/);
  await go("/run/session-7/trials");
  await see("1 of 1 trials");
  expect(await page.getByRole("gridcell").allInnerTexts()).toEqual(expect.arrayContaining(["default schedule", "1"]));
});

it("the default schedule is in no count and no share of trials, though the tracker's counts have it", async () => {
  const trials = new RunTrials();
  const [one, ...rest] = [1, 2, 3, 4].map((n) => recordOfTrial(trial(n, { failing: n === 2 ? 1 : 0 }), "ada"));
  for (const record of [defaultOf(one as TuningRecord), one as TuningRecord, ...rest]) trials.add(record);
  const { source } = farm({ trials: 8, finished: trials.count, failed: 1, knobs: trials.knobs });
  let areThere = false;
  await start({ ...source, trials: async (_id, after) => (areThere ? trials.columns(after) : undefined) }, false);
  const facts = async (...names: readonly string[]) => {
    const all = await page.locator("dl.facts").first().locator("dt, dd").allTextContents();
    return names.map((name) => all[all.indexOf(name) + 1]);
  };
  await go("/run/session-7");
  await see("Loading trials …");
  expect(await facts("Trials", "Failed")).toEqual(["5 of 8", "20 %"]);
  areThere = true;
  await go("/run/session-7/space");
  await see("Failures: 25.0 %");
  // One trial ends each 100 ms.
  expect(await facts("Trials", "Failed", "Trials a second", "Left")).toEqual(["4 of 8", "25 %", "10.0", "400 ms"]);
  await page.getByRole("img", { name: /^Parallel coordinates of 4 trials over 2 knobs/ }).waitFor();
  await page.getByText("Brushes by keyboard").click();
  const fastest = page.getByRole("region", { name: "The fastest within the brushes" }).locator("tbody tr");
  expect(await fastest.count()).toBe(3);
  // All that have a time but the fastest.
  await page.getByRole("slider").last().fill("0.99");
  await see(/^2 of 4 trials lie within the brushes$/);
  expect([await fastest.count(), faults]).toEqual([2, []]);
});

const button = (name: string) => page.getByRole("button", { name, exact: true });

it("a session is held, goes on and gets more trials, by keys; a refusal says why", async () => {
  const { source, asked } = farm();
  await start(source, false);
  await go("/run/session-7");
  await button("Pause session").focus();
  await page.keyboard.press("Enter");
  await see(/Pause the session\?/);
  await page.keyboard.press("Escape");
  await button("Pause session").waitFor();
  await page.keyboard.press("Enter"); // the focus is where it was
  await see(/Pause the session\?/);
  expect(asked).toEqual([]);
  await page.keyboard.press("Enter");
  await see(/^paused$/);
  expect(await violations(page)).toEqual([]);
  await button("Resume session").click();
  await see(/^open$/);
  await button("Add trials").click();
  for (const wrong of ["0", "", "1.5", "2000000"]) {
    await page.getByLabel("How many more trials?").fill(wrong);
    expect(await button("Add").isDisabled()).toBe(true);
  }
  await page.getByLabel("How many more trials?").fill("50");
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("Enter");
  await see(/^0 of 150$/);
  await button("Add trials").click();
  await page.getByLabel("How many more trials?").fill("901");
  await button("Add 901").click();
  await see("too much for this one");
  expect(asked).toEqual([
    ["session-7", "pause"],
    ["session-7", "resume"],
    ["session-7", 50],
    ["session-7", 901],
  ]);
  expect(faults).toEqual([]);
});

it("what may not be done to a session cannot be pressed, and says why", async () => {
  await start(farm({ takesTrials: false }).source, false);
  await go("/run/session-7");
  const described = (name: string) => button(name).evaluate((element) => element.getAttribute("title"));
  await button("Add trials").waitFor();
  expect([await button("Add trials").isDisabled(), await described("Add trials")]).toEqual([
    true,
    expect.stringContaining("cannot take more trials"),
  ]);
  expect(await button("Pause session").isDisabled()).toBe(false);
  await button("Add trials").press("Enter");
  await see(/^\s*Its client cannot take more trials/);
  expect(await page.getByLabel("How many more trials?").count()).toBe(0);
  await server?.[Symbol.asyncDispose]();
  await start(farm({ mine: false }).source, false);
  await go("/run/session-7");
  for (const name of ["Pause session", "Add trials", "Stop session"]) {
    await button(name).waitFor();
    expect([name, await button(name).isDisabled(), await described(name)]).toEqual([
      name,
      true,
      "Only its owner and admins change a session.",
    ]);
  }
  expect(await violations(page)).toEqual([]);
});

it("how long ago a node was seen goes on though nothing changes, and stands while updates are paused", async () => {
  // A clock is its context's.
  const page = await (browser as Browser).newPage();
  onTestFinished(() => page.close());
  await start(farm().source, false);
  await page.clock.install();
  await page.goto(new URL("/fleet", server?.address).href);
  const seen = page.getByRole("row").filter({ hasText: "gpu2" }).getByText(/ ago$/);
  await seen.waitFor();
  await page.clock.runFor(40_000);
  await seen.filter({ hasText: /^4\d s ago$/ }).waitFor();
  await page.getByRole("button", { name: "Pause updates" }).click();
  const words = await seen.textContent();
  await page.clock.runFor(10_000);
  expect(await seen.textContent()).toBe(words);
  await page.getByRole("button", { name: "Resume updates" }).click();
  await page.clock.runFor(10_000);
  await seen.filter({ hasText: /^[56]\d s ago$/ }).waitFor();
});

it("says what it waits for, and that it takes longer than usual", async () => {
  let answer = () => {};
  const gone = new Promise<undefined>((resolve) => {
    answer = () => resolve(undefined);
  });
  const none = async () => (await gone) as never;
  const source: PageSource = {
    kind: "tracker",
    ...{ runs: none, run: none, trials: none, record: none, records: none },
    farm: { fleet: none, queue: none, suites: none, suite: none, stop: none, pause: none, extend: none, drain: none },
  };
  await start(source, false);
  const loading = [
    ["/", "Loading"],
    ["/run/x", "Loading the run …"],
    ["/record/x", "Loading the record …"],
    ["/compare?records=x,y", "Loading"],
    ["/fleet", "Loading the fleet …"],
    ["/queue", "Loading"],
    ["/suites", "Loading suites …"],
    ["/suite/x", "Loading the suite …"],
  ] as const;
  for (const [turn, [path, words]] of loading.entries()) {
    await go(path);
    await see(words);
    await expectStateClean(page, `${path}, loading`, turn);
  }
  await see(/It takes longer than usual/);
  await page.goto("about:blank");
  answer();
});
