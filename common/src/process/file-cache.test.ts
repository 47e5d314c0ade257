/**
 * Files on a disk that fills up: what is evicted for a new one, what must stay, and when the trouble ends. The disk is a number
 * of bytes.
 */
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { FarmError } from "../farm-error.ts";
import { FileCache } from "./file-cache.ts";

const directories: string[] = [];
afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
});

/** A cache on a disk of `bytes` bytes. The part of a file that does not fit is cut off, as on a real disk. */
async function cacheOn(disk: { bytes: number; code?: string }) {
  const directory = mkdtempSync(join(tmpdir(), "warpfarm-file-cache-"));
  directories.push(directory);
  const listed = () => readdirSync(directory).sort();
  const cache = new FileCache({
    directory,
    maxBytes: 1_000,
    pattern: /^[a-z]$/,
    writeFile: async (path, bytes) => {
      const used = listed().reduce((sum, name) => sum + statSync(join(directory, name)).size, 0);
      writeFileSync(path, bytes.subarray(0, Math.max(0, disk.bytes - used)));
      if (used + bytes.length > disk.bytes) throw Object.assign(new Error("no space"), { code: disk.code ?? "ENOSPC" });
    },
  });
  await cache.open();
  return { cache, listed };
}
const refusal = (write: Promise<void>) =>
  write.then(
    () => "written",
    (error: unknown) => (error instanceof FarmError ? error.code : error),
  );
const bytes = (n: number) => new Uint8Array(n).fill(7);

test.for([
  "ENOSPC",
  "EDQUOT",
])("on a full disk (%s) the least recently used files make room, and no more of them than must", async (code) => {
  const { cache, listed } = await cacheOn({ bytes: 100, code });
  for (const name of ["a", "b", "c"]) await cache.write(name, bytes(30));
  await cache.read("a");
  await cache.write("d", bytes(40));
  expect(listed()).toEqual(["a", "c", "d"]);
  expect(cache.names).toEqual(["c", "a", "d"]);
  expect(await cache.read("d")).toEqual(Buffer.from(bytes(40)));
  expect(cache.trouble).toBe("");
});

test("files to keep stay; when all others are gone and it does not fit, that is trouble, until there is room for it", async () => {
  const disk = { bytes: 100 };
  const { cache, listed } = await cacheOn(disk);
  for (const name of ["a", "b", "c"]) await cache.write(name, bytes(30));
  expect(await refusal(cache.write("d", bytes(80), ["b"]))).toBe("RESOURCE_EXHAUSTED");
  expect(listed()).toEqual(["b"]);
  expect(cache.trouble).toContain("no space");
  await cache.probe();
  expect(cache.trouble).toContain("no space");
  disk.bytes = 110;
  await cache.probe();
  expect(cache.trouble).toBe("");
  expect(listed()).toEqual(["b"]);
});

test("a write that succeeds ends the trouble too", async () => {
  const { cache } = await cacheOn({ bytes: 100 });
  expect(await refusal(cache.write("a", bytes(101)))).toBe("RESOURCE_EXHAUSTED");
  await cache.write("b", bytes(10));
  expect(cache.trouble).toBe("");
});

test("a disk that refuses for another reason costs no file", async () => {
  const disk: { bytes: number; code?: string } = { bytes: 100, code: "EIO" };
  const { cache, listed } = await cacheOn(disk);
  await cache.write("a", bytes(60));
  expect(await refusal(cache.write("b", bytes(60)))).toBe("UNAVAILABLE");
  expect(listed()).toEqual(["a"]);
  expect(cache.trouble).toBe("");
});

test.for([
  ["EROFS", "its file system is read-only"],
  ["EACCES", "this user has no right to it"],
] as const)("a directory that takes no file (%s) is refused at once, by its name; a full one is not", async ([code, why]) => {
  const refused = expect.objectContaining({
    code: "FAILED_PRECONDITION",
    message: expect.stringMatching(new RegExp(`^cache directory /\\S+ nothing can be written there .${why}.; name another`)),
  });
  await expect(cacheOn({ bytes: -1, code })).rejects.toEqual(refused);
  const { cache, listed } = await cacheOn({ bytes: -1 });
  expect([cache.trouble, listed()]).toEqual(["", []]);
});

test("within its limit of bytes nothing goes; over it the least recently used go, until it fits again", async () => {
  const { cache } = await cacheOn({ bytes: 10_000 });
  for (const name of ["a", "b", "c"]) await cache.write(name, bytes(300));
  await cache.write("d", bytes(100));
  await cache.read("a");
  await cache.write("e", bytes(301));
  expect(cache.names).toEqual(["d", "a", "e"]);
});

test("the file just written and those to keep stay, though they are over the limit", async () => {
  const { cache, listed } = await cacheOn({ bytes: 10_000 });
  for (const name of ["a", "b"]) await cache.write(name, bytes(300));
  await cache.write("c", bytes(1_200), ["a"]);
  expect(listed()).toEqual(["a", "c"]);
});

test("touching a file counts as use, as reading does; one that is not there, or no longer, is no file", async () => {
  const { cache } = await cacheOn({ bytes: 10_000 });
  for (const name of ["a", "b", "c"]) await cache.write(name, bytes(300));
  expect([await cache.touch("a"), await cache.touch("z")]).toEqual([true, false]);
  expect(cache.names).toEqual(["b", "c", "a"]);
  await cache.write("d", bytes(300));
  rmSync(cache.pathOf("c"));
  expect([await cache.touch("c"), cache.names]).toEqual([false, ["a", "d"]]);
});
