/** Benches of GPUs as they run without one. Nothing else runs them but people who measure. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { isFull } from "../../test-support/campaign.ts";
import { needs } from "../../test-support/needs.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

test("each kernel of export.mjs is exported for its template's target, and nvcc takes it", (ctx) => {
  if (!isFull)
    ctx.skip("part of the campaign: nvcc takes a minute, and client/src/export/export.test.ts has a kernel of each kind");
  needs(ctx, "nvcc");
  const out = mkdtempSync(join(tmpdir(), "warpfarm-dry-"));
  onTestFinished(() => rmSync(out, { recursive: true, force: true }));
  const args = ["bench/gpu/export.mjs", "--dry", "--only", "cuda"];
  const said = execFileSync(process.execPath, args, { cwd: root, env: { ...process.env, OUT: out }, encoding: "utf8" });
  expect(said.match(/^(?:tutorial|splitk|mma|tma|own) +yes/gm)).toHaveLength(5);
});
