/** A template grows a knob, or loses a value of one: what its old log means to a search that continues it or begins with it. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultMeasureOptions, type MeasureInput } from "@warpfarm/common";
import { type ConfigIndex, configToJson } from "@warpfarm/compiler";
import { at, compute, graphOf, mul, placeholder } from "@warpfarm/compiler/language";
import { openLogs } from "@warpfarm/records";
import { encodeTrial, readLog } from "@warpfarm/records/logs";
import { createTask, defineTemplate, findTemplate, type Template, type TemplateTask } from "@warpfarm/templates";
import { expect, it, onTestFinished } from "vitest";
import { runCli, storesInMemory } from "../cli/context.testing.ts";
import { scriptedMeasurer, timedResult } from "../measure/scripted.testing.ts";
import { tuners } from "../tuner/index.ts";
import { sourcesOf } from "../tuner/transfer.ts";
import { readStartLogs } from "./search-inputs.ts";
import { collect, optionsOf, specFor, summaryOf, trialsOf } from "./session.testing.ts";
import { openTuningLog } from "./tuning-log.ts";

const target = "cpu/x86-64-v3";
const toy = (parts: { readonly unroll: boolean; readonly vectors: readonly number[] }): Template =>
  defineTemplate({
    name: "toy",
    summary: "twice a vector",
    targets: ["cpu"],
    args: {},
    graph: () => {
      const a = placeholder("a", [64]);
      return graphOf([a], [compute("b", [["i", 64]], (i) => mul(at(a, i), 2))]);
    },
    // What was added comes first, and its old meaning last, so that indices mean nothing.
    space: (space, schedule) => ({
      unroll: space.choice("unroll", parts.unroll ? [1, 0] : [0], { absent: 0 }),
      tile: space.split("tile", { loop: loopOf(schedule), extent: 64 }, { parts: 2, filter: ([, inner = 1]) => inner >= 4 }),
      vector: space.choice("vector", parts.vectors),
    }),
    schedule: (schedule, { unroll, tile, vector }) => {
      const [outer, inner] = tile.apply(schedule) as [Loop, Loop];
      const [middle, lane] = schedule.split(inner, [null, vector]) as [Loop, Loop];
      schedule.parallel(outer);
      if (vector > 1) schedule.vectorize(lane);
      if (unroll === 1) schedule.unroll(middle);
    },
  });
type Scheduled = Parameters<Parameters<typeof defineTemplate>[0]["schedule"]>[0];
type Loop = ReturnType<Scheduled["axes"]>[number];
const loopOf = (schedule: Scheduled): Loop => schedule.axes(schedule.stage("b"))[0] as Loop;

const before = createTask(toy({ unroll: false, vectors: [1, 2, 4] }), undefined, target);
/** Faster with vectors of 2 than with any others. */
const secondsOf = ({ program: { bytes, digest } }: MeasureInput): number => {
  const isOfTwo = /"factors":\[null,2\]/.test(new TextDecoder().decode(bytes));
  return (isOfTwo ? 1e-6 : 1e-3) * (1 + Number.parseInt(digest.slice(7, 11), 16));
};

