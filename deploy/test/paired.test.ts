/**
 * Interleaved measurement on a farm of real processes with a real compiler: after a search, and by `measure --paired`. Then on
 * two nodes of scripted runners, by the client's API.
 */
import { readFileSync } from "node:fs";
import { inTurns } from "@warpfarm/client";
import { defaultMeasureOptions, Random, systemClock } from "@warpfarm/common";
import { connect } from "@warpfarm/proto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { useFarms } from "../../test-support/farm/farms.ts";
import { type Answer, builder, cpu, programOf, runner, timedResult } from "../../test-support/farm/scripted.ts";
import { has, needs } from "../../test-support/needs.ts";
import { until } from "../../test-support/until.ts";
import { command } from "./command.testing.ts";
import { quickOptions, tinyTask } from "./faults/campaign.ts";
import { ProcessFarm } from "./process-farm.testing.ts";
import type { Finished } from "./warpfarm-process.ts";

const slow = { timeout: 300_000 };
const jsonOf = ({ stdout, stderr }: Finished) => {
  expect(stdout.match(/\n/g), stderr).toHaveLength(1);
  return JSON.parse(stdout);
};

describe("a farm of three processes", () => {
  const farm = new ProcessFarm();
  const { place: at } = farm;
  const onFarm = (name: string, ...more: string[]) =>
    command(at, [name, ...tinyTask, "--tracker", farm.address, "--json", ...quickOptions, ...more]);

  beforeAll(async () => {
    if (!has("cc")) return;
    await farm.trackerHere();
    await farm.builder();
    await farm.runner("--node", "here");
  }, 300_000);
  afterAll(() => farm[Symbol.asyncDispose]());

  test("tune, best, records best and export name one config, and --resume measures no finalists again", slow, async (ctx) => {
    needs(ctx, "cc");
    const few = await onFarm("tune", "--finalists", "3", "--rounds", "10", "--log", "t.jsonl");
    expect([few.code, few.stderr]).toEqual([2, expect.stringContaining("is 10; a verdict on 3 finalists takes at least 11")]);
    const args = ["--trials", "6", "--finalists", "3", "--rounds", "11", "--idle", "1ms", "--log", "t.jsonl"];
    const { finalists, best, speed_up } = jsonOf(await onFarm("tune", ...args));
    expect(finalists).toMatchObject({ winner: best.index, rounds: 11, decided: true, idle_ms: 1, nodes: ["here"], failed: [] });
    expect(finalists.ranks).toHaveLength(3);
    expect(speed_up.ratio_low).toBeLessThanOrEqual(speed_up.ratio);
    const onTracker = ["--tracker", farm.address, "--json"];
    const ofTask = ["--task", tinyTask[0], "--args", "[1,8,8,16,16,3,3,[1,1],[1,1]]"];
    const valuesOf = (config: { entity: [string, string, unknown][] }) =>
      Object.fromEntries(config.entity.map(([name, , value]) => [name, value]));
    await until(
      async () => {
        const { best: found } = JSON.parse((await command(at, ["records", "best", ...ofTask, ...onTracker])).stdout);
        return found[0]?.interleaved === 3;
      },
      "the rounds to be recorded",
      120_000,
    );
    for (const where of [onTracker, ["--logs", "t.jsonl", "--json"]]) {
      const { best: found } = JSON.parse((await command(at, ["records", "best", ...ofTask, ...where])).stdout);
      expect(found).toHaveLength(1);
      expect(found[0].interleaved).toBe(3);
      expect(valuesOf(found[0].tied[0].record.config), where.join(" ")).toEqual(best.config);
    }
    for (const what of [["t.jsonl"], [...tinyTask, ...onTracker.slice(0, 2)], [...tinyTask, "--logs", "t.jsonl"]]) {
      const { kernels } = jsonOf(await command(at, ["export", ...what, "-o", "out", "--json"]));
      expect(
        kernels.map(({ index }: { index: number }) => index),
        what.join(" "),
      ).toEqual([best.index]);
    }
    const shown = jsonOf(await command(at, ["best", "t.jsonl", "--json"]));
    expect(shown).toMatchObject({ index: best.index, finalist: { winner: true, seconds: best.seconds } });
    const resumed = jsonOf(await command(at, ["tune", "--resume", "t.jsonl", "--tracker", farm.address, "--json"]));
    // The notes are of the run that measured: a busy machine has one.
    expect([{ ...resumed.finalists, notes: [] }, resumed.speed_up]).toEqual([{ ...finalists, notes: [] }, speed_up]);
    expect(readFileSync(at.path("t.jsonl"), "utf8").match(/\{"finalists"/g)).toHaveLength(1);
  });

  test("measure --paired: the default schedule, a config, an artifact, what build left", slow, async (ctx) => {
    needs(ctx, "cc");
    const turns = ["--rounds", "12", "--idle", "1ms"];
    const first = jsonOf(await onFarm("measure", "--index", "3", "--paired", "default", ...turns));
    expect(first).toMatchObject({ index: 3, other: { what: "the default schedule", index: null }, rounds: 12 });
    expect(first.costs.map((costs: number[]) => costs.length)).toEqual([12, 12]);
    expect(first.ratio_low).toBeLessThanOrEqual(first.ratio);
    expect(first.ratio_high).toBeGreaterThanOrEqual(first.ratio);
    expect(first.confidence).toBeGreaterThanOrEqual(0.95);
    const artifact = jsonOf(await onFarm("measure", "--index", "4", "--paired", first.artifacts[0], ...turns));
    expect(artifact.artifacts[1]).toBe(first.artifacts[0]);
    await command(at, ["build", ...tinyTask, "--index", "3", "-o", "k.so"]);
    const built = jsonOf(await onFarm("measure", "--index", "4", "--paired", "k.so", ...turns));
    expect(built).toMatchObject({ other: { program: first.program }, artifacts: artifact.artifacts });
    const config = jsonOf(await onFarm("measure", "--index", "4", "--paired", "3", ...turns));
    expect(config).toMatchObject({ other: { index: 3, program: first.program }, artifacts: artifact.artifacts });
    const nobodys = await onFarm("measure", "--index", "4", "--paired", `sha256:${"0".repeat(64)}`);
    expect([nobodys.code, nobodys.stderr]).toEqual([3, expect.stringContaining(`program sha256:${"0".repeat(64)} is not here`)]);
  });

  test("measure --fail-above: exit 4 and a failed case of JUnit for what is shown, 0 for what is not", slow, async (ctx) => {
    needs(ctx, "cc");
    const gate = (limit: string, file: string) =>
      onFarm(
        "measure",
        "--index",
        "3",
        "--paired",
        "4",
        "--rounds",
        "12",
        "--idle",
        "1ms",
        "--fail-above",
        limit,
        "--junit",
        file,
      );
    const slower = await gate("0.000001", "slower.xml");
    expect([slower.code, slower.stderr]).toEqual([4, expect.any(String)]);
    expect(JSON.parse(slower.stdout)).toMatchObject({
      gate: { verdict: "regression", fail_above: 0.000001 },
      told_apart: expect.anything(),
    });
    expect(readFileSync(at.path("slower.xml"), "utf8")).toMatch(/failures="1" errors="0"[\s\S]*<failure type="regression"/);
    const fine = jsonOf(await gate("1000", "fine.xml"));
    expect(fine).toMatchObject({ gate: { verdict: "passed" } });
    expect(readFileSync(at.path("fine.xml"), "utf8")).toContain('failures="0" errors="0"');
    const alone = await onFarm("measure", "--index", "3", "--fail-above", "1.1");
    expect([alone.code, alone.stderr]).toEqual([2, expect.stringContaining("name it with --paired")]);
  });
});

describe("two nodes", () => {
  const { farm } = useFarms();
  const answer =
    (n: number, node: string): Answer =>
    ({ job }) => {
      if (job.kind !== "run" || !job.paired) throw new Error("not a paired job");
      const result = timedResult(n, cpu(n, node), job.artifact, job.attempt, job.buildMs);
      const costs = Array.from({ length: job.paired.options.rounds }, () => n);
      const each = [job.artifact, ...job.paired.others].map((artifact) => ({ artifact, costs, number: 1 }));
      return { kind: "run", result: { ...result, costs, paired: each } as typeof result };
    };

  test("both measure when there are two; with one node it is once", async () => {
    const { address, start } = await farm();
    start(builder(address));
    const nodeOf = (n: number, name: string) => start(runner(address, n, answer(n, name), { node: name }));
    const one = nodeOf(1, "one");
    await until(() => one.registered !== undefined, "the first node");
    await using connection = connect({ address });
    const options = { ...defaultMeasureOptions("cpu"), check: "none" } as const;
    const measure = inTurns({
      ...{ farm: connection.farm, task: "t", selector: "cpu/x86-64-v3", options, clock: systemClock, random: new Random(0) },
      ...{ paired: { rounds: 2, idleMs: 0 }, nodes: 2 as const },
    });
    const nodesOf = async () => {
      const results = await measure(
        { program: programOf("a"), others: [programOf("b"), programOf("c")] },
        { signal: new AbortController().signal },
      );
      expect(results.every((result) => result.kind === "timed" && result.paired?.length === 3)).toBe(true);
      return results.map(({ device }) => device?.node).sort();
    };
    expect(await nodesOf()).toEqual(["one"]);
    const two = nodeOf(2, "two");
    await until(() => two.registered !== undefined, "the second node");
    expect(await nodesOf()).toEqual(["one", "two"]);
  });
});
