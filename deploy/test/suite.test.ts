/**
 * A suite on a farm of real processes, of 4 tasks in npm test and of 6 in the campaign. The tracker is killed once and the client
 * twice (SIGKILL), once both together. The restarted suite ends with exactly the requested trials, and no trial is measured again
 * once its result was in a log.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { Json } from "@warpfarm/common";
import { connect } from "@warpfarm/proto";
import { afterAll, expect, test } from "vitest";
import { isFull, some } from "../../test-support/campaign.ts";
import { needs } from "../../test-support/needs.ts";
import { until } from "../../test-support/until.ts";
import { command } from "./command.testing.ts";
import { ProcessFarm } from "./process-farm.testing.ts";
import type { Place } from "./warpfarm-process.ts";

const [trials, taskCount] = isFull ? [6, 6] : [2, 4];
const suite = `
name: six
tasks:
  - task: conv2d_nchw_cpu
    args: {N: 1, CO: 16, CI: 16, KH: 3, KW: 3, stride: 1, padding: 1}
    shapes: [{H: 8, W: 8, count: 3}, {H: 4, W: 4}]
  - task: matmul_derived
    shapes: {ranges: {M: [16, 32], K: [16], N: ${isFull ? "[16, 64]" : "[16]"}}}
budget: {trials: ${trials}}
tuner: random
finalists: 0
in_flight: 3
measure: {repeat: 1, min_repeat: 1ms}
`;

interface Reported {
  readonly title: string;
  readonly best: { readonly config: Json };
}

interface Exported {
  readonly name: string;
  readonly task: string;
  readonly args: Json;
  readonly target: string;
  readonly index: number;
}

const linesOf = (folder: string): readonly string[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith(".jsonl"))
        .flatMap((name) =>
          readFileSync(`${folder}/${name}`, "utf8")
            .split("\n")
            .slice(0, -1)
            .filter((line) => line.startsWith("{"))
            .map((line) => `${name} ${line}`),
        )
    : [];

/** The library holds the best of each shape, and a function for each template. Self-tests compare kernels with the definition. */
async function checkLibrary(at: Place, tasks: readonly Reported[], lines: readonly string[]) {
  const made = await command(at, ["export", "state", "--format", "c", "-o", "library", "--json"]);
  expect(made.code, made.stderr).toBe(0);
  // A log's line has the index of its config beside the values.
  const indexOf = ({ title, best }: Reported): number => {
    const found = lines
      .map((line) => JSON.parse(line.slice(line.indexOf(" "))))
      .find(
        ({ input: [, task, args], config }) =>
          `${task} ${JSON.stringify(args)}` === title &&
          isDeepStrictEqual(Object.fromEntries(config.entity.map(([name, , value]: Json[]) => [name, value])), best.config),
      );
    return found.config.index;
  };
  const bestOf = new Map(tasks.map((task) => [task.title, indexOf(task)]));
  const { kernels } = JSON.parse(made.stdout) as { kernels: Exported[] };
  expect(kernels.map(({ task, args, index }) => [`${task} ${JSON.stringify(args)}`, index])).toEqual(
    [...bestOf].toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
  const library = at.path("library");
  const march = /x86-64-v\d/.exec(kernels[0]?.target ?? "");
  const compile = (name: string, sources: readonly string[]) => {
    const flags = ["-std=gnu11", "-fopenmp", ...(march ? [`-march=${march[0]}`] : [])];
    execFileSync("cc", [...flags, "-o", name, ...sources, "-lm"], { cwd: library });
    execFileSync(`./${name}`, { cwd: library });
  };
  // One of each template in npm test.
  for (const { name } of some(kernels, 0, 2)) compile(name, [`${name}.c`, `${name}_reference.c`, `${name}_test.c`]);
  const [products, last] = [taskCount - 2, isFull ? 64 : 16];
  const parts = readdirSync(library).filter((name) => name.endsWith(".c") && !/_(reference|test)\.c$/.test(name));
  writeFileSync(
    at.path("library/caller.c"),
    `#include "six.h"
int main(void) {
  const long long there[] = {32, 16, ${last}}, absent[] = {32, 16, 65};
  return matmul_derived_SHAPES == ${products} && conv2d_nchw_cpu_SHAPES == 2 && matmul_derived_find(there) == ${products - 1} && matmul_derived_find(absent) == -1 ? 0 : 1;
}
`,
  );
  compile("caller", ["caller.c", ...parts]);
}

/** One for all tests: its start takes four seconds of a processor. */
const farm = new ProcessFarm();
afterAll(() => farm[Symbol.asyncDispose]());

test("killed again and again it goes on to its end", { timeout: 900_000 }, async (ctx) => {
  needs(ctx, "cc");
  let serving = await farm.tracker();
  const { place: at, address } = farm;
  await Promise.all([farm.builder(), farm.runner()]);
  writeFileSync(at.path("six.yaml"), suite);
  const folder = at.path("state/logs");
  const measured = (share: number) => {
    const wanted = Math.ceil(share * taskCount * trials);
    return until(() => linesOf(folder).length >= wanted, `${wanted} trials`, 120_000);
  };
  const seen = new Set<string>();
  const keep = () => {
    for (const line of linesOf(folder)) seen.add(line);
  };
  const suiteOf = (...args: string[]) => farm.begin("suite", ...args, "--tracker", address);

  // The client alone.
  const first = suiteOf("run", "six.yaml", "--dir", "state");
  await measured(1 / 9);
  first.kill("SIGKILL");
  await first.finished;
  keep();
  // The tracker while a client runs, then both together.
  const second = suiteOf("resume", "state");
  await measured(1 / 3);
  serving.kill("SIGKILL");
  await serving.finished;
  keep();
  serving = await farm.tracker();
  await measured(1 / 2);
  serving.kill("SIGKILL");
  second.kill("SIGKILL");
  await Promise.all([serving.finished, second.finished]);
  keep();
  serving = await farm.tracker();

  const last = await suiteOf("resume", "state", "--json").finished;
  expect(last.code, last.stderr).toBe(0);
  const status = JSON.parse(last.stdout);
  expect(status.tasks.map(({ trials: n, state }: { trials: number; state: string }) => [n, state])).toEqual(
    Array(taskCount).fill([trials, "ended"]),
  );
  const lines = linesOf(folder);
  for (const line of seen) expect(lines).toContain(line);
  const byLog = new Map<string, number[]>();
  for (const line of lines) {
    const [name = "", ...rest] = line.split(" ");
    byLog.set(name, [...(byLog.get(name) ?? []), JSON.parse(rest.join(" ")).warpfarm.sequence]);
  }
  expect(byLog.size).toBe(taskCount);
  for (const [name, found] of byLog)
    expect(
      found.sort((a, b) => a - b),
      name,
    ).toEqual(Array.from({ length: trials }, (_, i) => i + 1));

  const report = await command(at, ["suite", "report", "state", "--json"]);
  expect(report.code, report.stderr).toBe(0);
  const { kinds, tasks } = JSON.parse(report.stdout);
  expect(kinds).toMatchObject([{ tasks: taskCount, over_default: { count: taskCount } }]);
  for (const task of tasks)
    expect(task).toMatchObject({ ended: "trials", trials, failures: 0, best: { seconds: expect.any(Number) } });
  expect(tasks.map(({ weight }: { weight: number }) => weight)).toEqual([3, ...Array(taskCount - 1).fill(1)]);

  const again = await command(at, ["suite", "resume", "state", "--tracker", address, "--json"]);
  expect(again.code).toBe(0);
  expect(linesOf(folder).length).toBe(taskCount * trials);

  await checkLibrary(at, tasks, linesOf(folder));
});

test("its owner holds a task's session and gives it more trials", { timeout: 300_000 }, async (ctx) => {
  needs(ctx, "cc");
  const { place: at, address } = farm;
  const budget = suite
    .slice(suite.indexOf("budget"))
    .replace(`trials: ${trials}`, "trials: 4, patience: 1000")
    .replace("in_flight: 3", "in_flight: 1")
    // It is found before it ends.
    .replace("min_repeat: 1ms", "min_repeat: 1ms, cooldown: 500ms");
  writeFileSync(
    at.path("one.yaml"),
    `name: one\ntasks:\n  - task: matmul_derived\n    shapes: [{M: 64, N: 64, K: 64}]\n${budget}`,
  );
  await using connection = connect({ address });
  // Those of clients that were killed may still be kept.
  const others = new Set((await connection.admin.listSessions()).map(({ sessionId }) => sessionId));
  const running = farm.begin("suite", "run", "one.yaml", "--dir", "one", "--tracker", address, "--json");
  const sessions = async (...args: string[]) => {
    const { code, stdout, stderr } = await command(at, ["sessions", ...args, "--tracker", address, "--json"]);
    expect(code, stderr).toBe(0);
    return JSON.parse(stdout);
  };
  // At once: a process needs longer to start than the search may take.
  let id = "";
  const pause = async () => {
    const listed = await connection.admin.listSessions();
    const open = listed.find(({ sessionId, takesTrials }) => takesTrials && !others.has(sessionId));
    if (open === undefined) return false;
    await connection.admin.pauseSession(open.sessionId, "pause");
    id = open.sessionId;
    return true;
  };
  await until(pause, "its session", 120_000);
  expect((await sessions()).sessions).toContainEqual(expect.objectContaining({ session_id: id }));
  await sessions("--extend", id, "--trials", "2");
  await sessions("--resume", id);
  const end = await running.finished;
  expect(end.code, end.stderr).toBe(0);
  expect(JSON.parse(end.stdout).tasks).toMatchObject([{ state: "ended", trials: 6 }]);
});

test("two runs that chose different kernels get the same choices from rounds on the farm", { timeout: 300_000 }, async (ctx) => {
  needs(ctx, "cc");
  const { place: at, address } = farm;
  const onFarm = async (...args: string[]) => {
    const { code, stdout, stderr } = await command(at, ["suite", ...args, "--tracker", address, "--json"]);
    expect(code, stderr).toBe(0);
    return JSON.parse(stdout);
  };
  const textOf = (name: string, file: string) => readFileSync(at.path(`${name}/${file}`), "utf8");
  // One config each, by other seeds: which of the two is faster is the machine's matter, that they differ is not.
  const budget = suite.slice(suite.indexOf("budget")).replace(`trials: ${trials}`, "trials: 1");
  for (const [name, seed] of Object.entries({ a: 1, b: 2 })) {
    const tasks = "tasks:\n  - task: matmul_derived\n    shapes: [{M: 32, N: 16, K: 16}]\n";
    writeFileSync(at.path("pair.yaml"), `name: pair\n${tasks}seed: ${seed}\n${budget}`);
    await onFarm("run", "pair.yaml", "--dir", name);
  }
  const chosen = (name: string) => JSON.parse(textOf(name, "choices.json")).buckets[0].choice.program as string;
  const both = [chosen("a"), chosen("b")];
  expect(both[0]).not.toBe(both[1]);
  const settled = await onFarm("settle", "a", "b");
  expect(settled).toMatchObject({ buckets: 1, differed: 1, measured: 1, unpaired: 0 });
  // Each round has a time of both, from the farm's runner.
  const { finalists } = JSON.parse(textOf("a", "rounds.jsonl"));
  const programs = finalists.configs.map(({ program }: { program: string }) => program);
  expect(programs.toSorted()).toEqual(both.toSorted());
  const [first, second] = finalists.runs[0].costs as [number[], number[]];
  expect(second).toHaveLength(first.length);
  expect(Math.min(...first, ...second)).toBeGreaterThan(0);
  expect(both).toContain(chosen("a"));
  if (Math.max(...first) < Math.min(...second)) expect(chosen("a")).toBe(programs[0]);
  if (Math.max(...second) < Math.min(...first)) expect(chosen("a")).toBe(programs[1]);
  expect(textOf("a", "choices.json")).toBe(textOf("b", "choices.json"));
  expect(await onFarm("settle", "b", "a")).toMatchObject({ differed: 0, measured: 0, choices: settled.choices });
});
