/** Transfer between recorded spaces: shares after k by hand, and the figures of four convolutions that must not get worse. */
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runCli } from "../cli/context.testing.ts";
import { randomTuner } from "../tuner/in-order.ts";
import { readRecorded } from "./read-recorded.ts";
import { collectRecords, type RecordedData } from "./recorded-space.ts";
import { familiesOf, transferScore } from "./transfer-score.ts";

const files = (names: readonly string[]) =>
  names.map((name) => fileURLToPath(new URL(`../../test/spaces/${name}.json.gz`, import.meta.url)));

function space(name: string, times: Readonly<Record<number, number>>, order?: readonly number[]): RecordedData {
  const records = Object.entries(times).map(([x, time]) => ({ values: new Map([["x", Number(x)]]), time, cost: 1 }));
  const made = collectRecords(name, records, order && new Map([["x", order]]));
  if (!made.ok) throw new Error(made.error);
  return made.value;
}

test("shares of the best after k are those of the ranking by geometric mean, whatever order the files list entries in", () => {
  const target = space("t", { 1: 10, 2: 5, 3: 4, 4: 8 });
  const others = [space("a", { 1: 1, 2: 2, 3: 4, 4: Number.NaN }, [4, 3, 2, 1]), space("b", { 1: 1, 2: 1.25, 3: 1.6, 9: 0.5 })];
  // a: 1, .5, .25 (floor .37), failed; b: its best is a config that the target lacks: .5, .4, .31 (floor .37)
  const { ranking, sources } = transferScore(target, others, randomTuner, { seed: 1, repeats: 2, inFlight: 1 });
  expect(ranking).toEqual([0.4, 0.8, 1, 1, 1, 1]);
  expect(sources).toEqual(["a", "b"]);
});

test("spaces of equal knobs are of one kernel", () => {
  const other = collectRecords("u", [{ values: new Map([["y", 1]]), time: 1, cost: 1 }]);
  if (!other.ok) throw new Error(other.error);
  expect(
    familiesOf([space("t", { 1: 1 }), other.value, space("v", { 2: 1 })]).map((family) => family.map(({ name }) => name)),
  ).toEqual([["t", "v"], ["u"]]);
});

test("score --transfer: on two kernels of three GPUs records find .97 in eight measurements, the ranking what it found", async () => {
  const kernels = ["convolution", "pnpoly"].flatMap((kernel) => [
    `${kernel}-RTX_3090`,
    `transfer/${kernel}-RTX_2080_Ti`,
    `transfer/${kernel}-RTX_Titan`,
  ]);
  const said = await runCli(["score", "--json", "--transfer", ...files(kernels)]);
  expect(said.code).toBe(0);
  const { ranking, records, spaces } = JSON.parse(said.stdout);
  expect(spaces.length).toBe(6);
  expect(ranking.mean[0]).toBeCloseTo(0.961, 3);
  expect(records.mean[0]).toBe(ranking.mean[0]);
  expect(records.mean[3]).toBeGreaterThan(0.97);
  expect(records.worst[5]).toBeGreaterThan(0.93);
}, 120_000);

test.each([
  [["score", "--tuner", "auto"], /score takes either --space FILE or --transfer FILE/],
  [["score", "--transfer", ...files(["pnpoly-RTX_3090"])], /pnpoly-RTX_3090.json.gz is the only space with its knobs/],
  [
    ["score", "--transfer", ...files(["pnpoly-RTX_3090", "transfer/pnpoly-RTX_Titan"]), "--budget", "3"],
    /--budget is for --space/,
  ],
  [["score", "--space", ...files(["pnpoly-RTX_3090"])], /--tuner is missing/],
])("%j is refused", async (argv, message) => {
  const said = await runCli(argv);
  expect(said.code).toBe(2);
  expect(said.stderr).toMatch(message);
});

test("the copies hold what the scorer needs", async () => {
  const [path = ""] = files(["transfer/convolution_milo-A6000"]);
  const read = await readRecorded(path);
  expect(read.ok && [read.value.index.length, read.value.time.filter((t) => !Number.isNaN(t)).length]).toEqual([4362, 3889]);
});
