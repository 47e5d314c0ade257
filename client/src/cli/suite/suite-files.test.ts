/**
 * Files of a suite, before a farm is started or asked: their places in errors, separators, the plan of a dry run, what a folder
 * keeps.
 */
import { cpSync, existsSync, linkSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { toArtifactDigest } from "@warpfarm/common";
import { encodeTrial } from "@warpfarm/records/logs";
import { describe, expect, it } from "vitest";
import { cpu, timedResult } from "../../../../test-support/farm/scripted.ts";
import { plannedTask, suitePlan } from "../../../../test-support/suite-plan.ts";
import { fakeTracker, snapshotOf } from "../../measure/fake-tracker.testing.ts";
import { timedResult as timedResultOf } from "../../measure/scripted.testing.ts";
import { SuiteDirectory } from "../../suite/directory.ts";
import { suiteIn } from "../../suite/pack.testing.ts";
import { oneSentence, runCli, scratch } from "../context.testing.ts";
import { detach, markIn, rememberedFlags, rememberFarm, searchedMs } from "./farm-suite.ts";
import { begunIn } from "./search-task.ts";
import { Sources } from "./sources.ts";
import { statusJson } from "./status.ts";

const rows = fileURLToPath(new URL("../../../test/vectors/cases/19-csv-row-unnamed/", import.meta.url));
/** `suite run` of a folder with that file of shapes, where no farm can be started and none listens. */
async function run(shapes: string | Buffer, name = "shapes.csv", ...flags: string[]) {
  const cwd = scratch();
  cpSync(rows, cwd, { recursive: true });
  writeFileSync(join(cwd, name), shapes);
  writeFileSync(join(cwd, "suite.yaml"), readFileSync(join(rows, "suite.yaml"), "utf8").replace("shapes.csv", name));
  const said = await runCli(["suite", "run", "suite.yaml", ...flags], { cwd });
  return { ...said, isMade: existsSync(join(cwd, "warpfarm-logs")) };
}

describe("a bad row is named by file, line and column, before a farm is started or asked", () => {
  it.each([[[]], [["--tracker", "127.0.0.1:1"]]])("with %j", async (flags) => {
    const said = await run(readFileSync(join(rows, "shapes.csv")), "shapes.csv", ...flags);
    expect([said.code, said.isMade, oneSentence(said)]).toEqual([
      2,
      false,
      "warpfarm suite: shapes.csv line 3, column K: matmul_derived: argument K is 0; it takes a whole number from 1",
    ]);
  });

  it.each([
    ["M,K,N\n64,64,64\n64,1.5,64\n", "shapes.csv", "shapes.csv line 3, column K: "],
    ['M,K,N\n64,64,64\n\n\n64,64,"a\nb"\n', "shapes.csv", "shapes.csv line 5, column N: "],
    ['M,label,K\n8,"two\nlines",8\n8,,0\n', "shapes.csv", "shapes.csv line 4, column K: "],
    ["M,Q\n64,1\n", "shapes.csv", "shapes.csv line 2, column Q: matmul_derived has no argument"],
    ["M;K;N\r\n64;64;64\r\n64;0;64\r\n", "shapes.csv", "shapes.csv line 3, column K: "],
    ["M\tK\n64\t-1\n", "shapes.tsv", "shapes.tsv line 2, column K: "],
    ["sep=;\nM;K\n64;0\n", "shapes.csv", "shapes.csv line 3, column K: "],
    [Buffer.from("\uFEFFM;K\r\n64;0\r\n", "utf16le"), "shapes.csv", "shapes.csv line 2, column K: "],
    ["M,K\n64,64,64\n", "shapes.csv", "shapes.csv line 2: it has 3 cells, and the header 2"],
    ["M,library_us\n64,0\n", "shapes.csv", "shapes.csv line 2, column library_us: "],
    ["M,library_us\n64,1e300\n", "shapes.csv", "shapes.csv line 2, column library_us: "],
    ['M\n64\n"64\n', "shapes.csv", "shapes.csv line 3: a quote is not closed"],
    ['{"M": 64}\n{"M": 0}\n', "shapes.jsonl", "shapes.jsonl line 2, field M: "],
    ['{"M": 64}\n{"M": \n', "shapes.jsonl", "shapes.jsonl line 2: it is not JSON"],
    ['[{"M": 64}, {"M": "x"}]', "shapes.json", "shapes.json shape 2, field M: "],
    ["", "shapes.csv", "shapes.csv: it is empty"],
  ])("%j in %s", async (text, name, words) => {
    const said = await run(text, name);
    expect([said.code, said.isMade, oneSentence(said)]).toEqual([2, false, expect.stringContaining(`warpfarm suite: ${words}`)]);
  });

  it("and a file that is not there, and a shape in the suite itself", async () => {
    const cwd = scratch();
    writeFileSync(join(cwd, "a.yaml"), "name: a\ntasks:\n  - {task: matmul_derived, shapes: gone.csv}\n");
    writeFileSync(join(cwd, "b.yaml"), "name: b\ntasks:\n  - task: matmul_derived\n    shapes: [{M: 8}, {M: 0}]\n");
    writeFileSync(join(cwd, "c.yaml"), "name: c\ntasks:\n  - {task: matmul_derived, shapes: [{M: 1e400}]}\n");
    const said = await Promise.all(["a.yaml", "b.yaml", "c.yaml"].map((file) => runCli(["suite", "run", file], { cwd })));
    expect(said.map(oneSentence)).toEqual([
      expect.stringContaining('suite a.yaml:3: shapes names "gone.csv", which cannot be read: there is no such file or folder'),
      expect.stringContaining("tasks[0] (matmul_derived) shape 2, field M: matmul_derived: argument M is 0"),
      expect.stringContaining('suite c.yaml: "M": its number is not a finite one (they end at 1.8e308)'),
    ]);
  });
});

it("a run that is refused leaves no folder behind", async () => {
  const said = await run("M\n64\n", "shapes.csv", "--tracker", "127.0.0.1:1");
  expect([said.code, said.isMade, said.stderr]).toEqual([3, false, expect.not.stringContaining("was made")]);
  const detached = await run("M\n64\n", "shapes.csv", "--detach", "--dir", "warpfarm-logs/one");
  expect([detached.code === 0, detached.isMade]).toEqual([false, false]);
});

it.each([
  ["gone.csv", "", 'gone.csv", which cannot be read'],
  ["gone", "", "gone holds neither a suite nor a pack"],
  ["lib.csv", "M,device,inputs,power,l2,library_us\n64,x,full,burst,warm,-3\n", "lib.csv line 2, column library_us: it is -3"],
  ["lib.csv", "M,inputs\n64,full\n", "lib.csv line 2: it has no device"],
])("a wrong baseline, %s, is refused before a farm is started", async (word, text, words) => {
  const folder = scratch();
  if (text !== "") writeFileSync(join(folder, word), text);
  const said = await run("M\n64\n", "shapes.csv", "--baseline", join(folder, word));
  expect([said.code, said.isMade, oneSentence(said)]).toEqual([2, false, expect.stringContaining(words)]);
});

it("a dry run lists tasks, configs and time, with any separator, and starts nothing", async () => {
  for (const separator of [",", ";", "\t"]) {
    const text = [
      ["M", "K", "N"],
      ["64", "64", "64"],
      ["32", "8", "64"],
    ]
      .map((row) => `${row.join(separator)}\n`)
      .join("");
    const said = await run(text, "shapes.csv", "--dry-run", "--json");
    expect([said.code, said.stderr, said.isMade]).toEqual([0, "", false]);
    const plan = JSON.parse(said.stdout);
    expect(plan).toMatchObject({ suite: "rows", trials: 4, tasks: [{ on: "cpu/x86-64-v3", trials: 2 }, { trials: 2 }] });
    // The space of the command `space`.
    const args = ["--args", '{"M": 64, "N": 64, "K": 64}', "--target", "cpu/x86-64-v3", "--stats", "--json"];
    expect(plan.tasks[0].configs).toBe(JSON.parse((await runCli(["space", "matmul_derived", ...args])).stdout).allowed);
    // 2 trials of at most 10 repeats of 20 ms, then 2 finalists and the default schedule in 60 rounds of 20 ms, the most.
    expect(plan.tasks[0].device_seconds).toBeCloseTo(2 * 10 * 0.02 + 3 * 60 * 0.02, 9);
    expect(plan.device_seconds).toBeCloseTo(2 * plan.tasks[0].device_seconds, 9);
  }
  const words = (await run("M\n64\n", "shapes.csv", "--dry-run")).stdout;
  expect(words).toMatch(/^matmul_derived +cpu\/x86-64-v3 +\d+ +2 +4 s\n\[64,/m);
  expect(words).toMatch(/rows: 1 task, 2 trials at most, 4 s of device time if no kernel is slow; nothing was started\n$/);
});

it.each([
  ["cpu", "cpu/x86-64-v3"],
  ["cuda:1", "cuda/sm_90"],
])("a dry run with --device %s is of the usual %s", async (device, on) => {
  const cwd = scratch();
  writeFileSync(join(cwd, "suite.yaml"), "name: rows\ntasks: [{task: matmul_derived}]\nbudget: {trials: 2}\n");
  const said = await runCli(["suite", "run", "suite.yaml", "--dry-run", "--json", "--device", device], { cwd });
  expect(JSON.parse(said.stdout).tasks).toMatchObject([{ on }]);
});

/** What it says of a suite with this head and these tasks. */
const dryRunOf = async (head: string, task: string, env = {}, ...flags: readonly string[]) => {
  const cwd = scratch();
  writeFileSync(join(cwd, "suite.yaml"), `name: rows\n${head}tasks: [${task}]\nbudget: {trials: 2}\n`);
  return runCli(["suite", "run", "suite.yaml", "--dry-run", ...flags], { cwd, env });
};
const product = "{task: matmul_simt, shapes: [{M: 64, N: 64, K: 64}]}";
const productOn = (targets: string) => product.replace("}]}", `}], targets: [${targets}]}`);
const timed = "framework: {name: PyTorch, device: an A100, key: cuda/sm_80}\n";
it.each<[what: string, head: string, task: string, env: object, on: readonly string[], assumed: readonly string[]]>([
  ["nothing", "", product, {}, ["cuda/sm_90"], ["cuda/sm_90"]],
  ["a pattern of targets", "targets: [cuda/*]\n", product, {}, ["cuda/sm_90"], ["cuda/sm_90"]],
  ["its targets", "targets: [cuda/sm_80, cuda/sm_90]\n", product, {}, ["cuda/sm_80", "cuda/sm_90"], []],
  ["a task's targets", "", productOn("cuda/sm_86"), {}, ["cuda/sm_86"], []],
  ["one task's targets", "", `${productOn("cuda/sm_86")}, ${product}`, {}, ["cuda/sm_86", "cuda/sm_90"], ["cuda/sm_90"]],
  ["the times of a framework", timed, product, {}, ["cuda/sm_80"], []],
  ["its targets, and the times of a framework", `${timed}targets: [cuda/sm_90]\n`, product, {}, ["cuda/sm_90"], []],
  ["nothing, and the settings a target", "", product, { WARPFARM_TARGET: "cuda/sm_89" }, ["cuda/sm_89"], []],
  ["nothing, and the task is for this processor", "", "{task: matmul_derived, targets: [cpu]}", {}, ["cpu/x86-64-v3"], []],
])("a dry run of a suite that names %s", async (_, head, task, env, on, assumed) => {
  const { stdout, stderr } = await dryRunOf(head, task, env, "--json");
  expect(stdout, stderr).not.toBe("");
  const found = JSON.parse(stdout);
  expect([found.tasks.map((each: { on: string }) => each.on), found.assumed]).toEqual([on, assumed]);
  const said = (await dryRunOf(head, task, env)).stdout;
  const words = /^assumed (.*), because no farm was asked; for other devices name them in the suite \(targets\), or a farm/m;
  expect(words.exec(said)?.[1]).toBe(assumed.length === 0 ? undefined : assumed.join(" and "));
});

it("a dry run tells a device once that it assumed, follows --device before a framework's times, and assumes none of a farm's", async () => {
  const two = "{task: matmul_simt, shapes: [{M: 64, N: 64, K: 64}, {M: 32, N: 32, K: 32}]}";
  expect(JSON.parse((await dryRunOf("", two, {}, "--json")).stdout)).toMatchObject({ tasks: [{}, {}], assumed: ["cuda/sm_90"] });
  const derived = "{task: matmul_derived, shapes: [{M: 64, N: 64, K: 64}]}";
  const onCpu = await dryRunOf(timed, derived, {}, "--json", "--device", "cpu");
  expect(JSON.parse(onCpu.stdout).tasks).toMatchObject([{ on: "cpu/x86-64-v3" }]);
  const { address } = await fakeTracker({ execute: () => timedResultOf(1), snapshot: snapshotOf("cuda/sm_75") });
  const onFarm = await dryRunOf("", product, {}, "--json", "--tracker", address);
  expect(JSON.parse(onFarm.stdout)).toMatchObject({ tasks: [{ on: "cuda/sm_75" }], assumed: [] });
});

describe("wall time of a suite that a farm keeps", () => {
  const task = plannedTask("t", "matmul_derived", { args: [8, 8, 8, "float32", "NN"] });
  const other = { ...task, id: "u" };
  const trial = (searchedMs: number | undefined, sequence: number): string =>
    encodeTrial({
      run: { task: "matmul_derived", args: task.search.args, target: task.search.target, tuner: "random", seed: 1 },
      ...{ session: "a", sequence, told: 0, config: { index: 0, code_hash: null, entity: [] } },
      options: {
        ...{ number: 0, repeat: 1, precision: 0, minRepeatMs: 1, buildTimeoutMs: 1, runTimeoutMs: 1, cooldownMs: 0 },
        ...{ l2: "warm", timer: "wall", check: "none", inputs: "full", power: "burst" },
      },
      result: timedResult(1, cpu(1), toArtifactDigest(`sha256:${"0".repeat(64)}`)),
      ...(searchedMs === undefined ? {} : { searchedMs }),
    });
  type Logs = readonly (readonly (number | undefined)[])[];
  async function suite(...logs: Logs) {
    const directory = new SuiteDirectory(join(scratch(), "suite"));
    await directory.create(suitePlan({ tasks: [task, other], budget: { wallMs: 300_000 } }));
    for (const [i, log] of logs.entries())
      writeFileSync(directory.logOf([task, other][i]?.id as string), log.map((ms, n) => `${trial(ms, n + 1)}\n`).join(""));
    return directory;
  }

  it("is what the processes counted, each from where the logs ended when it began", async () => {
    const spent = async (...logs: Logs) => searchedMs(await suite(...logs), [task, other]);
    expect(await spent()).toBe(0);
    expect(await spent([undefined])).toBe(0);
    // A result that was taken over from a process that searched less comes later.
    expect(await spent([1_000, 38_000, 20_000])).toBe(38_000);
    expect(await spent([1_000, 38_000], [12_000, 45_000])).toBe(45_000);
  });

  it("is what status says, beside the budget", async () => {
    const directory = await suite([1_000, 2_000]);
    const suites = { create: async () => "s-1" } as unknown as Parameters<typeof detach>[0]["suites"];
    const handed = new SuiteDirectory(join(scratch(), "handed"));
    await detach({ suites, address: "farm:1", requestId: "r" }, handed, await directory.plan());
    writeFileSync(handed.logOf("t"), readFileSync(directory.logOf("t")));
    expect(await statusJson(handed)).toMatchObject({ wall_seconds: 2, wall_budget_seconds: 300 });
  });
});

describe("the folder of a suite", () => {
  it("remembers how its farm was reached, by whole paths, for that farm alone", async () => {
    const cwd = scratch();
    const directory = new SuiteDirectory(join(cwd, "s"));
    mkdirSync(directory.path);
    const flags = { tracker: "farm:9290", tlsCa: "ca.pem", tlsCert: "me.pem", tlsKey: "/keys/me.key", tokenFile: "t" };
    const whole = { ...flags, tlsCa: join(cwd, "ca.pem"), tlsCert: join(cwd, "me.pem"), tokenFile: join(cwd, "t") };
    expect(await rememberedFlags(directory, { tlsCa: "x" })).toEqual({ tlsCa: "x" });
    await rememberFarm(directory, "farm:9290", flags, cwd);
    expect(await markIn(directory)).toBeUndefined();
    expect(await rememberedFlags(directory, {})).toEqual(whole);
    expect(await rememberedFlags(directory, { tracker: "farm:9290", tlsCa: "new.pem" })).toEqual({ ...whole, tlsCa: "new.pem" });
    expect(await rememberedFlags(directory, { tracker: "other:9290" })).toEqual({ tracker: "other:9290" });
    const handed = new SuiteDirectory(join(cwd, "h"));
    const create = async () => {
      // Who reads the mark meanwhile reads the one from before to its end: the next one replaces it, and is not written into it.
      linkSync(join(handed.path, "farm.json"), join(cwd, "before.json"));
      return "s-1";
    };
    const suites = { create } as unknown as Parameters<typeof detach>[0]["suites"];
    await detach({ suites, address: "farm:9290", requestId: "r", flags, cwd }, handed, suitePlan({}));
    expect(await markIn(handed)).toMatchObject({ suite_id: "s-1", request_id: "r", tlsCa: whole.tlsCa });
    expect(await rememberedFlags(handed, {})).toEqual(whole);
    expect(JSON.parse(readFileSync(join(cwd, "before.json"), "utf8"))).not.toHaveProperty("suite_id");
    expect(readdirSync(handed.path).filter((name) => name.startsWith("farm.json"))).toEqual(["farm.json"]);
  });

  it.each([
    ["suite.json", "", "is no suite: its suite.json was cut off or changed"],
    ["suite.json", '{"version": 1, "name": "x"}', "is no suite: its suite.json was cut off or changed"],
    ["suite.json", '{"version": 2}', "holds a suite of version 2; this version reads 1"],
    ["farm.json", "{", "does not say which farm has the suite: it was cut off or changed; put back a copy of it (without"],
    ["farm.json", "null", "does not say which farm has the suite: it was cut off or changed; put back a copy of it (without"],
  ])("with a broken %s, %j, is refused in one sentence", async (file, text, words) => {
    const cwd = scratch();
    const directory = new SuiteDirectory(join(cwd, "s"));
    await directory.create(suitePlan({}));
    writeFileSync(join(directory.path, file), text);
    for (const command of ["status", "report"]) {
      const said = await runCli(["suite", command, "s"], { cwd });
      expect([said.code, oneSentence(said)]).toEqual([2, expect.stringContaining(words)]);
    }
  });

  it("is what a run of a suite's file writes: the file itself is refused, with what to do", async () => {
    const cwd = scratch();
    writeFileSync(join(cwd, "net.yaml"), "name: net\n");
    for (const words of [
      ["suite", "report"],
      ["suite", "resume"],
      ["export", "-o", "out", "--plan", "net.plan.json"],
    ]) {
      const said = await runCli([...words, "net.yaml"], { cwd });
      expect([said.code, oneSentence(said)]).toEqual([
        2,
        `warpfarm ${words[0]}: net.yaml is the file of a suite; name the folder that a run of it writes, which warpfarm suite run net.yaml begins`,
      ]);
    }
  });

  it("is not cancelled any more when its last line says so", async () => {
    const directory = new SuiteDirectory(join(scratch(), "s"));
    await directory.create(suitePlan({}));
    const heard: boolean[] = [];
    for (const isCancelled of [true, false, true]) {
      await directory.cancel(isCancelled);
      heard.push((await directory.progress()).isCancelled);
    }
    expect(heard).toEqual([true, false, true]);
  });

  it("opens the tasks first whose logs were written last", async () => {
    const directory = await suiteIn(join(scratch(), "s"), [[1e-6], [2e-6], [3e-6]]);
    for (const [i, second] of [20, 30, 10].entries()) utimesSync(directory.logOf(`t${i}`), second, second);
    const begun = await begunIn(directory, new Sources(directory.path), (await directory.plan()).tasks);
    expect([...begun].map(([id, { results }]) => [id, results.length])).toEqual([
      ["t1", 1],
      ["t0", 1],
      ["t2", 1],
    ]);
  });

  it("keeps the wall time of the runs before, however often it is continued", async () => {
    const { address } = await fakeTracker({ execute: () => timedResultOf(1e-6), snapshot: snapshotOf("cpu/x86-64-v3") });
    const home = scratch();
    writeFileSync(
      join(home, "s.yaml"),
      "name: s\nfinalists: 0\nbudget: {trials: 1}\ntasks: [{task: matmul_derived, shapes: [{M: 8, N: 8, K: 8}]}]\n",
    );
    const suite = (...words: readonly string[]) => runCli(["suite", ...words, "--tracker", address], { home });
    const first = await suite("run", "s.yaml", "--dir", "S");
    expect(first.code, first.stderr).toBe(0);
    const directory = new SuiteDirectory(join(home, "S"));
    await directory.wall(5_000_000);
    for (let run = 0; run < 2; run++) {
      const said = await suite("resume", "S");
      expect(said.code, said.stderr).toBe(0);
    }
    expect((await directory.progress()).wallMs).toBeGreaterThanOrEqual(5_000_000);
  });

  it("is cancelled while a task goes on, and not once it has ended", async () => {
    const directory = await suiteIn(join(scratch(), "s"), [[1e-6], [2e-6]]);
    const progress = join(directory.path, "progress.jsonl");
    const cancel = () => runCli(["suite", "cancel", directory.path]);
    await directory.ended("t0", "its trials are spent");
    expect(await cancel()).toMatchObject({ code: 0, stdout: expect.stringContaining("no process runs it") });
    await directory.cancel(false);
    {
      await using _lock = await directory.lock();
      expect(await cancel()).toMatchObject({ code: 0, stdout: expect.stringContaining("the process that runs it ends") });
    }
    await directory.cancel(false);
    for (const id of ["t1", "t2"]) await directory.ended(id, "failed: no device");
    const before = readFileSync(progress, "utf8");
    const said = await cancel();
    expect([said.code, said.stdout, oneSentence(said)]).toEqual([
      2,
      "",
      expect.stringMatching(/s has ended: .*suite report .*s shows/),
    ]);
    expect(readFileSync(progress, "utf8")).toBe(before);
  });

  it.each(["status", "report", "cancel", "resume"])("serves suite %s", async (command) => {
    const cwd = scratch();
    const directory = new SuiteDirectory(join(cwd, "s"));
    await directory.create(suitePlan({}));
    const mark = {
      tracker: "127.0.0.1:1",
      tlsCa: join(cwd, "gone.pem"),
      ...(command === "resume" ? {} : { request_id: "r", suite_id: "s" }),
    };
    writeFileSync(join(directory.path, "farm.json"), JSON.stringify(mark));
    const said = await runCli(["suite", command, "s"], { cwd });
    expect(oneSentence(said)).toContain(`--tls-ca names ${JSON.stringify(mark.tlsCa)}, which cannot be read`);
  });
});
