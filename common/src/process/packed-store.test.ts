/** Where a packed store is looked for, and kept. What the store holds: the tests of the tracker's and the records' stores. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { packedStore } from "./packed-store.ts";

const base = mkdtempSync(join(tmpdir(), "warpfarm-packed-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const engine = join(base, "engine", "dist", "index.js");
mkdirSync(join(base, "engine", "dist"), { recursive: true });
writeFileSync(join(base, "engine", "package.json"), '{"version":"1.2.3"}');

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();
let made = 0;
const make = async () => new Uint8Array(Buffer.from(`made ${++made}`));

it("an installation without one makes it once, and keeps it in the user's cache, for each schema apart", async () => {
  const env = { XDG_CACHE_HOME: join(base, "cache") };
  const store = (schema: string) => packedStore(join(base, "dist"), engine, [schema], env);
  expect([text(await store("a").read(make)), text(await store("a").read(make))]).toEqual(["made 1", "made 1"]);
  expect(text(await store("b").read(make))).toBe("made 2");
  const kept = readdirSync(join(base, "cache/warpfarm/stores"));
  expect(kept.length).toBe(2);
  // The one beside the code comes first.
  const path = await store("a").path();
  expect(kept.map((name) => join(base, "dist", name))).toContain(path);
  mkdirSync(join(base, "dist"));
  writeFileSync(path, "built");
  expect(text(await store("a").read(make))).toBe("built");
  // Another version of the engine reads no store of this one.
  writeFileSync(join(base, "engine", "package.json"), '{"version":"1.2.4"}');
  expect(text(await store("a").read(make))).toBe("made 3");
});

it("a cache that cannot be written costs the time again", async () => {
  const file = join(base, "file");
  writeFileSync(file, "mine");
  const store = packedStore(join(base, "elsewhere"), engine, [], { XDG_CACHE_HOME: file });
  const before = made;
  for (const more of [1, 2]) expect(text(await store.read(make))).toBe(`made ${before + more}`);
  expect(readFileSync(file, "utf8")).toBe("mine");
});
