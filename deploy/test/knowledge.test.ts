import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

test("the results that come with Warpfarm are what its recordings give with the templates of today", { timeout: 120_000 }, () => {
  const script = fileURLToPath(new URL("../../scripts/pack-knowledge.mjs", import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [script], { encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
});
