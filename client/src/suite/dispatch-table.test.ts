import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { medianSeconds, Random } from "@warpfarm/common";
import { readLog } from "@warpfarm/records/logs";
import type { DispatchTable } from "@warpfarm/records/suites";
import { chooseKernels, crossTimes, dispatchTables, resultsOf } from "@warpfarm/records/suites";
import { expect, onTestFinished, test } from "vitest";
import { has, needs } from "../../../test-support/needs.ts";
import { plannedTask } from "../../../test-support/suite-plan.ts";
import { dispatchHeader, dispatchJson } from "./dispatch-text.ts";

/** Every set of at most n configs, examined one by one. */
function leastRegret(
  times: readonly (readonly (number | undefined)[])[],
  best: readonly number[],
  weights: readonly number[],
  n: number,
) {
  const configs = times[0]?.length ?? 0;
  let least = Number.POSITIVE_INFINITY;
  for (let set = 1; set < 2 ** configs; set++) {
    const chosen = Array.from({ length: configs }, (_, i) => i).filter((i) => (set >> i) & 1);
    if (chosen.length > n) continue;
    const sum = times.reduce((total, row, shape) => {
      const seconds = Math.min(...chosen.map((c) => row[c] ?? Number.POSITIVE_INFINITY));
      return total + (weights[shape] as number) * (seconds / (best[shape] as number) - 1);
    }, 0);
    least = Math.min(least, sum / weights.reduce((a, b) => a + b, 0));
  }
  return least;
}

test("kernels are chosen as a look at every set chooses them", () => {
  const random = new Random(7);
  let worse = 0;
  for (let round = 0; round < 40; round++) {
    const [shapes, configs] = [4 + random.below(5), 5 + random.below(5)];
    const times = Array.from({ length: shapes }, () =>
      Array.from({ length: configs }, () => (random.float() < 0.15 ? undefined : 1 + random.float() * 3)),
    );
    const best = times.map((row) => Math.min(...row.filter((s) => s !== undefined), 5));
    const weights = times.map(() => 1 + random.below(9));
    const n = 1 + random.below(4);
    const found = chooseKernels(times, best, weights, n);
    const least = leastRegret(times, best, weights, n);
    if (!found) {
      expect(least).toBe(Number.POSITIVE_INFINITY);
      continue;
    }
    expect(found.chosen.length).toBeLessThanOrEqual(n);
    expect(found.meanRegret).toBeGreaterThanOrEqual(least - 1e-12);
    if (found.meanRegret > least + 1e-9) worse++;
    // The reported regret is that of the choice.
    const told = found.servedBy.map((config, shape) => (times[shape]?.[config] as number) / (best[shape] as number) - 1);
    const mean =
      told.reduce((sum, regret, shape) => sum + regret * (weights[shape] as number), 0) / weights.reduce((a, b) => a + b, 0);
    expect(found.meanRegret).toBeCloseTo(mean, 12);
    expect(found.worstRegret).toBeCloseTo(Math.max(...told), 12);
  }
  expect(worse).toBeLessThanOrEqual(2);
});

test("a kernel that serves no shape is not chosen", () => {
  // The second serves both shapes, until each has its own.
  const times = [
    [1, 2, undefined],
    [undefined, 3, 1],
  ];
  expect(chooseKernels(times, [1, 1], [1, 1], 3)).toEqual({ chosen: [0, 2], servedBy: [0, 2], meanRegret: 0, worstRegret: 0 });
});

const entity = (tile: number): DispatchTable["kernels"][number] => [["tile", "ot", tile]];
const row = (M: number, layout: string, kernel: number, weight = 1): DispatchTable["shapes"][number] => ({
  task: plannedTask(`${M}${layout}`, "matmul_toy", { args: [M, [3, 4], layout], key: "cuda/sm_90" }, { weight }),
  ...{ kernel, seconds: 1.1, bestSeconds: 1, regret: 0.1 },
});
const table: DispatchTable = {
  ...{ task: "matmul_toy", key: "cuda/sm_90", target: "cuda/sm_90", kernels: [entity(8), entity(16)] },
  shapes: [row(16, "NN", 0), row(4096, "NN", 1), row(16, "NT", 1), row(64, "NN", 1)],
  ...{ meanRegret: 0.1, worstRegret: 0.1, unmeasured: 0 },
};

