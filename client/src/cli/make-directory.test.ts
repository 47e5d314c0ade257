/** Directories that several processes make at once, such as a builder and a runner that start together on a new machine. */
import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratch } from "./context.testing.ts";
import { makeDirectory } from "./make-directory.ts";

test("whoever comes second finds it made, parents and all", async () => {
  const root = scratch();
  const paths = ["builder", "runner", "builder", "runner"].map((name) => join(root, "a", "b", "c", name));
  await Promise.all(paths.map((path) => makeDirectory("cache", path)));
  for (const path of paths) expect(statSync(path).isDirectory()).toBe(true);
});

test("a directory that was not there is told of, once", async () => {
  const path = join(scratch(), "a", "b");
  const told: unknown[] = [];
  const stderr = { write: (text: string | Uint8Array) => told.push(text) };
  await makeDirectory("log", path, stderr);
  await makeDirectory("log", path, stderr);
  expect(told).toEqual([`the log's directory ${path} was made\n`]);
});

test("disposal removes what was made, where it is empty", async () => {
  const root = scratch();
  {
    await using _both = await makeDirectory("log", join(root, "a", "b"));
    await using _one = await makeDirectory("log", join(root, "a", "c"));
    writeFileSync(join(root, "a", "c", "file"), "");
    await using _none = await makeDirectory("log", root);
    await using _parents = await makeDirectory("log", join(root, "d", "e", "f"));
  }
  expect(["a/b", "a/c", "."].map((path) => existsSync(join(root, path)))).toEqual([false, true, true]);
  expect(existsSync(join(root, "d"))).toBe(false);
});

test("a file in its place, or in a parent's, is named", async () => {
  const root = scratch();
  writeFileSync(join(root, "file"), "");
  await expect(makeDirectory("cache", join(root, "file"))).rejects.toThrow(
    /cache directory .*file cannot be made: a file has that name; WARPFARM_CACHE_DIR names another$/,
  );
  await expect(makeDirectory("cacheDir", join(root, "file"))).rejects.toThrow(/; the option cacheDir names another$/);
  await expect(makeDirectory("cache", join(root, "file", "x"))).rejects.toThrow(
    /cannot be made: a part of its path is a file, not a folder/,
  );
});
