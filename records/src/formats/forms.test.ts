/** Forms of other tuners: what is read, and that reading and writing a file gives the same file. */
import { readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import type { Json } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { some } from "../../../test-support/campaign.ts";
import { needs } from "../../../test-support/needs.ts";
import { failed, record, timed } from "../../../test-support/record-store-contract.ts";
import { MemoryStore } from "../store/memory.ts";
import { PackedRecord } from "../store/rows.ts";
import { secondsOfRecord, type TuningRecord } from "../tuning-record.ts";
import { appendAll, recordForms, type Told } from "./files.ts";
import { each, file, read, write } from "./forms.testing.ts";
import { LongText } from "./read-text.ts";

const vector = (name: string) => fileURLToPath(new URL(`../../test/vectors/${name}`, import.meta.url));
const fromClient = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const jsonOf = (path: string): Json => {
  const bytes = readFileSync(path);
  return JSON.parse((path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString()) as Json;
};

/** Puts records through a store, in another order. */
async function stored(records: readonly TuningRecord[]): Promise<TuningRecord[]> {
  const store = new MemoryStore();
  expect(await appendAll(store, each([records.map((one) => PackedRecord.of(one))]))).toMatchObject({
    read: records.length,
    added: records.length,
  });
  const all: TuningRecord[] = [];
  for await (const one of store.export({})) all.push(one);
  return all;
}

describe("files written again are what was read, through a store", () => {
  it("a Kernel Tuner cache, its failures too", async () => {
    const path = vector("kernel-tuner-convolution_milo-A4000.json");
    const records = await read(path);
    expect(records.map(({ result }) => (result.kind === "failed" ? result.errorNo : 0))).toEqual([0, 0, 0, 0, 4, 4, 3, 3, 4, 4]);
    expect(records[0]).toMatchObject({
      task: "convolution_kernel",
      args: [4096, 4096],
      device: { name: "NVIDIA RTX A4000" },
      origin: { kind: "imported", by: "ada", format: "kernel-tuner" },
      timestampMs: Date.parse("2023-12-22T09:53:48.691Z"),
    });
    expect(secondsOfRecord(records[0] as TuningRecord)).toBeCloseTo(5.996e-3, 6);
    expect(JSON.parse(await write("kernel-tuner", await stored(records)))).toEqual(jsonOf(path));
  });

  for (const name of some(["convolution_milo-W7800", "pnpoly-RTX_3090"], 0))
    it(`the whole space ${name}`, async () => {
      const path = fromClient(`../../../client/test/spaces/${name}.json.gz`);
      const records = await read(path);
      const document = jsonOf(path) as { cache: { [key: string]: { time: number | string } } };
      expect(records).toHaveLength(Object.keys(document.cache).length);
      expect(JSON.parse(await write("kernel-tuner", await stored(records)))).toEqual(document);
    });

  it("a cache that is still written to, as far as it goes", async () => {
    const text = readFileSync(vector("kernel-tuner-convolution_milo-A4000.json"), "utf8");
    const entries = JSON.parse(text).cache as object;
    const lines = Object.entries(entries).map(([key, entry]) => `${JSON.stringify(key)}: ${JSON.stringify(entry)},`);
    const { cache: _, ...head } = JSON.parse(text);
    const open = `${JSON.stringify(head).slice(0, -1)},\n"cache": {\n${lines.join("\n")}\n"16,2,3`;
    expect(await read(file(open))).toHaveLength(10);
  });

  it("KTT's output, with counters", async () => {
    const path = vector("ktt-coulomb3d-RTX_2080_Ti.json");
    const records = await read(path, { args: [256, 64] });
    expect(records[0]).toMatchObject({
      task: "directCoulombSum_kernel",
      args: [256, 64],
      device: { name: "NVIDIA GeForce RTX 2080 Ti" },
    });
    expect(secondsOfRecord(records[0] as TuningRecord)).toBeCloseTo(3037.408e-6, 12);
    // Results of one file have one time, so a store returns them in any order.
    const inOrder = (document: { Results: object[] }) => ({
      ...document,
      Results: document.Results.map((r) => JSON.stringify(r)).sort(),
    });
    const again = JSON.parse(await write("ktt", records));
    expect(again).toEqual(jsonOf(path));
    expect(inOrder(JSON.parse(await write("ktt", await stored(records))))).toEqual(inOrder(again));
  });

  it("AutoTVM 0.2 as TVM logged it, and 0.1", async () => {
    const path = fromClient("../../../client/test/vectors/autotvm-conv2d-h100.log.json");
    const parsed = (text: string) =>
      text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
    const byTime = (lines: { result: number[] }[]) => lines.sort((a, b) => (a.result[3] as number) - (b.result[3] as number));
    const records = await read(path);
    expect(byTime(parsed(await write("autotvm", await stored(records))))).toEqual(byTime(parsed(readFileSync(path, "utf8"))));
    const old = {
      i: [
        "cuda -model=1080ti",
        "topi_nn_conv2d",
        [["TENSOR", [1, 64], "float32"], null],
        {},
        ["conv2d", 1],
        { i: 7, t: "direct", c: null, e: [["tile", "sp", [-1, 8]]] },
      ],
      r: [[0.00123], 0, 1.5, 1545000000.25],
      v: 0.1,
    };
    const failure = { ...old, r: [[1000000000.0], 4, 10.25, 1545000001.5] };
    const olds = await read(file(`${JSON.stringify(old)}\n${JSON.stringify(failure)}\n`));
    expect(olds.map(({ result }) => result.kind)).toEqual(["timed", "failed"]);
    expect(olds[0]).toMatchObject({ task: "topi_nn_conv2d", config: { index: 7 }, timestampMs: 1545000000250 });
    expect(parsed(await write("autotvm-0.1", await stored(olds)))).toEqual([old, failure]);
  });

  it("T4 beside its T1, which is written again too", async () => {
    const problem = jsonOf(vector("convolution_milo.T1.json")) as Told["problem"];
    const entry = {
      timestamp: "2024-01-02T03:04:05.678Z",
      configuration: { block_size_x: 32, use_shmem: 1 },
      times: { compilation_time: 812.5, framework: 1.25, search_algorithm: 0.5, validation: 3, runtimes: [5.25, 5.5, 5.125] },
      invalidity: "correct",
      correctness: 1,
      measurements: [
        { name: "time", value: 5.25, unit: "milliseconds" },
        { name: "GFLOP/s", value: 1279.5, unit: "" },
      ],
      objectives: ["time"],
    };
    const wrong = {
      ...entry,
      configuration: { block_size_x: 64, use_shmem: 0 },
      invalidity: "correctness",
      correctness: 0,
      measurements: [],
    };
    const document = { schema_version: "1.0.0", metadata: { timeunit: "milliseconds" }, results: [entry, wrong] };
    const records = await read(file(JSON.stringify(document)), {
      ...(problem ? { problem } : {}),
      deviceName: "NVIDIA RTX A4000",
    });
    expect(records[0]).toMatchObject({
      task: "convolution_kernel",
      args: [4096, 4096],
      result: { kind: "timed", costs: [5.25e-3, 5.5e-3, 5.125e-3], checked: true },
      buildMs: 812.5,
    });
    expect(records[1]?.result).toMatchObject({ kind: "failed", errorNo: 5 });
    expect(JSON.parse(await write("t4", records))).toEqual(document);
    expect(JSON.parse(await write("t1", records))).toEqual(problem);
    await expect(read(vector("convolution_milo.T1.json"))).rejects.toThrow("describes a problem and has no measurement");
  });

  it("a T1 without a problem has the values that the records have, and the first record's as defaults", async () => {
    const entry = (x: number) => ({ configuration: { x }, timestamp: "2024-01-02T03:04:05.678Z", invalidity: "runtime" });
    const records = await read(file(JSON.stringify({ schema_version: "1.0.0", metadata: {}, results: [8, 2, 4].map(entry) })));
    const { TuningParameters } = JSON.parse(await write("t1", records)).ConfigurationSpace;
    expect(TuningParameters).toEqual([{ Name: "x", Type: "int", Values: "[2,4,8]", Default: 8 }]);
  });

  it("MetaSchedule's lines and CLTune's results", async () => {
    const target = { kind: "cuda", tag: "", keys: ["cuda", "gpu"], arch: "sm_90", max_num_threads: 1024 };
    const trace = [[["GetBlock", [], ["matmul", "main"], ["b0"]]], [[4, [1, 2, 64]]]];
    const lines = [
      [0, [trace, [0.000123, 0.000125], target, [["TENSOR", "float32", [128, 128]]]]],
      [1, [trace, [1e10], target, [["TENSOR", "float32", [64, 64]]]]],
    ];
    const records = await read(file(lines.map((line) => `${JSON.stringify(line)}\n`).join("")));
    expect(records.map(({ task, target: to, result }) => [task, to, result.kind])).toEqual([
      ["workload_0", "cuda/sm_90", "timed"],
      ["workload_1", "cuda/sm_90", "failed"],
    ]);
    expect(
      (await write("metaschedule", records))
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual(lines);
    await expect(write("metaschedule", [record("a")])).rejects.toThrow("did not come from MetaSchedule");
    const document = {
      kernel_family: "xgemm_1",
      arg_m: "1024",
      arg_n: "512",
      precision: "32",
      device: "GeForce GTX TITAN X",
      device_core_clock: "1076",
      results: [
        { kernel: "Xgemm", time: 1.234, parameters: { MWG: 64, NWG: 32 } },
        { kernel: "Xgemm", time: 0.456, parameters: { MWG: 32, NWG: 32 } },
      ],
    };
    const tuned = await read(file(JSON.stringify(document)));
    expect(tuned[1]).toMatchObject({ task: "xgemm_1", args: [1024, 512], device: { name: "GeForce GTX TITAN X" } });
    expect(secondsOfRecord(tuned[1] as TuningRecord)).toBeCloseTo(0.456e-3, 12);
    expect(JSON.parse(await write("cltune", tuned))).toEqual(document);
  });
});

describe("CSV", () => {
  it("has what its columns say, quotes and line ends in fields too", async () => {
    const odd = record("odd", { result: { kind: "failed", errorNo: 4, rule: "a,b", message: 'said "no"\nand ended' } });
    const text = await write("csv", [record("plain"), odd]);
    const back = await read(file(text));
    expect(back).toHaveLength(2);
    expect(back[0]).toMatchObject({
      task: "matmul",
      args: [64, 64, 64],
      device: { name: "NVIDIA H100" },
      result: timed(1e-3, 1.001e-3, 1e-3),
    });
    expect(back[1]?.result).toEqual(odd.result);
    expect(await write("csv", back)).toBe(
      text.replace(/^(\w+),measured,/gm, (_, id) => `${back[id === "odd" ? 1 : 0]?.id},imported,`),
    );
  });

  it("has any message as it was, line ends and spaces at its ends too", async () => {
    const messages = [
      "a\rb",
      "ends\r",
      "\r",
      "ends\n",
      "\n\n",
      " begins",
      "ends ",
      "\t",
      '"',
      '","',
      "a\r\n\r\nb",
      "sep=;",
      "#",
      ";\t",
    ];
    const odd = messages.map((message, i) =>
      record(`odd-${i}`, { result: { kind: "failed", errorNo: 4, rule: " r\r", message } }),
    );
    const back = await read(file(await write("csv", [...odd, record("plain")])));
    expect(back.map(({ result }) => result)).toEqual([...odd.map(({ result }) => result), record("plain").result]);
  });

  it("has lines that end in LF, CR LF or CR, in pieces of any size, and keeps an end that stands in a field", async () => {
    for (const end of ["\n", "\r\n", "\r"])
      for (const last of [end, ""]) {
        const rows = ["task,seconds,config.note", "a,1,x", 'b,2,"p\r\nq\rr\ns"', "", "c,3,y"];
        const found = await read(file(rows.join(end) + last));
        expect(found.map(({ task, config }) => [task, config?.entity[0]?.[2]])).toEqual([
          ["a", "x"],
          ["b", "p\r\nq\rr\ns"],
          ["c", "y"],
        ]);
      }
    // The file is read in pieces of 256 KiB; the CR is the last byte of the first, and the LF is in the next.
    const head = "task,seconds,config.note\n";
    const begin = `${head}long,1,"`;
    const note = `${"x".repeat(2 ** 18 - 1 - begin.length)}\r\nend`;
    for (const text of [`${begin}${note}"\nnext,2,y\n`, `${begin}${note.slice(0, -6)}"\r\nnext,2,y\r\n`]) {
      const [long, next, ...more] = await read(file(text));
      expect([long?.config?.entity[0]?.[2], next?.task, more]).toEqual([
        text.includes("end") ? note : note.slice(0, -6),
        "next",
        [],
      ]);
    }
  });

  it("of somebody's own has knobs in columns; a column that is none is named", async () => {
    const [own] = await read(
      file('task,args,device_name,seconds,config.BLOCK,config.order\r\ngemm , "[64,64]" , L4 ,0.002, 128,xy \r\n'),
    );
    expect(own).toMatchObject({
      task: "gemm",
      args: [64, 64],
      result: { costs: [0.002] },
      config: {
        entity: [
          ["BLOCK", "ot", 128],
          ["order", "ot", "xy"],
        ],
      },
    });
    await expect(read(file("task,second\na,1\n"))).rejects.toThrow('line 1 is not a record (csv): there is no column "second"');
    await expect(read(file("task,seconds\na,1\nb\n"))).rejects.toThrow(
      "line 3 is not a record (csv): it has 1 fields, and the head 2",
    );
    await expect(read(file("task,seconds\na,fast\n"))).rejects.toThrow("line 2");
  });
});

describe("records of ours", () => {
  it("leave as a cache, T4, T1, KTT and CLTune, and come back with their times", async () => {
    const config = (size: number) => ({
      index: size,
      code_hash: null,
      entity: [
        ["tile", "sp", [-1, size]],
        ["unroll", "ot", 4],
      ] as const,
    });
    const ours = [
      record("a", { config: config(8), result: timed(1e-3, 2e-3, 3e-3) }),
      record("b", { config: config(16), result: failed(3) }),
      record("c", { config: config(32), result: timed(5e-3) }),
    ];
    for (const form of ["kernel-tuner", "t4", "ktt", "cltune"]) {
      const back = await read(file(gzipSync(await write(form, ours))));
      const seconds = back.map(secondsOfRecord);
      expect(
        seconds.filter((s) => s !== undefined),
        form,
      ).toEqual([expect.closeTo(2e-3, 9), expect.closeTo(5e-3, 9)]);
      expect(
        back.map(({ result }) => (result.kind === "failed" ? result.errorNo : 0)),
        form,
      ).toEqual(form === "cltune" ? [0, 0] : [0, 3, 0]);
      expect(back[0]?.config?.entity[0], form).toEqual(["tile", "ot", "[-1,8]"]);
    }
    expect(JSON.parse(await write("t1", ours)).ConfigurationSpace.TuningParameters[1]).toEqual({
      Name: "unroll",
      Type: "int",
      Values: "[4]",
      Default: 4,
    });
    await expect(write("t4", [...ours, record("other", { task: "conv" })])).rejects.toThrow("choose with --task, --args");
    await expect(write("autotvm", [record("x", { config: { code_hash: null, entity: [] } })])).rejects.toThrow("has no index");
  });

  it("are read line by line; what is none of the forms is said with their names", async () => {
    const text = await write("jsonl", [record("a"), record("b")]);
    expect((await read(file(gzipSync(text)))).map(({ task }) => task)).toEqual(["matmul", "matmul"]);
    await expect(read(file(`${text}{"version":1,"id":"c"}\n`))).rejects.toThrow(
      "file line 3 is not a record (jsonl): kind: it is missing",
    );
    const config = { code_hash: null, entity: [["x", "ot", 8]] } as const;
    const [cache, csv] = await Promise.all(["kernel-tuner", "csv"].map((form) => write(form, [record("a", { config })])));
    for (const one of [cache, csv, text.split("\n")[0]])
      expect(await read(file(`\n \n  ${one}`), { device: "cuda/sm_90" })).toHaveLength(1);
    expect(await read(file(`# by hand\n${csv}`))).toHaveLength(1);
    await expect(read(file("hello\n"))).rejects.toThrow(`these forms are read: ${recordForms.join(", ")}`);
    await expect(read(file('{"a":1}'))).rejects.toThrow("these forms are read:");
    for (const inner of ['{"input": 3},', "[0, [1, 2]],", '  {"input": 3}'])
      await expect(read(file(`{\n"results": [\n${inner}\n}\n`))).rejects.toThrow("file is not JSON: ");
    await expect(read(file(""))).rejects.toThrow("is empty");
    await expect(read("/nowhere/x")).rejects.toThrow("cannot be read: there is no such file or folder");
  });

  it("a log with a broken first line is read from its other lines, of which each is whole", async () => {
    const line = (await write("jsonl", [record("a")])).trim();
    const other = (await write("jsonl", [record("b")])).trim();
    for (const cut of ["{", '{"version":1,"id', "garbage", `# a comment\n\n${line.slice(9)}`])
      await expect(read(file(`${cut}\n${line}\n${other}\n`)), cut).rejects.toThrow(/^file line \d is not a record \(jsonl\): /);
    await expect(read(file(`garbage\n${line.slice(0, -1)}\n`))).rejects.toThrow("these forms are read:");
  });
});

it("a document that has more characters than a text can is refused", () => {
  const text = new LongText("cache.json", 4);
  text.add("ab");
  text.add("cd");
  expect(text.whole()).toBe("abcd");
  expect(() => text.add("e")).toThrow("cache.json has more than 4 characters, the most that a document can have; split it");
});

describe("a file is read once", () => {
  const bytesRead = () => Number(/rchar: (\d+)/.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
  /** How often the whole file was read. */
  async function timesRead(path: string): Promise<number> {
    const before = bytesRead();
    await read(path);
    return (bytesRead() - before) / statSync(path).size;
  }
  const entries = Array.from({ length: 15_000 }, (_, i) => `{"i":${i},"v":"${"x".repeat(100)}"}`);
  const t4 = (ends: string) => `{"schema_version":"1.0","notes":[${entries.join(`,${ends}`)}],${ends}"results":[${t4Result}]}`;
  const t4Result = JSON.stringify({
    timestamp: "2026-11-30 00:00:00",
    configuration: { x: 1 },
    times: { runtimes: [1] },
    invalidity: "correct",
    measurements: [{ name: "time", value: 1, unit: "ms" }],
    objectives: ["time"],
  });

  it.for([
    ["with lines", t4("\n")],
    ["in one line", t4("")],
    ["with lines of Windows", t4("\r\n")],
  ] as const)("a document %s", async ([, text], ctx) => {
    needs(ctx, "io-counters");
    const path = file(text);
    expect(statSync(path).size).toBeGreaterThan(1_500_000);
    const told = { device: "cuda/sm_90" };
    expect((await read(path, told)).length).toBe(1);
    expect(await timesRead(path)).toBeLessThan(1.3);
  });
});
