/** Claims are replayed in a child, which a hostile one may hang, fill or end. Needs the compiled package (`npm run build`). */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { canonicalJson, FarmError } from "@warpfarm/common";
import { configToJson } from "@warpfarm/compiler/language";
import { createTask } from "@warpfarm/templates";
import { afterAll, describe, expect, test } from "vitest";
import { bundled } from "../../test-support/bundles.ts";
import { LocalBuildExecutor } from "./build-executor.ts";
import { testProgram } from "./builds.testing.ts";

const base = mkdtempSync(join(tmpdir(), "warpfarm-replay-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const target = "cpu/x86-64-v3";
const args = [16, 16, 16, "float32", "NN"];
const task = createTask("matmul_derived", args, target);
const { entity } = configToJson(task.space, task.space.get(3 as never));
const claim = { task: "matmul_derived", template: "matmul_derived", args, config: entity, target };
const minutes = 300_000;

/** A child that is a bundle, with what a test wants of it (test/fixtures/child.mjs), or the one that is shipped. */
function open(module = bundled("build-child")) {
  const workDirectory = mkdtempSync(join(base, "work-"));
  const executor = new LocalBuildExecutor({ compilerVersion: "0", lockDirectory: base, toolchains: [], workDirectory, module });
  const replay = (document: unknown, timeoutMs = minutes) =>
    executor.replay({ claim: Buffer.from(canonicalJson(document)), timeoutMs });
  return { executor, replay, [Symbol.asyncDispose]: () => executor[Symbol.asyncDispose]() };
}

describe("a claim", () => {
  test("gives the digests of its program and reference; the default schedule is one without config", async () => {
    await using child = open(bundled("builder/dist/worker/child" as never));
    const instance = task.instantiate(3 as never);
    expect(await child.replay(claim)).toEqual({
      kind: "replayed",
      program: instance.ok && instance.value.program.digest,
      reference: task.reference.digest,
    });
    expect(await child.replay({ ...claim, config: null })).toMatchObject({ program: task.base?.digest });
    const other = createTask("matmul_derived", [32, ...args.slice(1)], target);
    expect(await child.replay({ ...claim, args: other.args })).toMatchObject({ reference: other.reference.digest });
  });

  test.each([
    ["another task's name", { task: "matmul_mma" }, /is matmul_derived \[16,/],
    [
      "arguments that are not written out",
      { args: { M: 16, N: 16, K: 16 } },
      /is matmul_derived \[16,16,16,"float32","NN"\], not/,
    ],
    ["an unknown template", { template: "evil" }, /there is no task "evil"/],
    ["a path", { template: "../../evil.js" }, /there is no task/],
    ["an unknown target", { target: "tpu" }, /is not a target/],
    ["a value that no knob has", { config: [["C.vector", "ot", "x"], ...entity.slice(1)] }, /knob C.vector has no entry/],
    ["no knobs", { config: [] }, /has the knobs/],
    ["arguments beyond any machine", { args: [2 ** 31 - 1, 2 ** 31 - 1, 2 ** 31 - 1, "float32", "NN"] }, /at most 2147483647/],
    ["arguments that are no numbers", { args: [{}, [], null, true, ""] }, /matmul_derived/],
    ["too many arguments", { args: Array(10_000).fill(1) }, /takes 5 arguments/],
  ])("with %s is refused", async (_what, more, why) => {
    await using child = open();
    const said = await child.replay({ ...claim, ...more });
    expect(said).toEqual({ kind: "replay_refused", message: expect.stringMatching(why) });
  });

  test("that hangs is killed at its deadline, and the next one gets a fresh child", async () => {
    await using child = open();
    const end = await child.replay({ loop: true }, 300).catch((error: unknown) => error);
    expect(end).toBeInstanceOf(FarmError);
    expect(end).toMatchObject({ code: "DEADLINE_EXCEEDED", message: expect.stringContaining("not replayed within 300 ms") });
    expect(await child.replay(claim)).toMatchObject({ kind: "replayed" });
  });

  test("that ends its child is nobody's word; one that a template breaks on is refused", async () => {
    await using child = open();
    await expect(child.replay({ die: "SIGKILL" })).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect(await child.replay({ bug: "stack overflow\nat x" })).toEqual({
      kind: "replay_refused",
      message: "stack overflow",
    });
    expect(await child.replay(claim)).toMatchObject({ kind: "replayed" });
  });

  test("is given up when its lease is taken back, and a build follows in the same place", async () => {
    await using child = open();
    const stop = new AbortController();
    const call = child.executor.replay({ claim: Buffer.from('{"loop":true}'), timeoutMs: minutes }, { signal: stop.signal });
    stop.abort(new FarmError("CANCELLED", "the lease"));
    await expect(call).rejects.toThrow("the lease");
    const built = await child.executor.build({ program: testProgram({ refuse: "no" }), timeoutMs: minutes });
    expect(built).toMatchObject({ kind: "failed", result: { message: "no" } });
  });
});
