/**
 * The page in Chromium on log files from its own server: every view in both themes and at two widths without a violation that
 * axe-core finds, live results, lost connections, keys, hostile texts. Needs `npm run build`.
 */
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@warpfarm/common";
import { createTask, templates } from "@warpfarm/templates";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { isFull, some } from "../../test-support/campaign.ts";
import { has, needs } from "../../test-support/needs.ts";
import { openDoors, openFiles, type PageDoors, type PageServer, type PageSource, pageApp, servePage } from "../src/index.ts";
import { lines, slowerLine } from "./logs.testing.ts";
import {
  assets,
  expectRight,
  expectStateClean,
  openChromium,
  openPage,
  scriptedDoors,
  type View,
  violations,
} from "./page.testing.ts";

const hostile = "<img src=x onerror=\"document.title='owned'\">";

let browser: Browser | undefined;
let page: Page;
let clear: () => Promise<void>;
let folder = "";
let log = "";
let server: PageServer;
let faults: string[] = [];

beforeAll(async () => {
  if (!has("chromium")) return;
  browser = await openChromium();
  ({ page, clear } = await openPage(browser));
});
afterAll(async () => browser?.close());

async function start(source: PageSource, doors: PageDoors = openDoors, port = 0): Promise<void> {
  const app = pageApp({
    source,
    doors,
    clock: systemClock,
    version: "0",
    isLoopback: true,
    onError: (error) => faults.push(String(error)),
    assets,
  });
  server = await servePage(app, port);
}
const openLogs = () => openFiles([folder], { now: Date.now, programOf: async () => program() });

/** A program whose kernel the page can show. */
function program(index = 0): string | undefined {
  const [name] = templates.filter(({ targets }) => targets.some(({ kind }) => kind === "cpu")).map((template) => template.name);
  const task = createTask(name ?? "", undefined, "cpu/x86-64-v2");
  const made = task.instantiate(task.space.toIndex(index));
  return made.ok ? new TextDecoder().decode(made.value.program.bytes) : undefined;
}

