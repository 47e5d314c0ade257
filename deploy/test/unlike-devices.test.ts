/**
 * Devices of unlike kinds. In one farm: two processors of different level, one of which joins late, and a GPU that is scripted;
 * one suite runs on all of them, each task on what can run it. In two farms that know nothing of each other: the suite on each in
 * turn, and one matrix from both stores. Each portability matrix is computed here once more, from the logs and the measured
 * pairs.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { arch, userInfo } from "node:os";
import { describeCpu } from "@warpfarm/runner/cpu-facts";
import { expect, type TestContext, test } from "vitest";
import { isFull } from "../../test-support/campaign.ts";
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
    readonly duplicate_of?: number;
    readonly device?: { readonly key: string; readonly node: string };
  };
}
interface Reported {
  readonly kinds: readonly { readonly key: string; readonly tasks: number }[];
  readonly portability: readonly {
    readonly title: string;
    readonly devices: readonly string[];
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
  const { devices = [], loss, common } = matrix ?? {};
  const pairs: readonly { readonly task: string; config: string; seconds: number | null }[] = cross
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  const tables = devices.map((device) => {
    const [key] = device.split(" ");
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

const logsIn = (folder: string): ReadonlyMap<string, readonly Line[]> =>
  new Map(
    readdirSync(folder)
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => {
        const lines = readFileSync(`${folder}/${name}`, "utf8")
          .split("\n")
          .filter((line) => line.startsWith("{"));
        return [name.replace(/\.jsonl$/, ""), lines.map((line) => JSON.parse(line))];
      }),
  );

const [low, high] = ["cpu/x86-64-v2", "cpu/x86-64-v3"] as const;

/** Two runners of this processor, one of each level. */
function needsLevels(ctx: TestContext): void {
  needs(ctx, "cc");
  if (userInfo().uid !== 0) ctx.skip("two runners of one processor need root, for names of their own");
  const level = arch() === "x64" ? Number(describeCpu(1).facts.key.slice(-1)) : 0;
  if (level < 3) ctx.skip("a processor of x86-64-v3 or higher runs what is built for the second and the third level");
}

test("a suite on unlike processors and a GPU: who joins late is used, and one config loses least at worst, by measured pairs", {
  timeout: 600_000,
}, async (ctx) => {
  needsLevels(ctx);
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
budget: {trials: 2}
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
  const { stdout, stderr: told } = await command(place, ["suite", "report", "state", "--measure", "--json", ...at]);
  expect(told).toMatch(/pairs? of a winner and a shape to measure/);
  for (const each of scripted) await each.kill();

  // Each task's results come from what can run it.
  const logs = logsIn(place.path("state/logs"));
  expect([...logs.values()].map(keysOf).sort()).toEqual([[high], [low], [gpu]].sort());

  const { kinds, portability }: Reported = JSON.parse(stdout);
  expect(kinds.map(({ key, tasks }) => [key, tasks])).toEqual([high, low, gpu].sort().map((key) => [key, 1]));
  // One matrix, of the processors.
  expect(portability.map(({ devices }) => [...devices].sort())).toEqual([[high, low].sort()]);
  const words = (await command(place, ["suite", "report", "state"])).stdout;
  expect(words).toContain("There is no matrix between cpu and cuda: no kernel runs on both");

  checkMatrix(portability[0], logs, readFileSync(place.path("state/cross.jsonl"), "utf8"));
});

/** As on an H100 and an H200 that are never there at the same time. */
test("a suite on two farms in turn: the second starts from the first's records, and one matrix is of both stores", {
  timeout: 600_000,
}, async (ctx) => {
  if (!isFull)
    ctx.skip(
      "part of the campaign: records of another store are in farm-records.test.ts, a suite beside one in client's beside.test.ts",
    );
  needsLevels(ctx);
  const machines = [
    { name: "first", key: high, level: "3", trials: 1 },
    { name: "second", key: low, level: "2", trials: 4 },
  ] as const;
  const farms = machines.map((machine) => ({ ...machine, farm: processFarm() }));
  const home = farms[0]?.farm as (typeof farms)[number]["farm"];
  // The user's folder. Files are copied between the machines.
  const { place } = home;
  const done = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await command(place, args);
    expect(code, stderr).toBe(0);
    return stdout;
  };
  const exported = place.path("records.jsonl");
  for (const { name, level, trials, farm } of farms) {
    // The second in a process: trackers of this one share a store.
    await (farm === home ? farm.trackerHere() : farm.tracker());
    const at = ["--tracker", farm.address];
    await Promise.all([farm.serving("builder", ...at), farm.elsewhere(name, { WARPFARM_CPU_LEVEL: level }, ...at)]);
    if (existsSync(exported)) await done("records", "import", exported, ...at);
    writeFileSync(
      place.path("unlike.yaml"),
      `name: unlike
tasks:
  - {task: matmul_derived, shapes: [{M: 32, N: 32, K: 32}]}
budget: {trials: ${trials}}
finalists: 0
measure: {repeat: 1, min_repeat: 1ms}
`,
    );
    await done("suite", "run", "unlike.yaml", "--dir", name, ...at);
    const [lines = []] = logsIn(place.path(`${name}/logs`)).values();
    const measured = lines.filter(({ warpfarm }) => warpfarm.duplicate_of === undefined).length;
    await until(async () => {
      writeFileSync(exported, await done("records", "export", "--origin", "measured", ...at));
      return (readFileSync(exported, "utf8").match(/"config":\{/g) ?? []).length >= measured;
    }, `${measured} records of the suite`);
  }
  const notes = (name: string) =>
    readdirSync(place.path(`${name}/logs`)).map((log) => readFileSync(place.path(`${name}/logs/${log}`), "utf8"));
  const ofFirst = new RegExp(`"warm_start":.*"of":\\{"args":\\[32,32,32,[^\\]]*\\],"target":"${high}"`);
  expect(notes("first").join()).not.toMatch(ofFirst);
  expect(notes("second").join()).toMatch(ofFirst);
  const logs = new Map([...logsIn(place.path("first/logs")), ...logsIn(place.path("second/logs"))]);
  // The farms where they ran are remembered. Where the second's search measured the first's winner, no pair is left.
  for (const [name, other] of [
    ["second", "first"],
    ["first", "second"],
  ] as const) {
    const { code, stderr } = await command(place, ["suite", "report", name, "--beside", other, "--measure"]);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^(0 pairs|1 pair) of a winner and a shape to measure/)]);
  }
  const { portability }: Reported = JSON.parse(await done("suite", "report", "first", "--beside", "second", "--json"));
  expect(portability.map(({ devices }) => devices)).toEqual([[high, `${low} in second`]]);
  expect(await done("suite", "report", "first", "--beside", "second")).toContain(`${low} in second`);
  const cross = ["first", "second"].map((name) => place.path(`${name}/cross.jsonl`)).filter((file) => existsSync(file));
  checkMatrix(portability[0], logs, cross.map((file) => readFileSync(file, "utf8")).join(""));
});
