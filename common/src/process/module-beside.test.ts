import { expect, test } from "vitest";
import { moduleBeside } from "./module-beside.ts";

test.each([
  ["file:///farm/runner/src/worker/host.ts", "/farm/runner/dist/worker/child.js"],
  ["file:///home/src/farm/runner/src/worker/host.ts", "/home/src/farm/runner/dist/worker/child.js"],
  ["file:///farm/runner/dist/worker/host.js", "/farm/runner/dist/worker/child.js"],
  [
    "file:///home/src/node_modules/@warpfarm/runner/dist/worker/host.js",
    "/home/src/node_modules/@warpfarm/runner/dist/worker/child.js",
  ],
])("the child of %s is the compiled %s", (caller, child) => {
  expect(moduleBeside(caller, "child")).toBe(child);
});
