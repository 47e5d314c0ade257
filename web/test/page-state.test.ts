/**
 * What a user chose stays: in the address, when the page is loaded again, when one comes back, and while new trials come. All of
 * it by keys, in Chromium on a log file. Needs `npm run build`.
 */
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@warpfarm/common";
import { createTask } from "@warpfarm/templates";
import type { Page } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { needs } from "../../test-support/needs.ts";
import { openDoors, openFiles, pageApp, servePage } from "../src/index.ts";
import { lines } from "./logs.testing.ts";
import { assets, openChromium, violations } from "./page.testing.ts";

const task = createTask("matmul_derived", undefined, "cpu/x86-64-v2");
const made = task.instantiate(task.space.toIndex(0));
const program = made.ok ? new TextDecoder().decode(made.value.program.bytes) : undefined;

const rowOf = (page: Page, selected: boolean) => page.locator(`[role=row][aria-selected=${selected}]`);
/** The number of the trial in the row that is selected. */
const selected = async (page: Page): Promise<string> =>
  (await rowOf(page, true).locator("[role=gridcell]").first().textContent()) ?? "";

interface At {
  readonly page: Page;
  readonly log: string;
  readonly see: (text: string | RegExp) => Promise<void>;
  readonly param: (name: string) => string | null;
  readonly go: (tab: string) => Promise<unknown>;
}

async function zoomStays({ page, log, see, param, go }: At): Promise<void> {
  await go("");
  await page.getByText("Zoom by keyboard").click();
  const end = (name: string) => page.getByLabel(name, { exact: true });
  await end("trial from").fill("50");
  await page.keyboard.press("Enter");
  await end("trial to").fill("90");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Show all" }).waitFor();
  expect(param("zoom")).toBe("50~90");
  /** Pixels of the plot, which differ when it shows other trials. */
  const drawn = () => page.evaluate("document.querySelector('.plot canvas').toDataURL()");
  const zoomed = await drawn();
  appendFileSync(log, lines(201, 220));
  await see(/220 trials; the best takes/);
  expect(await drawn()).toBe(zoomed);
  await page.getByLabel("Theme").selectOption("dark");
  await page.getByLabel("Theme").selectOption("light");
  await page.waitForFunction(
    (was) =>
      (globalThis as unknown as { document: { querySelector(s: string): { toDataURL(): string } } }).document
        .querySelector(".plot canvas")
        .toDataURL() === was,
    zoomed,
    { polling: 100 },
  );
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Show all" }).press("Enter");
  await page.getByRole("button", { name: "Show all" }).waitFor({ state: "detached" });
  expect(param("zoom")).toBe(null);
}

async function orderAndRowStay({ page, log, see, param, go }: At): Promise<void> {
  await go("/trials");
  await see("220 of 220 trials");
  const heads = page.locator("[role=columnheader] button");
  await heads.first().focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  expect(param("sort")).toBe("seconds");
  await page.getByRole("grid").focus();
  for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowDown");
  await rowOf(page, true).waitFor();
  const chosen = await selected(page);
  const before = await page.getByText(/^best: /).textContent();
  appendFileSync(log, lines(221, 900, { seed: 5 }));
  await see("900 of 900 trials");
  expect(await selected(page)).toBe(chosen);
  // Another trial stands where it stood, so the new ones came between.
  expect(await rowOf(page, true).getAttribute("aria-rowindex")).not.toBe("5");
  // The header's comes with the run's summary, which may be later than its trials.
  await expect.poll(() => page.getByText(/^best: /).textContent(), { timeout: 10_000 }).not.toBe(before);
  await page.getByRole("grid").focus();
  await page.keyboard.press("Enter");
  await see("Do it again");

  // Form of the kernel, and back.
  await page.getByRole("tab", { name: "Schedule" }).click();
  await see(/s\.split\(/);
  await page.reload();
  await see(/s\.split\(/);
  expect(await page.getByRole("tab", { name: "Schedule" }).getAttribute("aria-selected")).toBe("true");
  await page.goBack();
  await see("900 of 900 trials");
  await rowOf(page, true).waitFor();
  expect(await selected(page)).toBe(chosen);
}

async function brushesAndKnobsStay({ page, see, param, go }: At): Promise<void> {
  await go("/space");
  await page.getByText("Brushes by keyboard").click();
  await page.getByLabel("from").first().focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await see(/lie within the brushes/);
  expect(param("brush")).toBe('[["tile_x","4","32"]]');
  expect(await page.getByLabel("from").first().getAttribute("aria-valuetext")).toBe("4");
  const brushed = await page.getByText(/lie within the brushes/).textContent();
  await page.getByLabel("down").selectOption({ label: "vector" });
  await page.reload();
  await see(/lie within the brushes/);
  expect(await page.getByText(/lie within the brushes/).textContent()).toBe(brushed);
  expect(
    await page
      .getByLabel("down")
      .evaluate((of) => (of as unknown as { selectedOptions: { label: string }[] }).selectedOptions[0]?.label),
  ).toBe("vector");
}

it("zoom, row, sort order, brushes, knobs and form of the kernel stay as they were chosen", async (ctx) => {
  needs(ctx, "chromium");
  const folder = mkdtempSync(join(tmpdir(), "warpfarm-state-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const log = join(folder, "a.jsonl");
  writeFileSync(log, lines(1, 200));
  const source = await openFiles([folder], { now: Date.now, programOf: async () => program });
  const faults: string[] = [];
  const onError = (error: unknown) => faults.push(String(error));
  const server = await servePage(
    pageApp({ source, doors: openDoors, clock: systemClock, version: "0", isLoopback: true, onError, assets }),
    0,
  );
  onTestFinished(() => server[Symbol.asyncDispose]());
  const browser = await openChromium();
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  page.setDefaultTimeout(180_000);
  page.on("pageerror", (error) => faults.push(error.message));
  const see = (text: string | RegExp) => page.getByText(text).first().waitFor();
  const param = (name: string) => new URL(page.url()).searchParams.get(name);
  const [run] = await source.runs({ name: "", isAdmin: true });
  const go = (tab: string) => page.goto(new URL(`/run/${run?.id}${tab}`, server.address).href);
  const at: At = { page, log, see, param, go };
  await zoomStays(at);
  await orderAndRowStay(at);
  await brushesAndKnobsStay(at);
  expect(faults).toEqual([]);
});
