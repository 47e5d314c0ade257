/** What `tune` says of tunables without effect, when the builder of a real tracker notes or refuses them. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { programVersions, toDigest } from "@warpfarm/common";
import { type BuilderFacts, encodeManifest } from "@warpfarm/proto";
import { expect, test } from "vitest";
import { useFarms } from "../../../../test-support/farm/farms.ts";
import { type Answer, runner, ScriptedWorker } from "../../../../test-support/farm/scripted.ts";
import { until } from "../../../../test-support/until.ts";
import { oneSentence, runCli, scratch } from "../context.testing.ts";

const gpu = "cuda/sm_90";
const facts: BuilderFacts = {
  ...{ kind: "builder", slots: 4, targets: [gpu], toolchains: ["scripted"], compilerVersion: "0" },
  programVersions,
};
const { farm } = useFarms();

const idle = "the tunable FAST changes neither the text nor the launch";
const defined = "k.cu:1 defines BLOCK, which is a tunable [source.tunables]";

/** Looks at tunables as a builder does: once, in the default config, whose program says what other values change. */
const buildsWith =
  (found: "note" | "refusal", looks: string[]): Answer =>
  async ({ job }, { tracker }) => {
    if (job.kind !== "build") throw new Error("a builder was given another job");
    const { digest: program, bytes } = job.program;
    const { tunables } = JSON.parse(new TextDecoder().decode(bytes)) as { readonly tunables?: object };
    if (tunables !== undefined) looks.push(Object.keys(tunables).join());
    if (tunables !== undefined && found === "refusal") {
      const failed = { kind: "failed", errorNo: 3, rule: "source.tunables", message: defined } as const;
      const result = { ...failed, buildMs: 1, runMs: 0, timestampMs: 1, attempt: 1 };
      return { kind: "build_failed", result, buildMs: 1, cached: false };
    }
    const code = await tracker.artifacts.upload(Buffer.from(`code of ${program}`));
    const manifest = encodeManifest({
      version: 1,
      program,
      target: gpu,
      format: "cubin",
      code: toDigest(code),
      kernels: [{ name: "f", grid: [1, 1, 1], block: [1, 1, 1], dynamic_shared_bytes: 0, cluster: [1, 1, 1], args: [] }],
      buffers: [],
      resources: { registers: 0, spill_bytes: 0, static_shared_bytes: 0 },
      toolchain: "scripted",
      notes: tunables === undefined ? [] : [{ rule: "source.tunables", message: idle }],
    });
    await tracker.artifacts.upload(manifest.bytes);
    return { kind: "built", artifact: manifest.digest, buildMs: 5, cached: false };
  };

async function tuned(found: "note" | "refusal") {
  const cwd = scratch();
  writeFileSync(join(cwd, "k.cu"), 'extern "C" __global__ void f(float *c) {}\n');
  const spec = {
    problem: { n: 1024 },
    tunables: { BLOCK: [64, 128, 256], FAST: [0, 1] },
    args: [{ name: "c", dtype: "float32", shape: ["n"], role: "out" }],
    kernels: [{ entry: "f", grid: ["n // BLOCK"], block: ["BLOCK"] }],
  };
  writeFileSync(join(cwd, "k.json"), JSON.stringify(spec));
  const { address, start } = await farm();
  const looks: string[] = [];
  const workers = [
    start(new ScriptedWorker(address, facts, buildsWith(found, looks))),
    start(runner(address, 1, undefined, { key: gpu, model: "A GPU" })),
  ];
  await until(() => workers.every(({ registered }) => registered !== undefined), "the workers", 60_000);
  const how = ["--tracker", address, "--tuner", "grid", "--trials", "6", "--finalists", "0", "--log", "t.jsonl"];
  const signal = AbortSignal.timeout(120_000);
  return { ...(await runCli(["tune", "./k.cu", ...how], { cwd, signal })), looks };
}

test("a tunable without effect is noted once, and the search goes on", async () => {
  const { code, stdout, stderr, looks } = await tuned("note");
  expect([code, looks], stderr).toEqual([0, ["BLOCK,FAST"]]);
  expect(stderr.split("\n").filter((line) => line.startsWith("note: "))).toEqual([`note: ${idle}`]);
  expect(stdout).toMatch(/^trials +6 \(NO_ERROR 6\)/m);
});

test("a text that the builder refuses for its tunables ends the search in one sentence that says so", async () => {
  const { code, stderr, looks } = await tuned("refusal");
  expect([code, looks], stderr).toEqual([2, ["BLOCK,FAST"]]);
  expect(stderr).toContain(defined);
  expect(oneSentence({ code, stdout: "", stderr: stderr.trimEnd().split("\n").at(-1) ?? "" })).toMatch(
    /^warpfarm tune: k .* cannot be measured: .* could not be built: k\.cu:1 defines BLOCK/,
  );
});
