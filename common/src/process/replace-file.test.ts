/** A file that is replaced while somebody reads it. */
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { replaceFile } from "./replace-file.ts";

test("who has opened the file reads what it was, who opens it later the whole of what it is, and no draft stays", async () => {
  const folder = mkdtempSync(join(tmpdir(), "warpfarm-replace-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "kept");
  writeFileSync(path, "before");
  const opened = openSync(path, "r");
  onTestFinished(() => closeSync(opened));
  await replaceFile(path, "after");
  expect(readFileSync(opened, "utf8")).toBe("before");
  expect(readFileSync(path, "utf8")).toBe("after");
  expect(readdirSync(folder)).toEqual(["kept"]);
});
