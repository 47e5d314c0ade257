/** Helpers of the tests of the page in Chromium: the built assets, axe-core, a sign-in. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { FarmError } from "@warpfarm/common";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { expect } from "vitest";
import { isFull } from "../../test-support/campaign.ts";
import type { PageDoors } from "../src/index.ts";
import { readAssets } from "../src/server/assets.ts";

export const assets = readAssets(fileURLToPath(new URL("../dist/page/", import.meta.url)));
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Two parts of Chromium's own window are pages with a process each: starting them takes nearly half of what Chromium takes. */
const unwanted = ["WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup", "PreloadTopChromeWebUI"];
/** Features that Playwright disables too: Chromium reads only the last list. */
const unwantedAnyway = ["PaintHolding", "HttpsUpgrades", "MediaRouter", "OptimizationHints", "NetworkTimeServiceQuerying"];
/** Without the GPU process: the test machines have no graphics card, and no test compares pixels. */
const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--in-process-gpu",
  "--disable-software-rasterizer",
  `--disable-features=${[...unwanted, ...unwantedAnyway].join(",")}`,
];

export const openChromium = (): Promise<Browser> => chromium.launch({ executablePath: "/usr/bin/chromium", args: flags });

/**
 * One context for all tests of a file: a page in a new context takes one more second of a processor. Each test's server has its
 * own port, so tests share no storage except cookies, which a test must clear.
 */
export async function openContext(browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  // Half a minute is Playwright's own: a busy machine takes longer.
  context.setDefaultTimeout(300_000);
  return context;
}

/** Violations that axe-core finds, with the markup; with `only`, of that rule alone. */
export async function violations(page: Page, only?: string): Promise<readonly string[]> {
  // Evaluated by the debugger, which the page's content security policy does not restrict.
  await page.evaluate(`globalThis.axe ?? (() => { ${axe} })()`);
  return page.evaluate(async (rule) => {
    const { axe: checker } = globalThis as unknown as {
      axe: { run(context: unknown, o: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    // Neither what passed nor ways to find an element again, which cost more than the rules.
    const told = { resultTypes: ["violations"], selectors: false, preload: false };
    const asked = rule === undefined ? told : { ...told, runOnly: [rule] };
    return (await checker.run((globalThis as unknown as { document: unknown }).document, asked)).violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`,
    );
  }, only);
}

/**
 * Theme, width, and the one rule whose result can differ from the previous combination. 640 is 1280 at 200 %. The style sheet has
 * two themes and two ranges of width, and the first two rows have each of them once. axe-core checks the other rows in the
 * campaign.
 */
const shown = [
  ["light", 1280, undefined],
  ["dark", 420, undefined],
  ["light", 640, undefined],
  ["dark", 1280, "color-contrast"],
  ["light", 420, "color-contrast"],
] as const;

/**
 * In both themes and at every width: axe-core finds no violation, and nothing is wider than the window. `what` is for messages.
 */
export async function expectClean(page: Page, what: string): Promise<void> {
  for (const [i, [theme, width, only]] of shown.slice(0, isFull ? 5 : 3).entries()) {
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize({ width, height: 900 });
    const found = i < 2 || isFull ? await violations(page, only) : [];
    expect([what, theme, width, found]).toEqual([what, theme, width, []]);
    const over = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
    expect([what, theme, width, over]).toEqual([what, theme, width, 0]);
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1280, height: 900 });
}

/** A path of the page, and a text that the loaded view shows. */
export type View = readonly [path: string, words: string | RegExp];

/** Every view: its words are there, and it is clean. */
export async function expectRight(page: Page, address: string, views: readonly View[]): Promise<void> {
  for (const [path, words] of views) {
    await page.goto(new URL(path, address).href);
    await page.getByText(words).first().waitFor();
    await expectClean(page, path);
  }
}

/** Doors that accept the token "right"; `end` is when the sign-in expires. */
export function scriptedDoors(signIn: "required" | "possible", begin: "out" | "in"): { doors: PageDoors; end: () => void } {
  let state: "out" | "in" | "ended" = begin;
  const refuse = (words: string): never => {
    throw new FarmError("UNAUTHENTICATED", words);
  };
  const doors: PageDoors = {
    signIn,
    viewerOf() {
      if (state === "ended") refuse("the sign-in has ended: sign in again");
      if (state === "out" && signIn === "required") refuse("sign in with a token");
      return { name: state === "in" ? "ada" : "", isAdmin: false };
    },
    enter(_, token) {
      if (token !== "right") refuse("no principal has this token");
      state = "in";
      return { name: "ada", isAdmin: false };
    },
    leave() {
      state = "out";
    },
  };
  return {
    doors,
    end: () => {
      state = "ended";
    },
  };
}