beforeEach(async (ctx) => {
  needs(ctx, "chromium");
  folder = mkdtempSync(join(tmpdir(), "warpfarm-page-"));
  log = join(folder, "a.jsonl");
  writeFileSync(log, lines(1, 300, { failing: 0.2, message: hostile }));
  writeFileSync(join(folder, "b.jsonl"), lines(1, 100, { seed: 3 }));
  faults = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on(
    "console",
    (message) => message.type() === "error" && !/Failed to load resource/.test(message.text()) && faults.push(message.text()),
  );
});
afterEach(async () => {
  if (browser === undefined) return;
  await clear();
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** As the page writes them. */
async function scheduleLines(text = ""): Promise<readonly string[]> {
  const { scheduleText } = await import("../page/kernel/texts.ts");
  return scheduleText(JSON.parse(text).trace).split("\n");
}

const go = (path: string) => page.goto(new URL(path, server.address).href);
const see = (text: string | RegExp) => page.getByText(text).first().waitFor();

/** Paths of every view of log files, each with a text that the loaded view shows. */
async function views(): Promise<readonly View[]> {
  const { runs } = (await (await fetch(new URL("/api/runs", server.address))).json()) as {
    runs: { id: string; finished: number }[];
  };
  const [a, b] = [
    runs.find(({ finished }) => finished === 300)?.id ?? "",
    runs.find(({ finished }) => finished === 100)?.id ?? "",
  ];
  const trials = (await (await fetch(new URL(`/api/runs/${encodeURIComponent(a)}/trials`, server.address))).json()) as {
    id: string[];
    idPrefix: string;
    errorNo: number[];
  };
  const [timed, failed] = [0, 4].map((errorNo) => trials.idPrefix + trials.id[trials.errorNo.indexOf(errorNo)]);
  return [
    ["/", "2 runs"],
    [`/run/${a}`, /300 trials; the best takes/],
    [`/run/${a}/trials`, "300 of 300 trials"],
    [`/run/${a}/space`, "Two knobs"],
    [`/record/${timed}`, "Do it again"],
    [`/record/${failed}`, hostile],
    [`/compare?runs=${a},${b}`, "2 runs compared"],
    [`/compare?records=${timed},${failed}`, /Both are the same text/],
    ["/nowhere", "Nothing is here"],
  ];
}

describe("every view", () => {
  it("is right in both themes, at 1280 and 420 pixels and at 200 %", async () => {
    await start(await openLogs());
    await expectRight(page, server.address, await views());
  });
});

it("a kernel is shown by the compiler in the browser; hostile words stay words", async () => {
  await start(await openLogs());
  const [, , , , [record = ""] = [], [failed = ""] = []] = await views();
  await go(record);
  await page.getByRole("tab", { name: "Schedule" }).click();
  await see(/s\.split\(/);
  await page.getByRole("tab", { name: "C", exact: true }).click();
  await see(/Written by Warpfarm/);
  await go(failed);
  await see(hostile);
  expect(await page.title()).toBe("Warpfarm");
  expect(faults).toEqual([]);
});

it("records are compared: kept on one's page, offered on another's; configs, verdict and code", async () => {
  const indices = new Map<string, number>();
  const programOf = async ({ id }: { readonly id: string }) => {
    if (!indices.has(id)) indices.set(id, indices.size);
    return program(indices.get(id));
  };
  await start(await openFiles([folder], { now: Date.now, programOf }));
  const [, , , , [timed = ""] = [], [failed = ""] = []] = await views();
  await go(timed);
  await page.getByRole("button", { name: "Keep to compare" }).click();
  await see(/^Kept: open another record/);
  await go(failed);
  await page.getByRole("link", { name: "Compare with the record kept" }).click();
  await see("2 records compared");
  await see(/device\.crash/);
  await see(/lines \(−\) are of record 1 alone/);
  const idOf = async (path: string): Promise<string> =>
    (await (await fetch(new URL(path.replace("/record/", "/api/records/"), server.address))).json()).record.id;
  const [id, other] = [await idOf(timed), await idOf(failed)];
  expect(new URL(page.url()).search).toBe(`?records=${encodeURIComponent(id)},${encodeURIComponent(other)}`);
  await page.getByText("Schedule", { exact: true }).click();
  expect(page.url()).toContain("form=Schedule");
  const diff = page.getByLabel("Schedule of record 1 and record 2");
  const steps = async (index: number) => scheduleLines(program(index));
  const [before, after] = [await steps(0), await steps(1)];
  const shown = async (tag: "del" | "ins") => (await diff.locator(tag).allTextContents()).map((line) => line.slice(2, -1));
  expect((await shown("del")).filter((line) => !before.includes(line))).toEqual([]);
  expect((await shown("ins")).filter((line) => !after.includes(line))).toEqual([]);
  expect(await shown("del")).not.toEqual([]);
  if (isFull) expect(await violations(page)).toEqual([]);

  // With three records, the first is compared with the chosen one; a record compared with itself has no difference.
  await go(`/compare?records=${id},${id},${other}`);
  await see("3 records compared");
  await see("as fast as the first within noise");
  await see(/Both are the same text of \d+ lines/);
  await page.locator("fieldset").getByText("record 3", { exact: true }).click();
  await see(/of record 3 alone/);
  expect(faults).toEqual([]);
});

it("10,000 results come in while one watches; what is chosen stays chosen", async () => {
  await start(await openLogs());
  const [, [run = ""] = []] = await views();
  await go(run);
  await see(/300 trials; the best takes/);
  await page.getByText("device time", { exact: true }).click();
  for (let i = 0; i < 10; i++) appendFileSync(log, lines(301 + i * 1000, 1300 + i * 1000, { failing: 0.1 }));
  await see(/10,300 trials; the best takes/);
  appendFileSync(log, slowerLine(10_301));
  await see(/10,301 trials; .* 1 trial ended early, slower than the best, and has no dot/);
  expect(page.url()).toContain("by=device-seconds");
  await page.getByRole("link", { name: "Trials", exact: true }).click();
  await see("10,301 of 10,301 trials");
  expect(faults).toEqual([]);
});

it("trials are filtered, sorted and opened by keys; the address holds it all", async () => {
  await start(await openLogs());
  const [, , [trials = ""] = []] = await views();
  await go(trials);
  await see("300 of 300 trials");
  await page.getByLabel("Filter").fill("tile_x == 8 && ok");
  await page.getByRole("button", { name: "Time" }).click();
  await see(/^\d+ of 300 trials$/);
  expect(page.url()).toMatch(/filter=tile_x.*sort=seconds/);
  await page.reload();
  await page.getByLabel("Filter").waitFor();
  expect(await page.getByLabel("Filter").inputValue()).toBe("tile_x == 8 && ok");
  await page.getByRole("grid").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await see("Do it again");
  await page.goBack();
  await page.getByLabel("Filter").fill("tile_x ==");
  await see(/ends too early/);
  expect(faults).toEqual([]);
});

it("a brush keeps what lies in it, by sliders too", async () => {
  await start(await openLogs());
  const [, , , [space = ""] = []] = await views();
  await go(space);
  await see("Drag along an axis");
  const canvas = page.getByRole("img", { name: /Parallel coordinates/ });
  const box = await canvas.boundingBox();
  if (!box) throw new Error("no canvas");
  await page.mouse.move(box.x + 40, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + 40, box.y + 120, { steps: 4 });
  await page.mouse.up();
  await see(/\d+ of 300 trials lie within the brushes/);
  await page.getByRole("button", { name: "Clear brushes" }).click();
  await see("Drag along an axis");
  await page.getByText("Brushes by keyboard").click();
  await page.getByLabel("from").first().focus();
  await page.keyboard.press("PageUp");
  await see(/lie within the brushes/);
  const fastest = page.getByRole("region", { name: "The fastest within the brushes" });
  const heads = await fastest.getByRole("columnheader").allTextContents();
  expect(heads.slice(0, 2)).toEqual(["Time", "tile_x"]);
  const rows = await fastest.getByRole("row").count();
  expect(rows).toBeGreaterThan(2);
  expect(await fastest.getByRole("cell").count()).toBe((rows - 1) * (heads.length - 1));
});

it("says that the connection is lost, and goes on when the server is there again", async () => {
  const source = await openLogs();
  await start(source);
  const { port } = new URL(server.address);
  const [, [run = ""] = []] = await views();
  await go(run);
  await see(/300 trials; the best takes/);
  await server[Symbol.asyncDispose]();
  await see(/The connection is lost/);
  for (const turn of [0, 1]) await expectStateClean(page, "a lost connection", turn);
  await see(/300 trials; the best takes/);
  appendFileSync(log, lines(301, 310));
  await start(source, openDoors, Number(port));
  await see(/310 trials; the best takes/);
  await page.getByText("The connection is lost").waitFor({ state: "detached" });
});

it("says what is empty, what is missing and what failed", async () => {
  const nothing: PageSource = {
    kind: "tracker",
    runs: async () => [],
    run: async () => undefined,
    trials: async () => undefined,
    record: async () => {
      throw new Error("a secret of the server");
    },
    records: async () => ({ records: [] }),
    farm: {
      fleet: async () => ({ atMs: 1, sinceMs: 1, nodes: [] }),
      queue: async () => ({ atMs: 1, queues: [], shares: [] }),
      suites: async () => [],
      suite: async () => undefined,
      stop: async () => {},
      pause: async () => {},
      extend: async () => {},
      drain: async () => {},
    },
  };
  await start(nothing);
  const states = [
    ["/", "No run yet"],
    ["/fleet", "No node is registered"],
    ["/queue", "Nothing waits"],
    ["/suites", "No suite yet"],
    ["/run/gone", /no run "gone"/],
    ["/suite/gone", /no suite "gone"/],
    ["/record/x", /internal error/],
    ["/compare", /Two or more runs or records/],
  ] as const;
  for (const [turn, [path, words]] of states.entries()) {
    await go(path);
    await see(words);
    await expectStateClean(page, path, turn);
  }
  expect(await page.content()).not.toContain("a secret of the server");
  await page.getByRole("button", { name: "Try again" }).count();

  // Somebody who has not signed in may have runs that are not shown.
  await start(nothing, scriptedDoors("possible", "out").doors);
  await go("/");
  await see("No run that everybody may see");
  await page.getByRole("main").getByRole("link", { name: "Sign in" }).click();
  await page.getByLabel(/Token of a client/).fill("right");
  await page.keyboard.press("Enter");
  await see("No run yet");
});

it("asks for a token where one is needed", async () => {
  const { doors } = scriptedDoors("required", "out");
  await start(await openLogs(), doors);
  await go("/");
  const field = page.getByLabel(/Token of a client/);
  await field.fill("wrong");
  await page.keyboard.press("Enter");
  await see("no principal has this token");
  expect(await page.getByRole("button", { name: "Go on without" }).count()).toBe(0);
  expect(await violations(page)).toEqual([]);
  await field.fill("right");
  await page.keyboard.press("Enter");
  await see("2 runs");
  await page.getByRole("button", { name: "Sign out" }).click();
  await field.waitFor();
  expect(await page.content()).not.toContain("matmul_derived");
});

// What is possible has all that is required, and a way without.
it.each(
  some(["required", "possible"] as const, 1),
)("an ended sign-in (%s) leads to signing in, and back to where one was", async (signIn) => {
  const { doors, end } = scriptedDoors(signIn, "in");
  await start(await openLogs(), doors);
  const { runs } = (await (await fetch(new URL("/api/runs", server.address))).json()) as { runs: { id: string }[] };
  const [one = "", two = ""] = runs.map(({ id }) => encodeURIComponent(id));
  await go(`/run/${one}/trials?filter=ok`);
  await see(/^\d+ of \d+ trials$/);
  end();
  await see(/You are not signed in any more: the sign-in has ended/);
  expect(await page.content()).not.toContain("matmul_derived");
  expect(await violations(page)).toEqual([]);
  expect(await page.getByRole("button", { name: "Go on without" }).count()).toBe(signIn === "possible" ? 1 : 0);
  await page.keyboard.type("right"); // the field has the focus
  await page.keyboard.press("Enter");
  await see(/^\d+ of \d+ trials$/);
  expect(await page.getByLabel("Filter").inputValue()).toBe("ok");
  expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe(`/run/${one}/trials?filter=ok`);

  // The sign-in can also expire during a request, and from the link of a page that shows public data.
  if (signIn === "required") return;
  end();
  await page.getByRole("button", { name: "Go on without" }).click();
  await see(/^\d+ of \d+ trials$/);
  await go(`/compare?runs=${one},${two}`);
  await page.getByRole("link", { name: "Sign in" }).press("Enter");
  await see("An admin of the tracker makes tokens");
  await page.keyboard.type("right"); // the field has the focus
  await page.keyboard.press("Enter");
  await see("2 runs compared");
  await go("/sign-in?to=//evil.example/");
  await page.getByLabel(/Token of a client/).fill("right");
  await page.keyboard.press("Enter");
  await see("2 runs");
  expect(new URL(page.url()).pathname).toBe("/");
  expect(faults).toEqual([]);
});
