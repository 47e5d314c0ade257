/** Children of a builder that start before there is a build. Needs the compiled package (`npm run build`). */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { bundled } from "../../test-support/bundles.ts";
import { needs } from "../../test-support/needs.ts";
import { until } from "../../test-support/until.ts";
import { LocalBuildExecutor } from "./build-executor.ts";
import { goodText, testProgram } from "./builds.testing.ts";
import { memoryFor, warmChildren } from "./local-builder.ts";
import { findToolchains } from "./toolchain/index.ts";

const found = await findToolchains(process.env.PATH ?? "", tmpdir());
const cc = found.toolchains.find(({ kind }) => kind === "cc");

describe("children that are started before there is a build", () => {
  const base = mkdtempSync(join(tmpdir(), "warpfarm-warm-"));
  afterAll(() => rmSync(base, { recursive: true, force: true }));
  beforeEach((ctx) => needs(ctx, "cc"));
  function executorOf(name: string, first: string) {
    const module = join(base, `${name}.mjs`);
    writeFileSync(module, `${first}\nawait import(${JSON.stringify(bundled("build-child"))});`);
    const workDirectory = join(base, name);
    const lines: string[] = [];
    const onLine = (line: string) => void lines.push(line);
    const toolchains = cc === undefined ? [] : [cc];
    return {
      lines,
      workDirectory,
      executor: new LocalBuildExecutor({ compilerVersion: "0", lockDirectory: base, toolchains, workDirectory, module, onLine }),
    };
  }
  const good = (n: number) => ({ program: testProgram({ text: `${goodText} // ${n}` }), timeoutMs: 120_000 });

  test("serve the first builds", async () => {
    const { lines, workDirectory, executor } = executorOf("up", 'console.log("up");');
    await using _executor = executor;
    executor.warm(2);
    await until(() => lines.length === 2, "two children to start");
    const all = await Promise.all([1, 2, 3].map((n) => executor.build(good(n))));
    expect(all.map(({ kind }) => kind)).toEqual(["built", "built", "built"]);
    expect(lines).toEqual(["up", "up", "up"]);
    expect(readdirSync(workDirectory)).toEqual(["child-1", "child-2", "child-3"]);
  });
  test("serve in the order in which they were started", async () => {
    const { executor } = executorOf(
      "slow",
      'if (process.env.TMPDIR.endsWith("child-2")) await new Promise((r) => setTimeout(r, 1e6));',
    );
    await using _executor = executor;
    executor.warm(2);
    expect(await executor.build(good(0))).toMatchObject({ kind: "built" });
  });
  test("and do not start end no builder: a build says why there is none", async () => {
    const { lines, executor } = executorOf("down", 'console.log("down"); process.exit(3);');
    await using _executor = executor;
    executor.warm(1);
    await until(() => lines.length === 1, "the child to end");
    await expect(executor.build(good(0))).rejects.toThrow("exited with code 3");
  });
  test.each([
    ["two processors", 2, 64, 0],
    ["four", 4, 64, 2],
    ["sixteen", 16, 64, 14],
    ["a hundred, of which a search uses sixteen", 100, 64, 15],
    ["sixteen, with memory for three", 16, 3.5, 2],
    ["sixteen, with little memory", 16, 0.5, 0],
  ])("are so many with %s", (_, slots, gib, more) => {
    expect(warmChildren(slots, gib * 2 ** 30)).toBe(more);
  });
  test.each([
    [8, 64, 4],
    [16, 64, 4],
    [32, 64, 2],
    [100, 64, 1],
  ])("each of %i has of %i GiB at most %i", (slots, gib, each) => {
    expect(memoryFor(slots, gib * 2 ** 30)).toBe(each * 2 ** 30);
  });
});
