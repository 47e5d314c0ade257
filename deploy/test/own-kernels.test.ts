/** A kernel of the user's own, with the real command line and real builders: the example's every config is compiled by nvcc. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { needs } from "../../test-support/needs.ts";
import { runner as scriptedRunner } from "../../tracker/test/scripted.testing.ts";
import { Party } from "./survival/party.ts";
import { bin, Place, run } from "./warpfarm-process.ts";

const examples = join(dirname(fileURLToPath(new URL("../../package.json", import.meta.url))), "examples");

/** A farm whose device gives every artifact a time. */
async function farm(): Promise<{ place: Place; tracker: string; asked: () => number }> {
  const place = new Place();
  onTestFinished(() => place[Symbol.dispose]());
  mkdirSync(place.path("run"));
  const env = { ...place.env, XDG_RUNTIME_DIR: place.path("run") };
  const part = (role: string, ...flags: readonly string[]) => {
    const party = new Party(process.execPath, [bin, role, ...flags], new RegExp(`^${role} ready `), env);
    onTestFinished(async () => {
      party.kill("SIGKILL");
      await party.ended;
    });
    return party;
  };
  const tracker = part("tracker", "--listen", "127.0.0.1:0", "--http", "none", "--data", place.path("store"));
  const address = /grpc=(\S+)/.exec(await tracker.ready)?.[1] ?? "";
  await part("builder", "--tracker", address, "--cache", place.path("builds"), "--slots", "2").ready;
  const device = scriptedRunner(address, 1, undefined, { key: "cuda/sm_90" }).start();
  onTestFinished(() => device.kill());
  for (const name of ["vector_add.cu", "vector_add.yaml", "items.cuh"])
    writeFileSync(place.path(name), readFileSync(join(examples, name)));
  return { place, tracker: address, asked: () => device.jobs.length };
}

test("the example is tuned: every config is compiled, the best is kept as text that nvcc takes, the log goes on", {
  timeout: 600_000,
}, async (ctx) => {
  needs(ctx, "nvcc");
  const { place, tracker, asked } = await farm();
  const command = ["tune", "./vector_add.cu", "--tracker", tracker, "--tuner", "grid", "--trials", "20", "--log", "out.jsonl"];
  const tuned = await run(place, [...command, "--finalists", "0"]);
  expect(tuned.code, tuned.stderr).toBe(0);
  const lines = readFileSync(place.path("out.jsonl"), "utf8").split("\n");
  const trials = lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
  // BLOCK * ITEMS <= 1024 leaves 11 of 12, and the default is one of them: its time is measured once.
  expect(trials.map(({ result }) => result[1])).toEqual(Array(trials.length).fill(0));
  expect(new Set(trials.map(({ config }) => JSON.stringify(config.entity))).size).toBe(trials.length);
  expect([trials.length, asked()]).toEqual([11, 11]);
  const kept = readFileSync(place.path("out.best.cu"), "utf8");
  expect(kept).toMatch(
    /^\/\/ vector_add\.cu as it was measured\n\/\/ {3}vector_add<<<\(\d+,1,1\), \(\d+,1,1\), 0>>>\n#define BLOCK \d+\n#define ITEMS \d+\n/,
  );

  writeFileSync(place.path("items.cuh"), "#error changed\n");
  const changed = await run(place, [...command, "--resume"]);
  expect([changed.code, changed.stderr]).toEqual([2, expect.stringMatching(/cannot be resumed: it has args/)]);
});

test("what is wrong with the text is said by the compiler, with its line, and with the spec by its field", {
  timeout: 600_000,
}, async (ctx) => {
  needs(ctx, "nvcc");
  const { place, tracker } = await farm();
  const text = readFileSync(place.path("vector_add.cu"), "utf8");
  writeFileSync(place.path("vector_add.cu"), text.replace("c[i] = a[i] + b[i];", "c[i] = a[i] + d[i];"));
  const broken = await run(place, ["measure", "./vector_add.cu", "--index", "0", "--tracker", tracker]);
  expect([broken.code, broken.stdout]).toEqual([
    1,
    expect.stringMatching(/COMPILE_DEVICE[\s\S]*vector_add\.cu\(9\): error: identifier "d" is undefined/),
  ]);
  writeFileSync(place.path("vector_add.yaml"), "tunables: {BLOCK: [64]}\n");
  const spec = await run(place, ["tune", "./vector_add.cu", "--tracker", tracker]);
  expect([spec.code, spec.stderr]).toEqual([2, expect.stringMatching(/^warpfarm tune: vector_add\.yaml: args: /)]);
  const alone = await run(place, ["tune", "./nothing.cu", "--tracker", tracker]);
  expect([alone.code, alone.stderr]).toEqual([2, expect.stringMatching(/\.\/nothing\.cu needs a spec/)]);
});