/** Runs `trials` of the space, or goes on with the log. */
async function searched(path: string, task: TemplateTask, trials: number, resume: boolean) {
  const measurer = scriptedMeasurer((input) => timedResult(secondsOf(input)), { width: 1 });
  await using log = await openTuningLog(path, { spec: specFor(task, "grid", 0), resume });
  const tuner = { name: "grid", seed: 0, tuner: tuners.grid({ space: task.space, seed: 0, isValid: () => true }) };
  return { events: await collect(optionsOf({ task, tuner, measurer, log, trials, inFlight: 1 })), measurer };
}
async function logOf() {
  const folder = await mkdtemp(join(tmpdir(), "warpfarm-old-log-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, "a.jsonl");
  const { events } = await searched(path, before, before.space.size, false);
  return { path, events, read: async () => readLog(await readFile(path, "utf8"), path).records };
}

it("a template that grew a knob continues its old log: each config is the same program, and none is measured again", async () => {
  const { path, events, read } = await logOf();
  const now = createTask(toy({ unroll: true, vectors: [1, 2, 4] }), undefined, target);
  const { events: more, measurer } = await searched(path, now, now.space.size, true);
  expect(more[0]).toMatchObject({ kind: "resumed", trials: 15, strange: 0 });
  const old = trialsOf(events).map(({ trial }) => trial.program);
  expect(new Set(old).size).toBe(15);
  // The default schedule's time is in the log as well.
  expect(measurer.inputs.filter(({ program }) => old.includes(program.digest))).toEqual([]);
  expect(measurer.inputs).toHaveLength(now.space.size - 15);
  const all = (await read()).map(({ trial }) => trial.config.entity.map(([name]) => name).join());
  expect(all).toEqual(Array(now.space.size).fill("unroll,tile,vector"));
  const best = summaryOf(more).best?.trial;
  const least = Math.min(...[...trialsOf(events), ...trialsOf(more)].flatMap(({ score }) => score?.seconds ?? []));
  expect(summaryOf(more).best?.seconds).toBe(least);
  const instance = best && now.instantiate(now.space.toIndex(best.config.index));
  expect(instance?.ok && instance.value.program.digest).toBe(best?.program);
});

it("a value that the space no longer has makes its line strange: counted, told to nobody, never another config", async () => {
  const { path, events, read } = await logOf();
  const now = createTask(toy({ unroll: true, vectors: [4, 1] }), undefined, target);
  const gone = trialsOf(events).filter(({ trial }) =>
    trial.config.entity.some(([name, , value]) => name === "vector" && value === 2),
  );
  expect(gone).toHaveLength(5);
  const { events: more, measurer } = await searched(path, now, now.space.size + gone.length, true);
  expect(more[0]).toMatchObject({ kind: "resumed", trials: 15, strange: 5 });
  expect(measurer.inputs).toHaveLength(now.space.size - 10);
  const least = Math.min(...gone.flatMap(({ score }) => score?.seconds ?? []));
  expect(summaryOf(events).best?.seconds).toBe(least);
  const best = summaryOf(more).best;
  expect(best?.seconds).toBeGreaterThan(least);
  expect(best?.trial.config.entity.find(([name]) => name === "vector")?.[2]).not.toBe(2);
  const { sources, warnings } = sourcesOf((await read()).slice(0, 15), "a.jsonl", () => now);
  expect(sources[0]?.rows).toHaveLength(10);
  expect(warnings).toEqual(["a.jsonl: toy []: 5 of 15 configs are not in today's space and are left out"]);
});

it("a derived space whose rules changed goes on with its log by values, and counts the configs that are gone", async () => {
  const args = { M: 24, N: 40, K: 16 };
  // The rules of another processor stand for those of another version: equal knobs, other constraints and choices.
  const [old, now] = (["cpu/x86-64-v2", "cpu/x86-64-v3"] as const).map((rules): TemplateTask => {
    return { ...createTask("matmul_derived", args, rules), target };
  }) as [TemplateTask, TemplateTask];
  expect(now.derived?.digest).not.toBe(old.derived?.digest);
  const folder = await mkdtemp(join(tmpdir(), "warpfarm-old-rules-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, "a.jsonl");
  const { events } = await searched(path, old, 60, false);
  const tried = trialsOf(events).map(({ trial }) => trial.config.entity);
  const valuesIn = (entity: (typeof tried)[number]) => new Map(entity.map(([name, , value]) => [name, value] as const));
  const isThere = (entity: (typeof tried)[number]) => {
    const index = now.space.indexOf(valuesIn(entity));
    return index !== undefined && now.space.valid.has(index);
  };
  const gone = tried.filter((entity) => !isThere(entity));
  expect([tried.length, gone.length > 0, gone.length < 60]).toEqual([60, true, true]);
  const { events: more } = await searched(path, now, 100, true);
  expect(more[0]).toMatchObject({ kind: "resumed", trials: 60, strange: gone.length });
  // Nothing that was found by its values is proposed again.
  const known = tried.filter(isThere).map((entity) => JSON.stringify(entity));
  const again = trialsOf(more).map(({ trial }) => JSON.stringify(trial.config.entity));
  expect(again.length).toBeGreaterThan(0);
  expect(again.filter((entity) => known.includes(entity))).toEqual([]);
});

it("a log of a template whose values meant other programs then starts nothing; its records say the version", async () => {
  const folder = await mkdtemp(join(tmpdir(), "warpfarm-old-version-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const source = findTemplate("matmul_mma");
  const task = createTask(source, undefined, "cuda/sm_90");
  const config = configToJson(task.space, task.space.get(task.published as ConfigIndex));
  const line = encodeTrial({
    ...{ run: { task: task.name, args: task.args, target: task.target, tuner: "random", seed: 0 }, session: "s" },
    ...{ sequence: 1, told: 0, config, options: defaultMeasureOptions("cuda"), result: timedResult(1e-6) },
  });
  const logWith = async (named: object | undefined): Promise<string> => {
    const path = join(folder, "a.jsonl");
    const search = { version: 1, task: named, args: task.args, target: task.target };
    await writeFile(path, `${named === undefined ? "" : `# warpfarm ${JSON.stringify({ search })}\n`}${line}\n`);
    return path;
  };
  const starts = async (path: string) => {
    const said: string[] = [];
    const of = { cwd: folder, say: (words: string) => void said.push(words) };
    return (await readStartLogs([path], source, of).catch(() => ({ sources: said }))).sources;
  };
  const now = await logWith({ template: "matmul_mma", version: source.version });
  expect(await starts(now)).toMatchObject([{ task: { name: "matmul_mma" }, rows: { length: 1 } }]);
  await using logs = await openLogs(now);
  expect((await logs.query({ limit: 9 })).records).toMatchObject([{ task: "matmul_mma", templateVersion: source.version }]);
  const openRecords = storesInMemory();
  expect((await runCli(["records", "import", now], { home: folder, openRecords })).code).toBe(0);
  const read = await runCli(["records", "query", "--json"], { home: folder, openRecords });
  expect(JSON.parse(read.stdout).records).toMatchObject([{ template_version: source.version }]);
  for (const [named, then] of [
    [{ template: "matmul_mma", version: "1" }, "of version 1"],
    [{ template: "matmul_mma" }, "before it had a version"],
    [undefined, "before it had a version"],
  ] as const)
    expect(await starts(await logWith(named))).toEqual([
      expect.stringContaining(`left out, it is of matmul_mma ${then}, and this Warpfarm has version ${source.version}`),
    ]);
});