test("the header's function gives each shape its kernel, others that of the nearest with the same words", (ctx) => {
  needs(ctx, "c++");
  const folder = mkdtempSync(join(tmpdir(), "warpfarm-table-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "t.h"), dispatchHeader(table, ["M", "pad", "layout"]));
  const calls = [
    ...table.shapes.map(({ task: { search } }) => [search.args[0], search.args[2]]),
    [20, "NN"],
    [40, "NN"],
    [100_000, "NN"],
    [1, "TT"],
  ];
  const lines = calls.map(([M, layout]) => `std::printf("%d\\n", warpfarm::matmul_toy_cuda_sm_90(${M}, 3, 4, "${layout}"));`);
  writeFileSync(join(folder, "t.cpp"), `#include "t.h"\n#include <cstdio>\nint main() { ${lines.join(" ")} }\n`);
  execFileSync("c++", ["-Wall", "-Werror", "-std=c++14", "-o", join(folder, "t"), join(folder, "t.cpp")]);
  const said = execFileSync(join(folder, "t")).toString().trim().split("\n").map(Number);
  // 40 is nearer to 64 than to 16, on a logarithmic scale.
  expect(said).toEqual([0, 1, 1, 1, 0, 1, 1, -1]);
  expect(has("c++")).toBe(true);
});

test("the JSON has each shape with its kernel and both times", () => {
  expect(dispatchJson(table)).toMatchObject({
    kernels: [
      { kernel: 0, config: { tile: 8 } },
      { kernel: 1, config: { tile: 16 } },
    ],
    shapes: [{ args: [16, [3, 4], "NN"], kernel: 0, seconds: 1.1, best_seconds: 1, regret: 0.1 }, {}, {}, {}],
  });
});

test("8 kernels serve 20 products of transformers on an H100, by the logs of their searches, within 2 % in the mean", () => {
  const folder = new URL("../../../bench/results/logs/", import.meta.url);
  const transformers = new URL("../../../bench/results/gpu-shapes-transformers.json", import.meta.url);
  const names = Object.keys(JSON.parse(readFileSync(transformers, "utf8")).figures.transformers);
  const results = names
    .map((name) => `shapes-${name.replaceAll(" ", "-")}-matmul_tma-1.jsonl.gz`)
    .map((name) => {
      const log = readLog(gunzipSync(readFileSync(new URL(name, folder))).toString("utf8"), name);
      const [first] = log.records;
      if (first?.kind !== "warpfarm") throw new Error(`${name} is no log of Warpfarm`);
      const { task, args, target } = first.trial.run;
      return resultsOf(plannedTask(name, task, { args: [...args], target, key: "cuda/sm_90" }), log);
    });
  expect(results).toHaveLength(20);
  const [table] = dispatchTables(results, crossTimes(results, []), 8);
  expect(table?.kernels).toHaveLength(8);
  // As docs/cluster.md says, in percent.
  expect([table?.meanRegret, table?.worstRegret].map((regret = 1) => (100 * regret).toFixed(1))).toEqual(["1.4", "8.5"]);
  expect((100 * (dispatchTables(results, crossTimes(results, []), 6)[0]?.meanRegret ?? 1)).toFixed(1)).toBe("6.5");
  expect(dispatchTables(results, crossTimes(results, []), 4)).toEqual([]);
  for (const { task, kernel, seconds } of table?.shapes ?? []) {
    const config = JSON.stringify(table?.kernels[kernel]);
    const own = results.find((each) => each.task.id === task.id);
    const measured = own?.trials.filter(({ config: { entity } }) => JSON.stringify(entity) === config) ?? [];
    const times = measured.flatMap(({ result }) => (result.kind === "timed" ? [medianSeconds(result.costs)] : []));
    expect(Math.min(...times)).toBe(seconds);
  }
});
