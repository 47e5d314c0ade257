/** `export` from a user's view: what it writes for a task, a log and a line of a log, and what it refuses. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { computationDigest, defaultMeasureOptions, type Json, systemClock } from "@warpfarm/common";
import { configNamed, configToJson } from "@warpfarm/compiler";
import type { TuningRecord } from "@warpfarm/records";
import { encodeTrial } from "@warpfarm/records/logs";
import { nameOfTask } from "@warpfarm/records/search";
import { createTask } from "@warpfarm/templates";
import { describe, expect, test } from "vitest";
import { plannedTask, suitePlan } from "../../../test-support/suite-plan.ts";
import { exportUnit } from "../export/unit.ts";
import { timedResult } from "../measure/scripted.testing.ts";
import { SuiteDirectory } from "../suite/directory.ts";
import { oneSentence, runCli, scratch, storesInMemory } from "./context.testing.ts";

const log = fileURLToPath(new URL("../../test/vectors/autotvm-conv2d-h100.log.json", import.meta.url));

describe("export", () => {
  test("of a task writes what the format has, and says how it is checked", async () => {
    const home = scratch();
    const said = await runCli(
      ["export", "matmul_derived", "--target", "cpu", "--index", "3", "--args", '[8,8,8,"float32","NN"]', "-o", "out"],
      {
        home,
      },
    );
    expect(said).toMatchObject({ code: 0, stderr: "" });
    expect(readdirSync(join(home, "out")).sort()).toEqual(
      ["CMakeLists.txt", "matmul_derived.c", "matmul_derived.h", "matmul_derived_reference.c", "matmul_derived_test.c"].sort(),
    );
    expect(said.stdout).toContain('matmul_derived: matmul_derived [8,8,8,"float32","NN"], config 3, for cpu/x86-64-v3');
    expect(said.stdout).toContain("ctest --test-dir BUILD");
  });

  test("chooses the target by the format, and names everything by --name", async () => {
    const home = scratch();
    const argv = [
      "export",
      "tutorial/conv2d_no_batching",
      "--index",
      "published",
      "--format",
      "json",
      "--name",
      "mine",
      "-o",
      "out",
      "--json",
    ];
    const said = await runCli(argv, { home });
    expect(JSON.parse(said.stdout)).toMatchObject({
      format: "json",
      files: ["mine.json"],
      kernels: [{ name: "mine", index: 4881186 }],
    });
    expect(JSON.parse(readFileSync(join(home, "out", "mine.json"), "utf8"))).toMatchObject({
      target: "cuda/sm_90",
      name: "mine",
    });
  });

  test("gives a compiler the program, and keeps its code beside the launch", async () => {
    const home = scratch();
    const asked: unknown[] = [];
    const buildHere = async (_: unknown, { form }: { readonly form?: "ptx" }) => {
      asked.push(form);
      const resources = { registers: 40, spill_bytes: 0, static_shared_bytes: 0 };
      return {
        kind: "built",
        manifest: { format: form ?? "cubin", toolchain: "a compiler", resources },
        code: new Uint8Array([7]),
        buildMs: 1,
      } as never;
    };
    const task = ["export", "tutorial/conv2d_no_batching", "--index", "published", "--name", "k", "-o", "out"];
    for (const format of ["cubin", "ptx", "python"])
      expect(await runCli([...task, "--format", format], { home, buildHere })).toMatchObject({ code: 0 });
    expect(asked).toEqual([undefined, "ptx", undefined]);
    expect(readdirSync(join(home, "out")).sort()).toEqual(["k.cubin", "k.json", "k.ptx", "k.py"]);
    expect([...readFileSync(join(home, "out", "k.cubin"))]).toEqual([7]);
    expect(JSON.parse(readFileSync(join(home, "out", "k.json"), "utf8"))).toMatchObject({
      code: { file: "k.cubin", format: "cubin", toolchain: "a compiler" },
      resources: { registers: 40 },
    });
  });

  test.each([
    [["export", "matmul_derived", "--index", "3", "--device-name", "x", "-o", "out"], /--device-name chooses among records/],
    [["export", "matmul_derived", "--index", "3", "--logs", "x", "-o", "out"], /--logs chooses among records/],
    [
      ["export", "conv2d_nchw_cpu", "--index", "3", "--format", "cuda", "-o", "out"],
      /--format cuda is for kernels of cuda; conv2d_nchw_cpu is for cpu/,
    ],
    [["export", "matmul_derived", "--index", "3", "--task", "x", "-o", "out"], /--task chooses a task of a log/],
    [["export", "matmul_derived", "--index", "3", "--name", "2x", "-o", "out"], /--name is "2x"; it takes a letter/],
    [["export", "no-such-thing", "--index", "3", "-o", "out"], /there is no task "no-such-thing"/],
    [
      ["export", "matmul_derived", "--index", "3", "--args", '[8,8,8,"float32","NN"]', "-o", "/dev/null/out"],
      /-o names "\/dev\/null\/out", which cannot be written: a part of its path is a file, not a folder/,
    ],
  ])("%j is refused", async (argv, message) => {
    const said = await runCli(argv);
    expect(said.code).toBe(2);
    expect(oneSentence(said)).toMatch(message);
  });
});

describe("export of a log", () => {
  test("is its best record, or the line that is named", async () => {
    const home = scratch();
    const best = JSON.parse((await runCli(["best", log, "--json"], { home })).stdout) as { index: number; seconds: number };
    expect(await runCli(["export", log, "--format", "json", "-o", "best"], { home })).toMatchObject({ code: 0 });
    const document = JSON.parse(readFileSync(join(home, "best", "conv2d_no_batching.json"), "utf8"));
    expect(document).toMatchObject({ index: best.index, measured: { seconds: best.seconds } });
    const lines = readFileSync(log, "utf8").split("\n");
    const third = JSON.parse(lines[2] ?? "") as { config: { index: number } };
    expect(await runCli(["export", `${log}:3`, "--format", "json", "-o", "third"], { home })).toMatchObject({ code: 0 });
    const named = JSON.parse(readFileSync(join(home, "third", "conv2d_no_batching.json"), "utf8"));
    expect(named.index).toBe(third.config.index);
    expect(named.index).not.toBe(best.index);
  });

  test.each([
    [[`${log}:999999`], /has no record at line 999999/],
    [[log, "--index", "3"], /--index is for a task; the records of the log/],
    [[log, "--format", "c"], /--format c is for kernels of cpu; .* is for cuda\/sm_90/],
    [[log, "--logs", "x"], /--logs is for a task's records; .* is a log/],
    [[log, "--task", "other"], /--task: there is no task "other"/],
  ])("%j is refused", async (argv, message) => {
    const said = await runCli(["export", ...argv, "-o", "out"]);
    expect(said.code).toBe(2);
    expect(oneSentence(said)).toMatch(message);
  });
});

describe("export of a task without --index", () => {
  const argsOf = (m: number, k: number) => [m, 64, k, "float32", "NN"];
  const cpu = { key: "cpu/x86-64-v3", name: "A processor" };
  /** A record of the config 64x64, by its knobs, measured on a shape. */
  const measured = (id: string, index: number, args: readonly Json[], seconds: number, device = cpu): TuningRecord => {
    const { space } = createTask("matmul_derived", argsOf(64, 64), "cpu/x86-64-v3");
    const config = configToJson(space, space.get(space.toIndex(index)));
    const result = { kind: "timed", costs: [seconds], checked: true } as const;
    const origin = { kind: "measured", by: "local" } as const;
    return {
      id,
      origin,
      task: "matmul_derived",
      args,
      target: "cpu/x86-64-v3",
      config,
      program: id,
      device,
      result,
      timestampMs: 1,
    };
  };
  const homeWith = async (...records: readonly TuningRecord[]) => {
    const [home, openRecords] = [scratch(), storesInMemory()];
    const store = await openRecords(join(home, ".local/share/warpfarm/records"), { clock: systemClock });
    await store.append(records);
    return { home, openRecords };
  };
  type Given = Awaited<ReturnType<typeof homeWith>>;
  const run = (given: Given, m: number, n: number, ...more: readonly string[]) =>
    runCli(
      [
        "export",
        "matmul_derived",
        "--args",
        JSON.stringify(argsOf(m, n)),
        "--target",
        "cpu",
        "--format",
        "json",
        "-o",
        "out",
        ...more,
      ],
      given,
    );
  const document = ({ home }: Given) => JSON.parse(readFileSync(join(home, "out", "matmul_derived.json"), "utf8"));

  test("is the best of the shape's records, and says where it was measured", async () => {
    const given = await homeWith(measured("a", 3, argsOf(64, 64), 2e-6), measured("b", 5, argsOf(64, 64), 1e-6));
    expect(await run(given, 64, 64)).toMatchObject({ code: 0, stderr: "" });
    expect(document(given)).toMatchObject({ index: 5, measured: { seconds: 1e-6, device: "A processor" } });
    expect(document(given)).not.toHaveProperty("nearest");
    // A derived space has other knobs for another target.
    const said = await runCli(["export", "a/1", "--target", "cuda/sm_90", "-o", "out"], {
      ...(await homeWith(measured("a/1", 3, argsOf(64, 64), 2e-6))),
    });
    expect([said.code, oneSentence(said)]).toEqual([
      2,
      expect.stringMatching(
        /space for cuda\/sm_90: .*; leave out --target, which exports it for cpu\/x86-64-v3, or tune for the/,
      ),
    ]);
  });

  test("is the nearest shape's best that this shape's space has, and says so in the output, the manifest and the text", async () => {
    const wide = createTask("matmul_derived", argsOf(64, 64), "cpu/x86-64-v3");
    const here = createTask("matmul_derived", argsOf(44, 64), "cpu/x86-64-v3");
    const entity = (i: number) => configToJson(wide.space, wide.space.get(wide.space.toIndex(i))).entity;
    const all = Array.from({ length: wide.space.size }, (_, i) => i);
    const no = all.find((i) => !configNamed(here.space, entity(i)).ok) as number;
    const yes = all.find((i) => i > 0 && configNamed(here.space, entity(i)).ok) as number;
    const given = await homeWith(
      measured("cannot", no, argsOf(64, 64), 1e-6),
      measured("can", yes, argsOf(64, 64), 2e-6),
      measured("far", 0, argsOf(512, 64), 5e-7),
    );
    const said = await run(given, 44, 64);
    expect(said).toMatchObject({ code: 0, stderr: "" });
    expect(said.stdout).toContain("no record of this shape qualifies; this is the best config of [64,64,64");
    const nearest = { args: argsOf(64, 64), seconds: 2e-6, device: "A processor" };
    const { value } = configNamed(here.space, entity(yes)) as { readonly value: number };
    expect(document(given)).toMatchObject({ args: argsOf(44, 64), index: value, nearest });
    expect(document(given)).not.toHaveProperty("measured");
    expect(JSON.parse((await run(given, 44, 64, "--json")).stdout).kernels).toMatchObject([{ nearest }]);
    await run(given, 44, 64, "--format", "c");
    expect(readFileSync(join(given.home, "out", "matmul_derived.c"), "utf8")).toContain(
      "not measured: it is the best config of the nearest measured shape [64,64,64",
    );
  });

  test("is never of another computation, and says where nobody has verified it", async () => {
    const { reference } = createTask("matmul_derived", argsOf(64, 64), "cpu/x86-64-v3");
    const own = computationDigest(reference.bytes, argsOf(64, 64));
    const of = (id: string, index: number, seconds: number, more: Partial<TuningRecord>) => ({
      ...measured(id, index, argsOf(64, 64), seconds),
      ...more,
    });
    const forged = of("copy", 7, 1e-9, { computation: `sha256:${"0".repeat(64)}` });
    const given = await homeWith(of("a", 3, 2e-6, { computation: own }), of("untold", 5, 1e-6, {}), forged);
    expect(await run(given, 64, 64)).toMatchObject({ code: 0, stderr: "" });
    expect(document(given)).toMatchObject({ index: 3, measured: { seconds: 2e-6 } });
    const unverified = await homeWith(of("a", 3, 2e-6, { standing: "unverified" }));
    expect((await run(unverified, 64, 64)).stderr).toContain("the best record a is own, unverified: no builder has verified");
  });

  test("is refused where several kinds of device have records, or none has", async () => {
    const other = { key: "cpu/x86-64-v4", name: "Another" };
    const given = await homeWith(measured("a", 3, argsOf(64, 64), 2e-6), measured("b", 5, argsOf(64, 64), 1e-6, other));
    const two = await run(given, 64, 64);
    expect([two.code, oneSentence(two)]).toEqual([2, expect.stringContaining("2 kinds of device: A processor")]);
    expect(await run(given, 64, 64, "--device-name", "A processor")).toMatchObject({ code: 0 });
    expect(document(given)).toMatchObject({ index: 3 });
    // Code for x86-64-v4 does not run on the first.
    expect(await run(given, 64, 64, "--target", "cpu/x86-64-v4")).toMatchObject({ code: 0 });
    expect(document(given)).toMatchObject({ measured: { device: "Another" }, target: "cpu/x86-64-v4" });
    const none = await run(given, 64, 64, "--target", "cpu/arm64");
    expect([none.code, oneSentence(none)]).toEqual([1, expect.stringContaining("tune it first, or name a config with --index")]);
  });
});

