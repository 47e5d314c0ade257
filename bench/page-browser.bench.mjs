/**
 * The page in Chromium on a log of 100,000 trials, served on loopback: first paint, until its trials are listed, main-thread work
 * of a frame while a brush is drawn and the list is scrolled, heap, and weight. `npm run bench -- page-browser`.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { chromium } from "playwright-core";
import { medianOf, table } from "./table.mjs";

const trials = 100_000;
const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** A recorded log's lines, each again with another number until there are enough. */
function longLog(path) {
  const lines = gunzipSync(readFileSync(at("bench/results/logs/shapes-hwcn-conv2d_hwcn_direct-1.jsonl.gz")))
    .toString()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));
  const many = Array.from({ length: trials }, (_, i) => {
    const line = structuredClone(lines[i % lines.length]);
    line.warpfarm.sequence = i + 1;
    line.warpfarm.timestamp_ms += i * 50;
    return JSON.stringify(line);
  });
  writeFileSync(path, `${many.join("\n")}\n`);
}

function serve(folder) {
  const child = spawn(process.execPath, [at("bin/warpfarm.js"), "view", folder], { stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`view ended with ${code}`)));
    child.stdout.on("data", (data) => {
      const found = /http:\S+/.exec(String(data));
      if (found) resolve({ child, address: found[0] });
    });
  });
}

async function framesOf(page, act) {
  const client = await page.context().newCDPSession(page);
  await client.send("Performance.enable");
  const taskMs = async () => {
    const { metrics } = await client.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration").value * 1000;
  };
  // Texts, for what a browser has is unknown to Node's types.
  await page.evaluate("globalThis.frames = 0; (function count() { globalThis.frames++; requestAnimationFrame(count); })()");
  const before = await taskMs();
  await act();
  const work = (await taskMs()) - before;
  return work / Number(await page.evaluate("globalThis.frames"));
}

async function placeOf(locator) {
  const box = await locator.boundingBox();
  if (!box) throw new Error(`${locator} is not shown`);
  return box;
}

async function measure(address) {
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    const { runs } = /** @type {{ runs: { id: string }[] }} */ (await (await fetch(`${address}api/runs`)).json());
    const run = encodeURIComponent(runs[0].id);
    const paints = [];
    for (let i = 0; i < 5; i++) {
      await page.goto(address);
      await page.getByText("1 run").first().waitFor();
      paints.push(Number(await page.evaluate('performance.getEntriesByName("first-contentful-paint")[0].startTime')));
    }
    const opened = [];
    for (let i = 0; i < 3; i++) {
      const begun = performance.now();
      await page.goto(`${address}run/${run}/trials`);
      await page.getByText(`${trials.toLocaleString("en")} of`).waitFor();
      opened.push(performance.now() - begun);
    }
    const grid = page.getByRole("grid");
    const box = await placeOf(grid);
    await page.mouse.move(box.x + 200, box.y + 200);
    const scrolled = await framesOf(page, async () => {
      for (let i = 0; i < 60; i++) await page.mouse.wheel(0, 400);
    });
    await page.goto(`${address}run/${run}/space`);
    await page.getByText("Drag along an axis").waitFor();
    const canvas = await placeOf(page.getByRole("img", { name: /Parallel/ }));
    await page.mouse.move(canvas.x + 40, canvas.y + 40);
    await page.mouse.down();
    const brushed = await framesOf(page, async () => {
      for (let i = 0; i < 60; i++) await page.mouse.move(canvas.x + 40, canvas.y + 40 + i * 3);
    });
    await page.mouse.up();
    const heap = Number(await page.evaluate("performance.memory.usedJSHeapSize / 2 ** 20"));
    return { paint: medianOf(paints), opened: medianOf(opened), scrolled, brushed, heap };
  } finally {
    await browser.close();
  }
}

/** Kilobytes, packed by gzip, of what is loaded before anything is asked for. */
function weight() {
  const folder = at("web/dist/page/assets");
  const sizes = readdirSync(folder)
    .filter((name) => name.startsWith("index-") && name.endsWith(".gz"))
    .map((name) => readFileSync(join(folder, name)).length);
  return sizes.reduce((a, b) => a + b, 0) / 1000;
}

export async function run() {
  const folder = mkdtempSync(join(tmpdir(), "warpfarm-page-"));
  longLog(join(folder, "long.jsonl"));
  const { child, address } = await serve(folder);
  try {
    const { paint, opened, scrolled, brushed, heap } = await measure(address);
    const row = (what, value, unit, wanted) => ({
      what,
      value: value.toFixed(value < 100 ? 1 : 0),
      unit,
      wanted: `under ${wanted}`,
    });
    table("page-browser", [
      row("first contentful paint", paint, "ms", 300),
      row("100,000 trials opened", opened, "ms", 1000),
      row("main thread, a frame of scrolling the list", scrolled, "ms", 15),
      row("main thread, a frame of a brush", brushed, "ms", 15),
      row("heap", heap, "MB", 250),
      row("weight, gzip", weight(), "kB", 150),
    ]);
  } finally {
    child.removeAllListeners("exit");
    child.kill("SIGTERM");
    rmSync(folder, { recursive: true, force: true });
  }
}
