/** How a job's code gets into the folder that its child sees. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { fillDisk, noMount, smallDisk } from "../../../test-support/small-disk.ts";
import { stage } from "./confine.ts";
import type { LocalArtifact } from "./messages.ts";

const undo: (() => void)[] = [];
afterEach(() => {
  for (const act of undo.splice(0).reverse()) act();
});
function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "warpfarm-stage-"));
  undo.push(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
const code = Buffer.alloc(16_384, 7);
function artifactIn(directory: string): LocalArtifact {
  const codePath = join(directory, "the.code");
  writeFileSync(codePath, code);
  return { codePath } as LocalArtifact;
}
function sandboxIn(cache: string) {
  const directory = join(cache, "child");
  mkdirSync(directory);
  return { layers: { bubblewrap: false, landlock: true }, koffi: "", directory } as unknown as NonNullable<
    Parameters<typeof stage>[0]
  >;
}

it("a cache that fills its disk hands its code out all the same, to candidate, reference and others at once", (ctx) => {
  const disk = smallDisk(join(folder(), "disk"), 256);
  if (!disk) return ctx.skip(noMount);
  undo.push(() => disk.unmount());
  const artifact = artifactIn(disk.path);
  const sandbox = sandboxIn(disk.path);
  fillDisk(disk.path);
  return stage(sandbox, artifact, artifact, { others: [artifact] } as unknown as Parameters<typeof stage>[3]).then(
    async (staged) => {
      const { artifact: candidate, reference, paired } = staged.code;
      const paths = [candidate, reference, paired?.others[0]].map((one) => one?.codePath ?? "");
      expect(new Set(paths).size).toBe(3);
      for (const path of paths) {
        expect(dirname(path)).toBe(sandbox.directory);
        expect(readFileSync(path).equals(code)).toBe(true);
      }
      await staged[Symbol.asyncDispose]();
      expect(paths.some(existsSync)).toBe(false);
      expect(readFileSync(artifact.codePath).equals(code)).toBe(true);
    },
  );
});

it("code on another file system is copied", async (ctx) => {
  const disk = smallDisk(join(folder(), "disk"), 256);
  if (!disk) return ctx.skip(noMount);
  undo.push(() => disk.unmount());
  const sandbox = sandboxIn(folder());
  const artifact = artifactIn(disk.path);
  expect(statSync(artifact.codePath).dev).not.toBe(statSync(sandbox.directory).dev);
  const staged = await stage(sandbox, artifact, undefined);
  expect(readFileSync(staged.code.artifact.codePath).equals(code)).toBe(true);
  await staged[Symbol.asyncDispose]();
  expect(existsSync(staged.code.artifact.codePath)).toBe(false);
});

it("code that is not there says so, and leaves nothing behind", async () => {
  const sandbox = sandboxIn(folder());
  const artifact = artifactIn(folder());
  const gone = { codePath: `${artifact.codePath}.gone` } as LocalArtifact;
  await expect(stage(sandbox, artifact, gone)).rejects.toThrow(/ENOENT.*the\.code\.gone/);
  expect(readdirSync(sandbox.directory)).toEqual([]);
});
