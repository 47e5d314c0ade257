/**
 * `npm run campaign`: a suite on four runners and two trackers of one PostgreSQL, of which two runners and one tracker are killed
 * (SIGKILL) in the middle. Nothing is lost or comes twice, and the same configs are measured as without kills. Winners that
 * differ are named, with the ratio of their times. paired.test.ts kills a runner in the middle of an interleaved job.
 */
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { expect, test } from "vitest";
import { isFull } from "../../test-support/campaign.ts";
import { startPostgres } from "../../test-support/farm/postgres.ts";
import { freePort } from "../../test-support/free-port.ts";
import { needs } from "../../test-support/needs.ts";
import { until } from "../../test-support/until.ts";
import { processFarm } from "./process-farm.testing.ts";
import { bin } from "./warpfarm-process.ts";

const [trials, shapes] = [12, 4];
const suite = `
name: four
tasks:
  - task: matmul_cpu
    shapes: {ranges: {N: [32, 64], L: [64], M: [32, 64]}}
budget: {trials: ${trials}}
tuner: random
seed: 5
finalists: 0
measure: {repeat: 3, min_repeat: 5ms}
`;
interface Trial {
  readonly config: { readonly index: number };
  readonly warpfarm: { readonly sequence: number; readonly seconds: number | null; readonly rule?: string };
}
type Trials = ReadonlyMap<string, readonly Trial[]>;

const trialsIn = (folder: string): Trials =>
  new Map(
    readdirSync(folder)
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => {
        const lines = readFileSync(`${folder}/${name}`, "utf8").split("\n").slice(0, -1);
        return [name, lines.filter((line) => line.startsWith("{")).map((line): Trial => JSON.parse(line))] as const;
      }),
  );
const count = (all: Trials): number => [...all.values()].reduce((sum, some) => sum + some.length, 0);
const winnerOf = (all: readonly Trial[]) =>
  all.toSorted((a, b) => (a.warpfarm.seconds ?? Number.POSITIVE_INFINITY) - (b.warpfarm.seconds ?? Number.POSITIVE_INFINITY))[0];

async function searched(withKills: boolean): Promise<Trials> {
  const farm = processFarm();
  const { place } = farm;
  await using server = await startPostgres();
  const store = await server.create("farm");
  const addresses = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`] as const;
  const tracker = (address: string) => farm.serving("tracker", "--listen", address, "--http", "none", "--database-url", store);
  const trackers = [await tracker(addresses[0]), await tracker(addresses[1])];
  const both = addresses.join();
  await farm.serving("builder", "--tracker", both);
  const runners = [1, 2, 3, 4].map((n) => {
    const runtime = place.path(`runtime-${n}`);
    mkdirSync(runtime);
    const words = [
      process.execPath,
      bin(),
      "runner",
      "--tracker",
      n % 2 === 0 ? both : addresses.toReversed().join(),
      "--threads",
      "1",
    ];
    // As on a machine of its own: a tracker has one runner of a machine's processor.
    const alone = [
      "--uts",
      "sh",
      "-c",
      'hostname "$0" && exec "$@"',
      `machine-${n}`,
      ...words,
      "--cache",
      place.path(`cache-${n}`),
    ];
    const child = spawn("unshare", alone, { cwd: place.directory, env: { ...place.env, XDG_RUNTIME_DIR: runtime } });
    let said = "";
    child.stdout.on("data", (text: Buffer) => {
      said += text.toString();
    });
    return { child, isReady: () => said.includes("runner ready") };
  });
  try {
    await until(() => runners.every(({ isReady }) => isReady()), "four runners");
    writeFileSync(place.path("four.yaml"), suite);
    const search = farm.begin("suite", "run", "four.yaml", "--dir", "state", "--tracker", both, "--json");
    const logs = place.path("state/logs");
    if (withKills) {
      await until(() => count(trialsThere(logs)) >= (trials * shapes) / 4, "a quarter of the trials");
      for (const { child } of runners.slice(0, 2)) child.kill("SIGKILL");
      await until(() => count(trialsThere(logs)) >= (trials * shapes) / 2, "half of the trials");
      trackers[0]?.kill("SIGKILL");
    }
    const { code, stderr } = await search.finished;
    expect(code, stderr).toBe(0);
    return trialsIn(logs);
  } finally {
    for (const { child } of runners) child.kill("SIGKILL");
  }
}

function trialsThere(folder: string): Trials {
  try {
    return trialsIn(folder);
  } catch {
    return new Map();
  }
}

test("two of four runners and one of two trackers killed: the suite ends with each trial once and the same configs; other winners are named", {
  timeout: 900_000,
}, async (ctx) => {
  if (!isFull) ctx.skip("part of the campaign: suite.test.ts and survival/kills.test.ts kill each part once");
  needs(ctx, "cc", "postgres");
  if (userInfo().uid !== 0) ctx.skip("four runners of one processor need root, for names of their own");
  const [whole, killed] = [await searched(false), await searched(true)];
  expect([...killed.keys()].sort()).toEqual([...whole.keys()].sort());
  for (const [name, found] of killed) {
    expect(found.map(({ warpfarm }) => warpfarm.sequence).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: trials }, (_, i) => i + 1),
    );
    expect(found.filter(({ warpfarm }) => warpfarm.rule?.startsWith("farm."))).toEqual([]);
    const before = whole.get(name) ?? [];
    const indices = (all: readonly Trial[]) => all.map(({ config }) => config.index).toSorted((a, b) => a - b);
    expect(indices(found)).toEqual(indices(before));
    const [first, second] = [winnerOf(before), winnerOf(found)];
    if (first?.config.index === second?.config.index) continue;
    const there = before.find(({ config }) => config.index === second?.config.index);
    const ratio = (there?.warpfarm.seconds ?? Number.POSITIVE_INFINITY) / (first?.warpfarm.seconds ?? 1);
    console.log(
      `${name}: winner ${first?.config.index} then ${second?.config.index}, times ${ratio.toFixed(2)} apart undisturbed`,
    );
  }
});
