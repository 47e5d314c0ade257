/** Helpers of the tests of the page in Chromium: the built assets, axe-core, a sign-in. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { FarmError } from "@warpfarm/common";
import { type Browser, chromium, type Page } from "playwright-core";
import { expect } from "vitest";
import { isFull } from "../../test-support/campaign.ts";
import type { PageDoors } from "../src/index.ts";
import { readAssets } from "../src/server/assets.ts";

export const assets = readAssets(fileURLToPath(new URL("../dist/page/", import.meta.url)));
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Two parts of Chromium's own window are pages with a process each: starting them takes nearly half of what Chromium takes. */
const unwanted = ["WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup", "PreloadTopChromeWebUI"];
/** One process for all documents: else each test's server, and each blank page between, has a new one. */
const oneRenderer = ["--renderer-process-limit=1", "--process-per-site", "--disable-site-isolation-trials"];
const spares = ["SpareRendererForSitePerProcess"];
/** Features that Playwright disables too: Chromium reads only the last list. */
const unwantedAnyway = ["PaintHolding", "HttpsUpgrades", "MediaRouter", "OptimizationHints", "NetworkTimeServiceQuerying"];
/** Without the GPU process: the test machines have no graphics card, and no test compares pixels. */
const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--in-process-gpu",
  "--disable-software-rasterizer",
  ...oneRenderer,
  `--disable-features=${[...unwanted, ...spares, ...unwantedAnyway].join(",")}`,
];

export const openChromium = (): Promise<Browser> => chromium.launch({ executablePath: "/usr/bin/chromium", args: flags });

/** Ends a test that waits in vain; a machine may be busy. */
const patienceMs = 180_000;

/**
 * One page for all tests of a file. Each test's server has its own port, so tests share no storage
 * except cookies, which `clear` removes, as it does the last test's listeners.
 */
export async function openPage(browser: Browser): Promise<{ readonly page: Page; clear(): Promise<void> }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  context.setDefaultTimeout(patienceMs);
  const page = await context.newPage();
  return {
    page,
    async clear() {
      page.removeAllListeners();
      await page.goto("about:blank");
      await context.clearCookies();
    },
  };
}

/** What axe-core finds wrong, with the markup; by some rules alone where they are named. */
export async function violations(page: Page, only?: readonly string[]): Promise<readonly string[]> {
  // By the debugger, which the page's policy does not bind; half a megabyte, so once a document.
  if (!(await page.evaluate("globalThis.axe !== undefined"))) await page.evaluate(axe);
  return page.evaluate(async (rules) => {
    const { axe: checker } = globalThis as unknown as {
      axe: { run(context: unknown, o: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    // Without the style sheets, which no rule of these reads, and without what was found right.
    const asked = { preload: false, resultTypes: ["violations"], ...(rules ? { runOnly: rules } : {}) };
    return (await checker.run((globalThis as unknown as { document: unknown }).document, asked)).violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`,
    );
  }, only);
}

/**
 * Rules that can come out otherwise by another theme, and by another width. The page's markup depends on neither, and its style
 * sheet hides nothing by width.
 */
const byTheme = ["color-contrast"];
const bySize = ["scrollable-region-focusable", "target-size"];
const byWidth = [...byTheme, ...bySize];

/** Theme, width, and the rules that can come out otherwise than before; only the width is looked at where there are none. */
type Look = readonly ["light" | "dark", number, readonly string[] | undefined];

/**
 * 640 is 1280 at 200 %, and has the style of 420. axe-core takes most of the time, so in npm test it judges each view once, in
 * the one theme and at the one end or in the other and at the other: views of a kind take turns, as its states do. Only the
 * campaign has the other looks.
 */
const shownAt = (turn: number): readonly Look[] =>
  isFull
    ? [
        ["light", 1280, undefined],
        ["dark", 1280, byTheme],
        ["dark", 420, byWidth],
        ["light", 420, byTheme],
        ["light", 640, bySize],
      ]
    : [
        ["light", 1280, turn % 2 === 0 ? undefined : []],
        ["dark", 420, turn % 2 === 0 ? [] : undefined],
      ];

/** Of a state of a view, whose own look was judged in all of them: both themes and both ends; in npm test one after another. */
const shownOfStates: readonly Look[] = [
  ["light", 1280, undefined],
  ["dark", 420, isFull ? byWidth : undefined],
];

/**
 * An empty view, one that loads or fails, one whose connection is lost. `turn`: of its kind. The states of a kind have the same
 * parts, so in npm test axe-core judges the first two, each in a look of its own.
 */
export async function expectStateClean(page: Page, what: string, turn = 0): Promise<void> {
  if (isFull) await expectCleanIn(shownOfStates, page, what);
  else if (turn < 2) await expectCleanIn(shownOfStates.slice(turn, turn + 1), page, what);
}

/** axe-core finds no fault, and nothing is wider than the window. `what`: for people. */
async function expectCleanIn(looks: readonly Look[], page: Page, what: string): Promise<void> {
  for (const [theme, width, only] of looks) {
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize({ width, height: 900 });
    const found = only?.length === 0 ? [] : await violations(page, only);
    expect([what, theme, width, found]).toEqual([what, theme, width, []]);
    // Charts take their new width a moment after the window.
    const over = () => page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
    await expect.poll(over, { message: `${what} in ${theme} at ${width}: wider than the window` }).toBe(0);
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1280, height: 900 });
}

/** A path of the page, and a text that the loaded view shows. */
export type View = readonly [path: string, words: string | RegExp];

/** Every view: its words are there, and it is clean. */
export async function expectRight(page: Page, address: string, views: readonly View[]): Promise<void> {
  for (const [turn, [path, words]] of views.entries()) {
    await page.goto(new URL(path, address).href);
    await page.getByText(words).first().waitFor();
    await expectCleanIn(shownAt(turn), page, path);
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
