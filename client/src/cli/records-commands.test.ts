import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BestRecord, type RecordStore, recordFromJson, type StoreCall, type TuningRecord } from "@warpfarm/records";
import { describe, expect, it } from "vitest";
import { oneSentence, runCli, scratch, storesInMemory } from "./context.testing.ts";

/** 50 lines that TVM wrote, 11 of them timed. */
const log = fileURLToPath(new URL("../../test/vectors/autotvm-conv2d-h100.log.json", import.meta.url));
const task = ["--task", "conv2d_nchw_direct.cuda"];

describe("records", () => {
  it("are taken in once, found, shown, exported and cleared away on this machine", async () => {
    const [home, openRecords] = [scratch(), storesInMemory()];
    const run = async (...argv: string[]) => {
      const said = await runCli(["records", ...argv], { home, openRecords });
      expect([said.stderr, said.code]).toEqual(["", 0]);
      return said.stdout;
    };
    expect(await run("import", log)).toBe("50 records imported, 0 existed already\n");
    expect(JSON.parse(await run("import", log, "--json"))).toEqual({ read: 50, added: 0, existed: 50, conflicts: [] });
    const fastest = JSON.parse(await run("query", "--order", "fastest", "--limit", "3", "--json"));
    expect(fastest.records).toHaveLength(3);
    const [first] = fastest.records;
    const rest = JSON.parse(await run("query", "--order", "fastest", "--cursor", fastest.next, "--json"));
    expect(rest).toMatchObject({ records: { length: 8 }, next: null });
    expect(JSON.parse(await run("show", first.id))).toEqual(first);
    const exported = (await run("export", "--outcome", "timed")).trim().split("\n");
    expect(exported).toHaveLength(11);
    const csv = (await run("export", "--outcome", "failed", "--format", "csv")).trimEnd().split("\n");
    expect([csv.length, csv[0]?.split(",").slice(0, 4)]).toEqual([40, ["id", "origin", "by", "task"]]);
    const file = join(home, "records.jsonl");
    writeFileSync(file, exported.join("\n"));
    expect(await run("import", file)).toBe("0 records imported, 11 existed already\n");
    expect(await run("prune", "--older-than", "1d")).toBe("40 records deleted\n"); // the ten best stay
    expect(JSON.parse(await run("query", "--json")).records).toHaveLength(10);
  });

  it("of a farm say who else reads them, and how many of others' wait; an admin shares them", async () => {
    const base = (await runCli(["records", "query", "--logs", log, "--limit", "1", "--order", "fastest", "--json"])).stdout;
    const [json] = JSON.parse(base).records;
    const record = { ...recordFromJson(json), origin: { kind: "measured", by: "ada" }, standing: "unverified" } as TuningRecord;
    const best: BestRecord = {
      ...{ record, seconds: 1e-3, measurements: 2, noise: 0.01, device: { key: "cuda/sm_90", name: "NVIDIA H100" } },
      tied: [{ record, seconds: 1e-3, measurements: 2 }],
    };
    const asked: unknown[] = [];
    const store = {
      async query(_: object, o: StoreCall = {}) {
        o.waiting?.(1);
        return { records: [record, { ...record, standing: "refuted" }, { ...record, standing: "verified" }] };
      },
      async best(_: object, o: StoreCall = {}) {
        o.waiting?.(12);
        return [best];
      },
      async *export(_: object, o: StoreCall = {}) {
        o.waiting?.(1_000);
        yield record;
      },
      share: async (filter: object) => asked.push(filter),
      append: async () => ({ added: 0, existed: 3, conflicts: ["csv/sha256:1", "csv/sha256:2"] }),
      async [Symbol.asyncDispose]() {},
    } as unknown as RecordStore;
    const run = (...argv: string[]) => runCli(["records", ...argv], { home: scratch(), openRecords: async () => store });
    const listed = await run("query");
    for (const word of ["(own,", " unverified)", " refuted)", "(seen by", "one node)"]) expect(listed.stdout).toContain(word);
    expect(listed.stderr).toBe("1 result of others waits for verification by a builder\n");
    const found = await run("best", "--task", "t", "--args", "[1]");
    expect(found.stdout).toContain("of 2 measurements (own, unverified)");
    const entity: [string, string, unknown][] = json.config.entity;
    for (const [name, , value] of entity) expect(found.stdout).toContain(`${name} ${JSON.stringify(value)}`);
    expect(found.stdout).toContain(json.id);
    expect(found.stdout.replaceAll(json.id, "")).not.toMatch(/sha256:[0-9a-f]{9}/);
    expect(found.stderr).toBe("12 results of others wait for verification by a builder\n");
    expect(JSON.parse((await run("best", "--task", "t", "--args", "[1]", "--json")).stdout).best[0].tied[0].record).toMatchObject(
      {
        standing: "unverified",
      },
    );
    const exported = await run("export");
    expect(exported.stderr).toBe("1,000 results or more of others wait for verification by a builder\n");
    // A file says nothing of who reads what.
    expect(JSON.parse(exported.stdout)).not.toHaveProperty("standing");
    expect((await run("share", "--task", "t", "--outcome", "timed")).stdout).toContain("1 record shared");
    expect(asked).toEqual([{ task: "t", outcome: "timed" }]);
    const imported = await run("import", log);
    expect(imported.stdout).toBe("0 records imported, 3 existed already\n");
    expect(imported.stderr).toContain(
      "2 ids of the file had another content in the store, which stays: csv/sha256:1, csv/sha256:2; `records show ID`",
    );
  });

  it.each(["60", "80"])("are a table of %s characters whose columns keep their words, and the ids are whole", async (width) => {
    const { stdout: json } = await runCli(["records", "query", "--logs", log, "--limit", "3", "--json"]);
    const { records } = JSON.parse(json) as { readonly records: readonly { readonly id: string; readonly task: string }[] };
    const { stdout } = await runCli(["records", "query", "--logs", log, "--limit", "3"], { env: { COLUMNS: width } });
    const all = stdout.split("\n").filter((line) => !line.startsWith("more: "));
    expect(Math.max(...all.map((line) => line.length))).toBeLessThanOrEqual(Number(width));
    for (const { id, task } of records) {
      expect(stdout.replace(/\s+/g, "")).toContain(`id${id}`);
      expect(stdout).toContain(task);
    }
    expect(all[0]).toMatch(/^task +device +time \(us\) +outcome$/);
  });

  it("of a log have a best, the imported ones when asked for; a bad question is answered by one sentence", async () => {
    const [line] = JSON.parse(`[${(await runCli(["records", "query", "--logs", log, "--limit", "1", "--json"])).stdout}]`);
    const [{ task: name, args }] = line.records;
    const of = ["records", "best", "--logs", log, "--task", name, "--args", JSON.stringify(args)];
    const measured = await runCli(of);
    expect([measured.code, measured.stdout]).toEqual([1, expect.stringContaining("qualifies as its best")]);
    const best = JSON.parse((await runCli([...of, "--origin", "any", "--json"])).stdout);
    const fastest = JSON.parse((await runCli(["records", "query", "--logs", log, "--order", "fastest", "--json"])).stdout);
    expect(best.best).toHaveLength(1);
    expect(best.best[0].tied[0].seconds).toBeLessThanOrEqual(fastest.records[0].costs[0] * 1.05);
    const other = [
      "records",
      "best",
      "--logs",
      log,
      "--task",
      name,
      "--origin",
      "any",
      "--args",
      JSON.stringify([1, 14, ...args.slice(2)]),
    ];
    const suggested = await runCli(other);
    expect([suggested.code, suggested.stdout]).toEqual([
      1,
      expect.stringContaining(`suggestion: the nearest shape with a best is ${name} ${JSON.stringify(args)}`),
    ]);
    expect(JSON.parse((await runCli([...other, "--json"])).stdout)).toMatchObject({
      best: [],
      nearest_shape: { args, best: best.best },
    });
    expect(oneSentence(await runCli(["records", "best", ...task]))).toContain("needs --task and --args");
    expect(oneSentence(await runCli(["records", "query", "--args", "7"]))).toContain("takes a JSON array");
    expect(oneSentence(await runCli(["records", "query", "--args", "[1e400]"]))).toContain("its number is not a finite one");
    expect(oneSentence(await runCli(["records", "query", "--args", '{"N":1}']))).toContain("--task must say whose");
    const named = (json: string) => runCli(["records", "best", "--logs", log, "--task", "matmul_mma", "--args", json]);
    expect((await named('{"M":64,"layout":"NT"}')).stdout).toMatch(/^no record of matmul_mma \[64,\d+,\d+,"float16","NT"\] /);
    expect(oneSentence(await named('{"m":64}'))).toContain('matmul_mma has no argument "m"');
    expect(oneSentence(await runCli(["records", "prune"]))).toContain("needs a rule");
  });

  it("of other tuners come in with what the flags say and leave in their form", async () => {
    // The store on disk, until the refusals.
    const [home, openRecords] = [scratch(), storesInMemory()];
    const cache = fileURLToPath(
      new URL("../../../records/test/vectors/kernel-tuner-convolution_milo-A4000.json", import.meta.url),
    );
    const told = ["--device", "cuda/sm_86", "--task", "conv15", "--args", "[4096]"];
    expect((await runCli(["records", "import", cache, ...told], { home })).stdout).toBe(
      "10 records imported, 0 existed already\n",
    );
    const best = await runCli(["records", "best", "--task", "conv15", "--args", "[4096]", "--origin", "any", "--json"], { home });
    expect(JSON.parse(best.stdout).best).toMatchObject([{ device: "cuda/sm_86", device_name: "NVIDIA RTX A4000" }]);
    const out = await runCli(["records", "export", "--format", "kernel-tuner", "--task", "conv15"], { home });
    expect(Object.keys(JSON.parse(out.stdout).cache)).toEqual(expect.arrayContaining(["16,1,1,1,0,0,0,1,15,15"]));
    const empty = await runCli(["records", "export", "--format", "ktt", "--task", "none"], { home, openRecords });
    expect(oneSentence(empty)).toContain("no record passes the filter");
    expect(oneSentence(await runCli(["records", "import", "/nowhere"], { home, openRecords }))).toContain(
      "cannot be read: there is no such file or folder",
    );
    expect(oneSentence(await runCli(["records", "import", cache, "--problem", cache], { home, openRecords }))).toContain("T1");
  });

  it("of two times are compared by task and kind of device, and what is slower beyond noise fails", async () => {
    const given = { home: scratch(), openRecords: storesInMemory() };
    const file = (name: string, rows: readonly string[]) => {
      writeFileSync(
        join(given.home, name),
        `task,args,device_name,costs,config.from\n${rows.map((row) => `${row},${name}\n`).join("")}`,
      );
      return join(given.home, name);
    };
    const before = file("before.csv", [
      'gemm,[1],L4,"[1e-3,1e-3]"',
      'gemm,[2],L4,"[1e-3]"',
      'gemm,[3],L4,"[1e-3,1.08e-3]"',
      'gemm,[4],L4,"[1e-3]"',
      'gemm,[5],L4,"[0.96e-3,1e-3,1.04e-3]"',
      'old,[1],L4,"[1]"',
    ]);
    const after = file("after.csv", [
      'gemm,[1],L4,"[1.05e-3]"',
      'gemm,[2],L4,"[0.5e-3]"',
      'gemm,[3],L4,"[1.05e-3]"',
      'gemm,[4],L4,"[1e-3,1.04e-3,1.08e-3]"',
      'gemm,[5],L4,"[1.03e-3]"',
      'gemm,[1],L40,"[9]"',
    ]);
    const said = await runCli(["records", "diff", before, after, "--json"], given);
    const { diffs } = JSON.parse(said.stdout);
    type Diff = { change: string; task: string; args: number[]; device_name: string };
    expect(diffs.map(({ change, task, args, device_name }: Diff) => [change, task, args, device_name])).toEqual([
      ["slower", "gemm", [1], "L4"],
      ["missing", "old", [1], "L4"],
      ["faster", "gemm", [2], "L4"],
      ["new", "gemm", [1], "L40"],
      ["same", "gemm", [3], "L4"],
      ["same", "gemm", [4], "L4"],
      ["same", "gemm", [5], "L4"],
    ]);
    // The noise of either side widens its interval, whichever is the noisy one.
    for (const [at, ratio, noise] of [
      [5, 1.04, 0.04 / 1.04],
      [6, 1.03, 0.04],
    ] as const)
      expect(diffs[at].ratio.low).toBeCloseTo(ratio / (1.01 * (1 + noise)), 9);
    expect(diffs[0].ratio).toEqual({
      estimate: expect.closeTo(1.05),
      low: expect.closeTo(1.05 / 1.01 ** 2),
      high: expect.closeTo(1.05 * 1.01 ** 2),
    });
    expect(said.code).toBe(4);
    const words = await runCli(["records", "diff", before, after, "--args", "[2]", "--task", "gemm"], given);
    expect([words.code, words.stdout]).toEqual([0, expect.stringContaining("0 slower, 0 missing, 1 faster, 0 new, 0 same")]);
    await runCli(["records", "import", before, after], given);
    expect((await runCli(["records", "diff", before, "farm"], given)).code).toBe(0); // the best of both is no slower
    expect(oneSentence(await runCli(["records", "diff", before, "nowhere"], given))).toContain("a side is a file or folder");
    expect(oneSentence(await runCli(["records", "diff", "since:monday", before], given))).toContain("is not a time");
  });
});
