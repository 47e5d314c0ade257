/**
 * `npm run campaign`: a suite on four runners and two trackers of one PostgreSQL, of which two runners and one tracker are killed
 * (SIGKILL) in the middle. Nothing is lost or comes twice, the same configs are measured as without kills, and a task's
 * winner is the same or tied with it. All configs are finalists: times of single trials, taken on busy cores, differ by 2.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { expect, test } from "vitest";
import { isFull } from "../../test-support/campaign.ts";
import { startPostgres } from "../../test-support/farm/postgres.ts";
import { freePort } from "../../test-support/free-port.ts";
import { needs } from "../../test-support/needs.ts";
import { until } from "../../test-support/until.ts";
import { processFarm } from "./process-farm.testing.ts";

// More finalists are not taken.
const [trials, shapes] = [8, 4];
const suite = `
name: four
tasks:
  - task: matmul_derived
    shapes: {ranges: {M: [32, 64], N: [32, 64], K: [64]}}
budget: {trials: ${trials}}
tuner: random
seed: 5
finalists: {count: ${trials}, rounds: 30, idle: 1ms}
measure: {repeat: 3, min_repeat: 5ms}
`;
interface Trial {
  readonly config: { readonly index: number };
  readonly warpfarm: { readonly sequence: number; readonly rule?: string };
}
type Trials = ReadonlyMap<string, readonly Trial[]>;
/** Of each task, by its title: the winner's config first, then those tied with it. */
type Winners = ReadonlyMap<string, readonly string[]>;

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
interface Reported {
  readonly tasks: readonly {
    readonly title: string;
    readonly best: { readonly config: object; readonly tied: readonly object[] } | null;
  }[];
}
const winnersIn = (report: string): Winners => {
  const { tasks }: Reported = JSON.parse(report);
  return new Map(
    tasks.map(({ title, best }) => [title, [best?.config, ...(best?.tied ?? [])].map((each) => JSON.stringify(each))]),
  );
};

async function searched(withKills: boolean): Promise<{ readonly trials: Trials; readonly winners: Winners }> {
  const farm = processFarm();
  const { place } = farm;
  await using server = await startPostgres();
  const store = await server.create("farm");
  const addresses = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`] as const;
  const tracker = (address: string) => farm.serving("tracker", "--listen", address, "--http", "none", "--database-url", store);
  const trackers = [await tracker(addresses[0]), await tracker(addresses[1])];
  const both = addresses.join();
  await farm.serving("builder", "--tracker", both);
  const runners = await Promise.all(
    [1, 2, 3, 4].map((n) => farm.elsewhere(`machine-${n}`, {}, "--tracker", n % 2 === 0 ? both : addresses.toReversed().join())),
  );
  writeFileSync(place.path("four.yaml"), suite);
  const search = farm.begin("suite", "run", "four.yaml", "--dir", "state", "--tracker", both, "--json");
  const logs = place.path("state/logs");
  if (withKills) {
    await until(() => count(trialsThere(logs)) >= (trials * shapes) / 4, "a quarter of the trials");
    for (const runner of runners.slice(0, 2)) runner.kill("SIGKILL");
    await until(() => count(trialsThere(logs)) >= (trials * shapes) / 2, "half of the trials");
    trackers[0]?.kill("SIGKILL");
  }
  const { code, stderr } = await search.finished;
  expect(code, stderr).toBe(0);
  const report = await farm.begin("suite", "report", "state", "--json").finished;
  expect(report.code, report.stderr).toBe(0);
  return { trials: trialsIn(logs), winners: winnersIn(report.stdout) };
}

function trialsThere(folder: string): Trials {
  try {
    return trialsIn(folder);
  } catch {
    return new Map();
  }
}

test("two of four runners and one of two trackers killed: the suite ends with each trial once, the same configs and winners, or ties", {
  timeout: 900_000,
}, async (ctx) => {
  if (!isFull) ctx.skip("part of the campaign: suite.test.ts and survival/kills.test.ts kill each part once");
  needs(ctx, "cc", "postgres");
  if (userInfo().uid !== 0) ctx.skip("four runners of one processor need root, for names of their own");
  const [whole, killed] = [await searched(false), await searched(true)];
  expect([...killed.trials.keys()].sort()).toEqual([...whole.trials.keys()].sort());
  const indices = (all: readonly Trial[] = []) => all.map(({ config }) => config.index).toSorted((a, b) => a - b);
  for (const [name, found] of killed.trials) {
    expect(found.map(({ warpfarm }) => warpfarm.sequence).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: trials }, (_, i) => i + 1),
    );
    expect(found.filter(({ warpfarm }) => warpfarm.rule?.startsWith("farm."))).toEqual([]);
    expect(indices(found)).toEqual(indices(whole.trials.get(name)));
  }
  expect([...killed.winners.keys()]).toEqual([...whole.winners.keys()]);
  for (const [title, [winner = "", ...tied]] of killed.winners) {
    const [before = "", ...tiedBefore] = whole.winners.get(title) ?? [];
    if (winner !== before) console.log(`${title}: ${winner} in place of ${before}, tied`);
    expect([before, ...tiedBefore].includes(winner) || tied.includes(before), `${title}: ${winner} and ${before}`).toBe(true);
  }
});
