/** `suite report --beside`: suites of several stores in one matrix. Losses are computed by hand. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CrossTimes, crossTimes, nameOfConfig, portabilityOf, type TaskResults } from "@warpfarm/records/suites";
import { expect, it, onTestFinished } from "vitest";
import { plannedTask, suitePlan } from "../../../../test-support/suite-plan.ts";
import { SuiteDirectory } from "../../suite/directory.ts";
import type { PlannedTask } from "../../suite/plan.ts";
import { pairsOfMatrix } from "./measure-cross.ts";
import { besideOthers, type ReadSuite, readOthers } from "./report.ts";

const config = (tile: number) => [["tile", "ot", tile]] as const;
const key = "cuda/sm_90";

/** Seconds of tiles as they were searched, by shape; and of those that were measured afterwards. */
function suiteOf(
  searched: Readonly<Record<string, Readonly<Record<number, number>>>>,
  crossed: readonly (readonly [shape: string, tile: number, seconds: number | null])[] = [],
): ReadSuite {
  const results = Object.entries(searched).map(([shape, times]) => {
    const timeOf = new Map(Object.entries(times).map(([tile, seconds]) => [nameOfConfig(config(Number(tile))), seconds]));
    const [name = "", seconds = 0] = [...timeOf].toSorted(([, a], [, b]) => a - b)[0] ?? [];
    const best = { config: JSON.parse(name), seconds };
    return { task: plannedTask(shape, "toy", { args: [shape], key }), best, timeOf } as unknown as TaskResults<PlannedTask>;
  });
  const lines = crossed.map(([task, tile, seconds]) => ({ task, config: nameOfConfig(config(tile)), seconds }));
  return { directory: new SuiteDirectory("/nowhere"), results, times: crossTimes(results, lines) };
}
const matrixOf = ({ results, times }: { results: readonly TaskResults[]; times: CrossTimes }) =>
  portabilityOf(results, times).map(({ devices, loss, common }) => ({ devices, loss, common: common?.config }));

it("one task on two devices of one kind, in two stores: ids are equal, and times stay apart", () => {
  const h200 = suiteOf({ a: { 1: 1, 3: 1.5 }, b: { 1: 1 } }, [["a", 2, 4]]);
  const h100 = suiteOf({ a: { 2: 2, 3: 3 }, c: { 1: 1 } }, [["a", 1, null]]);
  const matrix = besideOthers(h200, new Map([["../h100", h100]]));
  // b is of one store alone, and c is no shape of this suite.
  expect(matrixOf(matrix)).toEqual([
    {
      devices: [key, `${key} in ../h100`],
      loss: [
        [0, null],
        [3, 0],
      ],
      common: config(3),
    },
  ]);
  expect(matrixOf(besideOthers(h200, new Map()))).toEqual([]);
  expect(pairsOfMatrix(h200, matrix)).toEqual([]);
});

it("what is measured is of this suite's devices: winners of the others", () => {
  const [here, there] = [suiteOf({ a: { 1: 1 } }), suiteOf({ a: { 2: 2 } })];
  const third = suiteOf({ a: { 1: 9, 4: 3 } });
  const others = new Map([
    ["there", there],
    ["third", third],
  ]);
  expect(pairsOfMatrix(here, besideOthers(here, others))).toEqual([
    { task: "a", entity: config(2) },
    { task: "a", entity: config(4) },
  ]);
  expect(matrixOf(besideOthers(here, others))[0]?.loss).toEqual([
    [0, undefined, 2],
    [undefined, 0, undefined],
    [undefined, undefined, 0],
  ]);
});

it("refuses a suite without a shape of this one, the suite itself, and a folder that has none", async () => {
  const folder = await mkdtemp(join(tmpdir(), "warpfarm-beside-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const directory = new SuiteDirectory(join(folder, "mine"));
  await directory.create(suitePlan({ name: "mine" }));
  const context = { cwd: folder, env: {}, home: folder } as never;
  expect(() => besideOthers(suiteOf({ a: { 1: 1 } }), new Map([["other", suiteOf({ b: { 1: 1 } })]]))).toThrow(
    "--beside names other, whose suite has no template and shape of this one; there is nothing to compare",
  );
  await expect(readOthers(context, directory, ["mine"])).rejects.toThrow(
    "--beside names mine, the suite itself; give the folder of another one",
  );
  await expect(readOthers(context, directory, ["none"])).rejects.toThrow("none is no suite: there is no suite.json in it");
});
