/** What tests of the page in Chromium share: the built assets, and axe-core. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { expect } from "vitest";
import { readAssets } from "../src/server/assets.ts";

export const assets = readAssets(fileURLToPath(new URL("../dist/page/", import.meta.url)));
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Without the process that draws for a graphics card: nothing here has one, and nothing looks at its pixels. */
const flags = ["--no-sandbox", "--disable-gpu", "--in-process-gpu", "--disable-software-rasterizer"];

export const openChromium = (): Promise<Browser> => chromium.launch({ executablePath: "/usr/bin/chromium", args: flags });

/**
 * One context for a file's tests: a page of another takes a second of a processor more. Each test's server has a port of its own,
 * so no test finds what another one stored but cookies, which are to be cleared.
 */
export const openContext = (browser: Browser): Promise<BrowserContext> =>
  browser.newContext({ viewport: { width: 1280, height: 900 } });

/** What axe-core finds wrong, with the markup. */
export async function violations(page: Page): Promise<readonly string[]> {
  // By the debugger, which the page's policy does not bind.
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe: checker } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    return (await checker.run()).violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`,
    );
  });
}

/** A path of the page, and words that it shows once it is there. */
export type View = readonly [path: string, words: string | RegExp];

/** Every view: its words are there, axe-core finds no fault, and nothing is wider than the window. */
export async function expectRight(page: Page, address: string, views: readonly View[]): Promise<void> {
  for (const [path, words] of views) {
    await page.goto(new URL(path, address).href);
    await page.getByText(words).first().waitFor();
    expect([path, await violations(page)]).toEqual([path, []]);
    const over = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
    expect([path, over]).toEqual([path, 0]);
  }
}
