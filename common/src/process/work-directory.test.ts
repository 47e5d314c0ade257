import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { makeWorkDirectory } from "./work-directory.ts";

test("what a killed builder left is removed, what a living one uses is not", async () => {
  const temporary = mkdtempSync(join(tmpdir(), "warpfarm-work-"));
  try {
    const { pid: dead } = spawnSync("true");
    mkdirSync(join(temporary, `warpfarm-builder-${dead}-abc`, "job"), { recursive: true });
    mkdirSync(join(temporary, `warpfarm-builder-${process.pid}-abc`));
    mkdirSync(join(temporary, "other"));
    const made = await makeWorkDirectory(temporary, "builder");
    expect(readdirSync(temporary).sort()).toEqual([basename(made), `warpfarm-builder-${process.pid}-abc`, "other"].sort());
  } finally {
    rmSync(temporary, { recursive: true });
  }
});
