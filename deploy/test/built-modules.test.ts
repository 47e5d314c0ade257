/** Which of its two forms tests import of a module: the built one, unless any source is newer. */
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { builtModules, isWatching } from "../../test-support/built.ts";

const built = 1_000_000;

/** A package whose files were changed so many seconds before or after its build. */
function packageOf(files: Readonly<Record<string, number>>): string {
  const folder = mkdtempSync(join(tmpdir(), "warpfarm-built-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, seconds] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "");
    utimesSync(path, built + seconds, built + seconds);
  }
  return folder;
}
const whole = {
  "src/a.ts": -10,
  "src/deep/b.ts": -10,
  "src/a.test.ts": 10,
  "src/a.testing.ts": 10,
  "dist/.tsbuildinfo": 0,
  "dist/a.js": -100,
  "dist/deep/b.js": -100,
};
/** What a file of the package imports, by the plugin; undefined = as vite finds it. */
function imported(folder: string, source: string, importer: string): unknown {
  const resolveId = builtModules([folder])?.resolveId as ((source: string, importer: string) => unknown) | undefined;
  return resolveId?.(source, join(folder, importer));
}

it("is the built one, however it is named, and of helpers of tests the source", () => {
  const folder = packageOf(whole);
  expect(imported(folder, "./a.ts", "src/a.test.ts")).toBe(join(folder, "dist/a.js"));
  expect(imported(folder, "../src/deep/b.ts", "test/c.test.ts")).toBe(join(folder, "dist/deep/b.js"));
  expect(imported(folder, join(folder, "src/a.ts"), "test/c.test.ts")).toBe(join(folder, "dist/a.js"));
  expect(imported(folder, "./a.testing.ts", "src/a.test.ts")).toBeUndefined();
  expect(imported(folder, "./none.ts", "src/a.test.ts")).toBeUndefined();
  expect(imported(folder, "vitest", "src/a.test.ts")).toBeUndefined();
});

it.each<[what: string, files: Record<string, number>]>([
  ["a source is newer", { ...whole, "src/deep/b.ts": 1 }],
  ["a source was never built", { ...whole, "src/new.ts": -10 }],
  ["nothing was built", { "src/a.ts": -10 }],
])("is the source where %s, and so is every other", (_, files) => {
  expect(imported(packageOf(files), "./a.ts", "src/a.test.ts")).toBeUndefined();
});

it("is the source while vitest watches", () => {
  expect([["vitest"], ["vitest", "watch"], ["vitest", "a.test.ts"]].map((words) => isWatching(["node", ...words]))).toEqual([
    true,
    true,
    true,
  ]);
  expect(
    [["vitest.mjs", "run"], ["vitest", "--run"], ["scripts/test.mjs"]].map((words) => isWatching(["node", ...words])),
  ).toEqual([false, false, false]);
});