describe("export of a suite", () => {
  const target = process.arch === "arm64" ? "cpu/arm64" : "cpu/x86-64-v2";
  const planned = (id: string, task: string, args: readonly Json[]) => plannedTask(id, task, { args: [...args], key: target });
  const tasks = [
    planned("a", "matmul_derived", [4, 16, 8, "float32", "NN"]),
    planned("b", "matmul_derived", [8, 16, 8, "float32", "NN"]),
    planned("c", "conv2d_nchw_cpu", [1, 8, 8, 4, 4, 3, 3, [1, 1], [1, 1]]),
    planned("d", "matmul_derived", [16, 16, 8, "float32", "NN"]),
  ];
  /** The last task has no result; configs 2 and 3 of the others were measured, and 3 is faster. */
  async function suiteIn(home: string) {
    const directory = new SuiteDirectory(join(home, "mine"));
    await directory.create(suitePlan({ name: "mine", tasks }));
    for (const { id, search } of tasks.slice(0, 3)) {
      const { args } = search;
      const name = nameOfTask(search.task);
      const task = createTask(name, args, target);
      const trials = [2, 3].map((index, i) => {
        const run = { task: name, args: task.args, target, tuner: "random", seed: 0 };
        const config = configToJson(task.space, task.space.get(task.space.toIndex(index)));
        const { program } = exportUnit("x", task, task.space.toIndex(index));
        return {
          run,
          config,
          program: program.digest,
          sequence: i + 1,
          told: i,
          session: "s",
          options: defaultMeasureOptions("cpu"),
        };
      });
      const lines = trials.map((trial, i) => encodeTrial({ ...trial, result: timedResult(2e-6 - i * 1e-6) } as never));
      writeFileSync(directory.logOf(id), `${lines.join("\n")}\n`);
    }
  }

  test("is the best of each shape that has one, with a function for each template", async () => {
    const home = scratch();
    await suiteIn(home);
    const said = await runCli(["export", "mine", "-o", "out", "--json"], { home });
    expect(said).toMatchObject({ code: 0, stderr: "" });
    const { kernels, files } = JSON.parse(said.stdout);
    const shown = kernels.map(({ name, args, index }: { name: string; args: Json; index: number }) => [name, args, index]);
    expect(shown).toEqual([
      ["conv2d_nchw_cpu_0", tasks[2]?.search.args, 3],
      ["matmul_derived_0", tasks[0]?.search.args, 3],
      ["matmul_derived_1", tasks[1]?.search.args, 3],
    ]);
    expect(files).toEqual(
      expect.arrayContaining(["mine.h", "mine.c", "matmul_derived_0.h", "conv2d_nchw_cpu_0.h", "CMakeLists.txt"]),
    );
    expect(readFileSync(join(home, "out", "CMakeLists.txt"), "utf8")).toContain("add_library(mine ");
    const header = readFileSync(join(home, "out", "mine.h"), "utf8");
    for (const entry of ["int matmul_derived_run(int shape, ", "int conv2d_nchw_cpu_run(int shape, "])
      expect(header).toContain(entry);
    const one = await runCli(["export", "mine", "--task", "conv2d_nchw_cpu", "--name", "mm", "-o", "one", "--json"], { home });
    expect(JSON.parse(one.stdout).files).toEqual(expect.arrayContaining(["mm.h", "mm_0.c"]));
  });

  test("says what the suite has, and that a config is not chosen", async () => {
    const home = scratch();
    await suiteIn(home);
    const wrong = await runCli(["export", "mine", "--task", "matmul_mma", "-o", "out"], { home });
    expect(oneSentence(wrong)).toContain(
      `mine has no results of matmul_mma; it has conv2d_nchw_cpu for ${target}, matmul_derived for ${target}`,
    );
    expect(oneSentence(await runCli(["export", "mine", "--index", "3", "-o", "out"], { home }))).toContain("--index is not for");
    for (const id of ["a", "b", "c"]) writeFileSync(new SuiteDirectory(join(home, "mine")).logOf(id), "");
    const none = await runCli(["export", "mine", "-o", "out"], { home });
    expect([none.code, oneSentence(none)]).toEqual([1, expect.stringContaining("no task of mine has a time yet")]);
  });
});

