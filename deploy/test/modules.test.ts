/** Which modules a command loads: start-up time is mostly loading, about 0.7 ms of processor time per module. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { Place, shipped } from "./warpfarm-process.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const hook = new URL("./modules-log.mjs", import.meta.url).href;

/** The files, as paths within the repository. */
function loadedBy(...args: readonly string[]): readonly string[] {
  using place = new Place();
  const log = place.path("modules");
  execFileSync(process.execPath, ["--import", hook, shipped, ...args], {
    env: { ...place.env, MODULES_LOG: log },
    stdio: "ignore",
  });
  const urls = new Set(readFileSync(log, "utf8").split("\n"));
  return [...urls].filter((url) => url.startsWith("file:")).map((url) => relative(root, fileURLToPath(url)));
}

it.each([["--version"], ["--help"], ["help"]])("%s loads no command", (word) => {
  const files = loadedBy(word);
  expect(
    files.filter((file) => !/^(bin|common|deploy|client\/dist\/cli|node_modules\/(commander|pure-rand))\//.test(file)),
  ).toEqual(["client/dist/search/signals-heard.js"]);
  expect(files.filter((file) => /\/commands\//.test(file))).toEqual([]);
  expect(files.length).toBeLessThanOrEqual(63);
});

it.each([
  ["tutorial/conv2d_no_batching"],
  ["matmul_derived"],
])("space %s lowers nothing, interprets nothing and speaks to nobody", (task) => {
  const files = loadedBy("space", task);
  const needless =
    /^(proto|runner(?!.*cpu-facts)|builder|tracker)\/|^node_modules\/(?!commander\/|pure-rand\/)|\/(lower|interp|features|tuner|record|measure)\/|codegen|session|template-file/;
  expect(files.filter((file) => needless.test(file))).toEqual([]);
  expect(files.length).toBeLessThanOrEqual(304);
});
