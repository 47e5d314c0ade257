/**
 * Devices of unlike kinds in one farm: two processors of different level, one of which joins late, and a GPU that is scripted.
 * One suite runs on all of them, each task on what can run it. The portability matrix is computed here once more, from the logs
 * and the measured pairs.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { arch, userInfo } from "node:os";
import { describeCpu } from "@warpfarm/runner/cpu-facts";
import { expect, test } from "vitest";
import { builder, builtFor, runner } from "../../test-support/farm/scripted.ts";
import { needs } from "../../test-support/needs.ts";
import { until } from "../../test-support/until.ts";
import { command } from "./command.testing.ts";
import { processFarm } from "./process-farm.testing.ts";

const gpu = "cuda/sm_90";

interface Line {
  readonly config: { readonly entity: readonly [string, string, unknown][] };
  readonly warpfarm: {
    readonly sequence: number;
    readonly seconds: number | null;
    readonly device?: { readonly key: string; readonly node: string };
  };
}
interface Reported {
  readonly kinds: readonly { readonly key: string; readonly tasks: number }[];
  readonly portability: readonly {
    readonly title: string;
    readonly keys: readonly string[];
    readonly loss: readonly (readonly (number | null)[])[];
    readonly common: { readonly config: object; readonly worst_loss: number; readonly losses: readonly number[] };
  }[];
}
const named = (entity: Line["config"]["entity"]): string =>
  JSON.stringify(Object.fromEntries(entity.map(([name, , value]) => [name, value])));

const keysOf = (lines: readonly Line[]) => [...new Set(lines.map(({ warpfarm }) => warpfarm.device?.key))];

/**
 * The matrix by hand: seconds by config on each of the two, from the search or from the pair that was measured; null: a config
 * that its space has not. Every config of the third level at this shape is one of the second.
 */
function checkMatrix(
  matrix: Reported["portability"][number] | undefined,
  logs: ReadonlyMap<string, readonly Line[]>,
  cross: string,
) {
  const { keys = [], loss, common } = matrix ?? {};
  const pairs: readonly { task: string; config: string; seconds: number | null }[] = cross
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const tables = keys.map((key) => {
    const [id = "", lines = []] = [...logs].find(([, some]) => keysOf(some)[0] === key) ?? [];
    const own = lines.flatMap(({ config, warpfarm: { seconds } }) =>
      seconds === null ? [] : [[named(config.entity), seconds] as const],
    );
    const others = pairs.flatMap(({ task, config, seconds }) =>
      task === id ? [[named(JSON.parse(config)), seconds] as const] : [],
    );
    const [winner] = own.toSorted(([, a], [, b]) => a - b);
    return { times: new Map([...others, ...own]), winner: winner?.[0] ?? "", best: winner?.[1] ?? Number.NaN };
  });
  expect(pairs.some(({ seconds }) => seconds !== null)).toBe(true);
  const lossOn = (config: string, { times, best }: (typeof tables)[number]) => {
    const seconds = times.get(config);
    return typeof seconds === "number" ? Math.max(0, seconds / best - 1) : seconds;
  };
  const close = (share: number | null | undefined) => (typeof share === "number" ? expect.closeTo(share, 9) : share);
  expect(loss).toEqual(tables.map(({ winner }) => tables.map((on) => close(lossOn(winner, on)))));
  const worst = (config: string) => Math.max(...tables.map((on) => lossOn(config, on) ?? Number.POSITIVE_INFINITY));
  const least = Math.min(...[...(tables[0]?.times.keys() ?? [])].map(worst));
  expect([common?.worst_loss, worst(JSON.stringify(common?.config))]).toEqual([
    expect.closeTo(least, 9),
    expect.closeTo(least, 9),
  ]);
}

test("a suite on unlike processors and a GPU: who joins late is used, and one config loses least at worst, by measured pairs", {
  timeout: 600_000,
}, async (ctx) => {
  needs(ctx, "cc");
  if (userInfo().uid !== 0) ctx.skip("two runners of one processor need root, for names of their own");
  const level = arch() === "x64" ? Number(describeCpu(1).facts.key.slice(-1)) : 0;
  if (level < 3) ctx.skip("a processor of x86-64-v3 or higher runs what is built for the second and the third level");
  const [low, high] = ["cpu/x86-64-v2", "cpu/x86-64-v3"] as const;
  const farm = processFarm();
  await farm.trackerHere();
  const { place, address } = farm;
  const at = ["--tracker", address];
  const scripted = [
    builder(address, builtFor(gpu), 4, undefined, [gpu]),
    runner(address, 9, undefined, { key: gpu, node: "gpu" }),
  ];
  for (const each of scripted) each.start();
  await Promise.all([farm.serving("builder", ...at), farm.elsewhere("high", { WARPFARM_CPU_LEVEL: "3" }, ...at)]);
  writeFileSync(
    place.path("unlike.yaml"),
    `name: unlike
tasks:
  - {task: matmul_derived, targets: [${high}, ${low}], shapes: [{M: 32, N: 32, K: 32}]}
  - {task: matmul_simt, targets: [${gpu}], shapes: [{M: 64, N: 64, K: 64}]}
budget: {trials: 3}
tuner: random
finalists: 0
measure: {repeat: 1, min_repeat: 1ms}
`,
  );
  const suite = farm.begin("suite", "run", "unlike.yaml", "--dir", "state", ...at);
  await until(
    () => suite.stderr().includes(`there is no device ${low} now; its tasks wait for one`),
    "the task that waits",
    120_000,
  );
  await farm.elsewhere("low", { WARPFARM_CPU_LEVEL: "2" }, ...at);
  const { code, stderr } = await suite.finished;
  expect(code, stderr).toBe(0);
  const measured = await command(place, ["suite", "table", "state", "--measure", ...at]);
  // No table: one shape of a template has nothing to choose between. The pairs are measured before that is said.
  expect(measured.stderr).toMatch(/pairs? of a winner and a shape to measure/);
  for (const each of scripted) await each.kill();

  // Each task's results come from what can run it.
  const logs = new Map<string, readonly Line[]>(
    readdirSync(place.path("state/logs"))
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => {
        const lines = readFileSync(place.path(`state/logs/${name}`), "utf8")
          .split("\n")
          .filter((line) => line.startsWith("{"));
        return [name.replace(/\.jsonl$/, ""), lines.map((line) => JSON.parse(line))];
      }),
  );
  expect([...logs.values()].map(keysOf).sort()).toEqual([[high], [low], [gpu]].sort());

  const { stdout } = await command(place, ["suite", "report", "state", "--json"]);
  const { kinds, portability }: Reported = JSON.parse(stdout);
  expect(kinds.map(({ key, tasks }) => [key, tasks])).toEqual([high, low, gpu].sort().map((key) => [key, 1]));
  // One matrix, of the processors.
  expect(portability.map(({ keys }) => [...keys].sort())).toEqual([[high, low].sort()]);
  const words = (await command(place, ["suite", "report", "state"])).stdout;
  expect(words).toContain("There is no matrix between cpu and cuda: no kernel runs on both");

  checkMatrix(portability[0], logs, readFileSync(place.path("state/cross.jsonl"), "utf8"));
});