test("export of a record, by its id, is that config and no other", async () => {
  const home = scratch();
  const target = process.arch === "arm64" ? "cpu/arm64" : "cpu/x86-64-v2";
  const task = createTask("matmul_derived", [4, 16, 8, "float32", "NN"], target);
  const recordAt = (index: number, seconds: number): TuningRecord => ({
    ...{
      id: `s-1/${index}`,
      origin: { kind: "measured", by: "me" },
      task: "matmul_derived",
      args: task.args,
      target,
      timestampMs: 1,
    },
    config: configToJson(task.space, task.space.get(task.space.toIndex(index))),
    device: { key: target, name: "a processor" },
    result: { kind: "timed", costs: [seconds], checked: true },
  });
  const folder = join(home, "records");
  const openRecords = storesInMemory();
  const store = await openRecords(join(folder, "records"), { clock: systemClock });
  await store.append([recordAt(2, 2e-6), recordAt(3, 1e-6)]);
  const env = { WARPFARM_DATA_DIR: folder };
  const said = await runCli(["export", "s-1/2", "-o", "out", "--json"], { home, env, openRecords });
  expect(said).toMatchObject({ code: 0, stderr: "" });
  expect(JSON.parse(said.stdout).kernels).toMatchObject([{ name: "matmul_derived", args: task.args, index: 2, target }]);
  expect(oneSentence(await runCli(["export", "s-1/9", "-o", "out"], { home, env, openRecords }))).toContain(
    'there is no record "s-1/9"',
  );
});
