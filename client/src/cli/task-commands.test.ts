/** space, lower, best and build: their output and refusals. None of them needs a farm. */
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { type ArtifactManifest, type FailedResult, type Json, toDigest } from "@warpfarm/common";
import { configToJson } from "@warpfarm/compiler/language";
import { createTask } from "@warpfarm/templates";
import { describe, expect, test } from "vitest";
import { failedResult } from "../measure/scripted.testing.ts";
import { oneSentence, runCli, scratch } from "./context.testing.ts";

const tutorial = "tutorial/conv2d_no_batching";
const vectors = fileURLToPath(new URL("../../test/vectors/autotvm-conv2d-h100.log.json", import.meta.url));
const parsed = ({ stdout }: { readonly stdout: string }) => {
  expect(stdout.match(/\n/g)).toHaveLength(1);
  return JSON.parse(stdout);
};

describe("space", () => {
  test("size, flop and knobs in one line of JSON, as TVM counts them", async () => {
    const said = await runCli(["space", tutorial, "--json"]);
    expect(said.code).toBe(0);
    expect(parsed(said)).toMatchObject({
      size: 10_454_400,
      flop: 231_501_312,
      knobs: [
        { name: "tile_f", size: 220 },
        { name: "tile_y", size: 4 },
        { name: "tile_x", size: 4 },
        { name: "tile_rc", size: 55 },
        { name: "tile_ry", size: 3 },
        { name: "tile_rx", size: 3 },
        { name: "auto_unroll_max_step", size: 3 },
        { name: "unroll_explicit", size: 2 },
      ],
    });
  });
  test("a config, and whether it can run under whose limits", async () => {
    const refused = await runCli(["space", tutorial, "--index", "7106118", "--limits", "autotvm", "--json"]);
    expect(parsed(refused)).toMatchObject({
      index: 7_106_118,
      config: { tile_f: [-1, 8, 4, 4], auto_unroll_max_step: 512, unroll_explicit: 1 },
      valid: false,
      violations: [{ rule: "gpu.shared_bytes", message: expect.stringContaining("138240") }],
    });
    const device = await runCli(["space", tutorial, "--index", "7106118", "--json"]);
    expect(parsed(device)).toMatchObject({ valid: true, violations: [] });
    expect((await runCli(["space", "conv2d_nchw", "--index", "published"])).stdout).toMatch(/^index {3}4881186$/m);
  });
  test("arguments by position or by name mean the same task", async () => {
    const list = await runCli(["space", "conv2d_nchw_cpu", "--json", "--args", "[1,8,8,16,32,3,3,1,1]"]);
    const named = await runCli(["space", "conv2d_nchw_cpu", "--json", "--args", '{"H":8,"W":8,"CO":16,"CI":32}']);
    expect(parsed(list)).toEqual(parsed(named));
  });
  test("a backend's name alone is this machine's target of it", async () => {
    const host = { hostKey: async () => "cpu/x86-64-v2" };
    const trace = async (task: string, target: string) => runCli(["lower", task, "--index", "0", "--target", target], host);
    expect(await trace("conv2d_nchw_cpu", "cpu")).not.toEqual(await trace("conv2d_nchw_cpu", "cpu/x86-64-v4"));
    expect(await trace("conv2d_nchw_cpu", "cpu")).toEqual(await trace("conv2d_nchw_cpu", "cpu/x86-64-v2"));
    expect(await trace(tutorial, "cuda")).toEqual(await trace(tutorial, "cuda/sm_90"));
    expect(oneSentence(await runCli(["space", tutorial, "--target", "cpu"], host))).toMatch(/is for cuda, not for cpu/);
    expect((await runCli(["space", tutorial], { ...host, env: { WARPFARM_TARGET: "cpu" } })).code).toBe(0);
  });
  test.each([
    [["conv3d"], /there is no task "conv3d"; known are/],
    [[], /missing required argument 'task'/],
    [[tutorial, "--args", "[1,2"], /--args is not JSON/],
    [[tutorial, "--args", "[1,2]"], /takes 9 to 11 arguments/],
    [[tutorial, "--args", '{"H":1e400}'], /--args is not JSON: "H": its number is not a finite one \(they end at 1\.8e308\)/],
    [[tutorial, "--args", '{"N":2}'], /N is 2; this template takes 1/],
    [[tutorial, "--args", '{"M":2}'], /no argument "M"/],
    [[tutorial, "--target", "cpu/x86-64-v3"], /is for cuda, not for cpu/],
    [[tutorial, "--target", "gpu"], /--target is "gpu"/],
    [[tutorial, "--index", "10454400"], /--index is "10454400"; .* has configs 0 to 10454399, or published/],
    [["conv2d_nchw_cpu", "--index", "published"], /has no published config/],
    [[tutorial, "--limits", "tvm"], /--limits is "tvm"; it takes device, autotvm/],
  ])("%j is refused", async (argv, message) => {
    const said = await runCli(["space", ...argv]);
    expect([said.code, said.stdout]).toEqual([2, ""]);
    expect(oneSentence(said)).toMatch(message);
  });
});

describe("lower", () => {
  test("notes what a user would want to know of a kernel that is all right", async () => {
    const flags = ["lower", tutorial, "--index", "2516361", "--target", "cuda/sm_90"];
    const { stdout, stderr } = await runCli(flags);
    expect(stderr).toMatch(/^note: "pad_temp\.shared\.local" of conv_kernel is an array of 3584 float32 .* \[local\.large\]\n$/);
    expect(stdout).not.toContain("local.large");
    const { notes } = JSON.parse((await runCli([...flags, "--json"])).stdout);
    expect(notes).toEqual([{ rule: "local.large", message: expect.stringContaining("14336 bytes") }]);
    expect((await runCli(["lower", tutorial, "--index", "published", "--target", "cuda/sm_90"])).stderr).toBe("");
  });
  test("the launch of the published config is the worked case's", async () => {
    const said = await runCli(["lower", tutorial, "--index", "published", "--emit", "launch"]);
    const { kernel } = JSON.parse(said.stdout.split("\n")[0] ?? "");
    expect(kernel).toMatchObject({ grid: [1, 1, 4], block: [7, 1, 64] });
  });
  test("text in the target's language unless another form is asked", async () => {
    expect((await runCli(["lower", "conv2d_nchw_cpu", "--index", "0"])).stdout).toContain("#pragma omp parallel for");
    expect((await runCli(["lower", tutorial, "--index", "published"])).stdout).toContain("__global__");
    expect((await runCli(["lower", tutorial, "--index", "published", "--emit", "ir"])).stdout).toContain("threadIdx.x");
    const trace = await runCli([
      "lower",
      "conv2d_nchw_cpu",
      "--index",
      "0",
      "--emit",
      "trace",
      "--until",
      "cache_write",
      "--json",
    ]);
    const steps = (parsed(trace).text as string)
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).op as string);
    expect(steps.at(-1)).toBe("cache_write");
  });
  test.each([
    [["conv2d_nchw_cpu"], /required option '--index <n>' not specified/],
    [["conv2d_nchw_cpu", "--index", "-1"], /--index is "-1"/],
    [["conv2d_nchw_cpu", "--index", "0", "--emit", "ptx"], /--emit is "ptx"; it takes ir, c, cuda/],
    [["conv2d_nchw_cpu", "--index", "0", "--emit", "cuda"], /printed as c, not as cuda/],
    [["conv2d_nchw_cpu", "--index", "0", "--until", "tensorize"], /no step "tensorize"; it has/],
    [["conv2d_nchw_cpu", "--index", "0", "--after", "vectorize"], /--after needs --emit ir/],
    [
      ["conv2d_nchw_cpu", "--index", "0", "--emit", "ir", "--after", "vectorise"],
      /no lowering pass "vectorise"; there are .*vectorize/,
    ],
    [["nothing", "--index", "0"], /there is no task "nothing"/],
  ])("%j is refused", async (argv, message) => {
    const said = await runCli(["lower", ...argv]);
    expect(said.code).toBe(2);
    expect(oneSentence(said)).toMatch(message);
  });
});

test("--index takes the knobs' values as JSON, and names what the space does not have", async () => {
  const lowered = (index: string) => runCli(["lower", "matmul_mma", "--index", index]);
  const values = { row_warps: 2, col_warps: 2, warp_rows: 4, warp_cols: 4, chunk: 4, stages: 3, swizzle: 1, group: 8 };
  expect((await lowered(JSON.stringify(values))).stdout).toBe((await lowered("published")).stdout);
  const refusal = async (more: object) => oneSentence(await lowered(JSON.stringify({ ...values, ...more })));
  expect(await refusal({ chunk: 3 })).toMatch(/--index names no config of matmul_mma .*: knob chunk has no entry 3 among its 3/);
  expect(await refusal({ other: 1 })).toMatch(/the config has the knobs row_warps, .*, other; this space has /);
});

describe("best", () => {
  test("of TVM's own log: the record that TVM would pick, and its kernel", async () => {
    const rows = readFileSync(vectors, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const timed = rows.filter((row) => row.result[1] === 0).sort((a, b) => a.result[0][0] - b.result[0][0]);
    const said = parsed(await runCli(["best", vectors, "--json"]));
    expect(said).toMatchObject({ task: tutorial, index: timed[0].config.index });
    expect(said.gflops).toBeCloseTo(231_501_312 / said.seconds / 1e9, 6);
    const kernel = await runCli(["best", vectors, "--emit", "cuda", "--target", "cuda/sm_90"]);
    expect(kernel.stdout).toContain("__global__");
  });
  /** One line of AutoTVM's log for each given time, of two tasks. */
  const manyTasks = (refusedArgs = false) => {
    const line = JSON.parse(readFileSync(vectors, "utf8").split("\n")[0] ?? "");
    const of = (args: Json[], index: number, seconds: number) => {
      const { space } = createTask(tutorial, [1, ...args.slice(1)], "cuda/sm_90");
      return JSON.stringify({
        ...line,
        input: [...line.input.slice(0, 2), args, ...line.input.slice(3)],
        config: configToJson(space, space.get(index)),
        result: [[seconds], 0, 1, 1],
      });
    };
    const [args] = [line.input[2]];
    const other = refusedArgs ? [7, ...args.slice(1)] : [1, 14, ...args.slice(2)];
    return `${[of(args, 1, 5), of(args, 2, 3), of(args, 2, 4), of(args, 3, 9), of(other, 4, 8), of(other, 5, 7)].join("\n")}\n`;
  };
  test("of many tasks: the fastest of each, or the n fastest configs, each once; packed or not", async () => {
    const cwd = scratch();
    writeFileSync(join(cwd, "many.jsonl"), manyTasks());
    writeFileSync(join(cwd, "many.jsonl.gz"), gzipSync(manyTasks()));
    const found = async (...argv: string[]) => {
      const { best } = parsed(await runCli(["best", ...argv, "--json"], { cwd }));
      return best.map(({ index, seconds }: { index: number; seconds: number }) => [index, seconds]);
    };
    for (const file of ["many.jsonl", "many.jsonl.gz"])
      expect(await found(file)).toEqual([
        [2, 3],
        [5, 7],
      ]);
    expect(await found("many.jsonl", "--top", "2")).toEqual([
      [2, 3],
      [1, 5],
      [5, 7],
      [4, 8],
    ]);
    writeFileSync(join(cwd, "strange.jsonl"), manyTasks(true));
    expect(await found("strange.jsonl")).toEqual([
      [2, 3],
      [5, 7],
    ]);
    const words = await runCli(["best", "many.jsonl"], { cwd, env: { COLUMNS: "400" } });
    expect(words.stdout).toMatch(/^task +time +speed +index +device +config\n/);
    const one = await runCli(["best", "many.jsonl", "--task", `${tutorial} [1,14`, "--json"], { cwd });
    expect(parsed(one)).toMatchObject({ index: 5, seconds: 7 });
  });
  test("of many tasks a kernel needs a choice, and a task that is not there is refused with the nearest", async () => {
    const cwd = scratch();
    writeFileSync(join(cwd, "many.jsonl"), manyTasks());
    writeFileSync(join(cwd, "binary.jsonl"), new Uint8Array([127, 69, 76, 70, 0, 1]));
    const refusal = async (...argv: string[]) => oneSentence(await runCli(["best", ...argv], { cwd }));
    expect(await refusal("many.jsonl", "--emit", "cuda")).toMatch(
      /holds 2 tasks; --emit cuda prints one: choose it with --task from /,
    );
    expect(await refusal("many.jsonl", "--task", "tutorial/conv2d_no_batchin7")).toMatch(
      /--task: there is no task .* \(did you mean tutorial\/conv2d_no_batching\?\); the log is of /,
    );
    expect(await refusal("binary.jsonl")).toBe(
      "warpfarm best: binary.jsonl is not a log: it holds binary data; a log is JSON lines, gzipped or not",
    );
  });
  test("a log without a time is exit 1", async () => {
    const cwd = scratch();
    const failed = readFileSync(vectors, "utf8")
      .split("\n")
      .filter((line) => line !== "" && JSON.parse(line).result[1] !== 0);
    writeFileSync(join(cwd, "failed.json"), `${failed.join("\n")}\n`);
    const said = await runCli(["best", "failed.json"], { cwd });
    expect(said.code).toBe(1);
    expect(oneSentence(said)).toMatch(/failed\.json has 39 records, none with a time/);
  });
  test.each([
    [["nowhere.jsonl"], /log "nowhere\.jsonl" cannot be read: there is no such file or folder/],
    [["."], /cannot be read: it is a folder, not a file/],
    [["empty.jsonl"], /empty\.jsonl has no records/],
    [["text.jsonl"], /text\.jsonl is no tuning log/],
    [["copy.jsonl", "--emit", "ptx"], /--emit is "ptx"; it takes config, c, cuda/],
    [["copy.jsonl", "--emit", "c", "--target", "cuda/sm_90"], /printed as cuda, not as c/],
    [["copy.jsonl", "--emit", "cuda", "--target", "cpu/x86-64-v3"], /is for cuda, not for cpu/],
  ])("%j is refused", async (argv, message) => {
    const cwd = scratch();
    writeFileSync(join(cwd, "empty.jsonl"), "");
    writeFileSync(join(cwd, "text.jsonl"), "hello\nworld\n");
    copyFileSync(vectors, join(cwd, "copy.jsonl"));
    const said = await runCli(["best", ...argv], { cwd });
    expect(said.code).toBe(2);
    expect(oneSentence(said)).toMatch(message);
  });
});

describe("build", () => {
  const digest = toDigest(`sha256:${"0".repeat(64)}`);
  const manifest = {
    version: 1,
    target: "cpu/x86-64-v3",
    format: "so",
    code: digest,
    kernels: [{ name: "k" }],
    toolchain: "gcc 1",
  } as unknown as ArtifactManifest;
  const buildHere = async () => ({ kind: "built", manifest, code: Uint8Array.of(1, 2, 3), buildMs: 5 }) as const;

  test("writes the code, and its manifest beside it", async () => {
    const cwd = scratch();
    const said = await runCli(["build", "conv2d_nchw_cpu", "--index", "0", "-o", "k.so", "--json"], { cwd, buildHere });
    expect(parsed(said)).toMatchObject({ code: join(cwd, "k.so"), bytes: 3, toolchain: "gcc 1", build_ms: 5 });
    expect([...readFileSync(join(cwd, "k.so"))]).toEqual([1, 2, 3]);
    const argv = ["build", "conv2d_nchw_cpu", "--index", "0", "-o", "k.so"];
    expect((await runCli(argv, { cwd, buildHere })).stdout).toMatch(/^build +5\.0 ms$/m);
    // The code was there already.
    const cached = async () => ({ ...(await buildHere()), buildMs: 0 });
    expect((await runCli(argv, { cwd, buildHere: cached })).stdout).toMatch(/^build +cached$/m);
    expect(parsed(await runCli([...argv, "--json"], { cwd, buildHere: cached }))).not.toHaveProperty("build_ms");
    expect(JSON.parse(readFileSync(join(cwd, "k.so.manifest.json"), "utf8"))).toMatchObject({ format: "so" });
  });
  test.each(["-", "/dev/stdout"])("to standard output, -o %s: the code alone, and to a terminal nothing", async (output) => {
    const written: unknown[] = [];
    const on = (isTTY: boolean) => ({ buildHere, stdout: { isTTY, write: (what: unknown) => written.push(what) } });
    const argv = ["build", "conv2d_nchw_cpu", "--index", "0", "-o", output];
    const said = await runCli(argv, on(false));
    expect([said.code, written]).toEqual([0, [Uint8Array.of(1, 2, 3)]]);
    expect(said.stderr).toMatch(/^code +3 bytes, so, to standard output/);
    const refused = await runCli(argv, on(true));
    expect([refused.code, oneSentence(refused)]).toEqual([
      2,
      `warpfarm build: -o ${output} is a terminal, and the code is binary; name a file, or send it through a pipe`,
    ]);
    expect(oneSentence(await runCli([...argv, "--json"], { buildHere }))).toMatch(/both write to standard output/);
    expect(written).toHaveLength(1);
  });
  test("a config that does not build is exit 1 with the compiler's words, and leaves no file", async () => {
    const cwd = scratch();
    const result = { ...(failedResult(3, "cc refused it") as FailedResult), log: "k.c:1: error\n" };
    const failing = async () => ({ kind: "failed", result }) as const;
    const said = await runCli(["build", "conv2d_nchw_cpu", "--index", "0", "-o", "k.so"], { cwd, buildHere: failing });
    expect(said.code).toBe(1);
    expect(said.stderr).toBe("k.c:1: error\nwarpfarm build: config 0 does not build: COMPILE_DEVICE: cc refused it\n");
    expect(existsSync(join(cwd, "k.so"))).toBe(false);
  });
  test.each([
    [["conv2d_nchw_cpu", "-o", "k.so"], /--index is missing; conv2d_nchw_cpu has configs 0 to \d+/],
    [["conv2d_nchw_cpu", "--index", "0"], /required option '-o, --output <file>' not specified/],
    [["conv2d_nchw_cpu", "--index", "504000", "-o", "k.so"], /--index is "504000"/],
    [
      ["conv2d_nchw_cpu", "--index", "0", "-o", "no/such/dir/k.so"],
      /-o names "no\/such\/dir\/k\.so", which cannot be written: there is no such file or folder/,
    ],
    [
      ["conv2d_nchw_cpu", "--index", "0", "-o", "k.so", "--build-timeout", "5"],
      /--build-timeout is "5", without a unit: write 5s; it takes a time/,
    ],
    [["conv2d_nchw_cpu", "--index", "0", "-o", "k.so", "--target", "cuda/sm_90"], /is for cpu, not for cuda/],
  ])("%j is refused", async (argv, message) => {
    const said = await runCli(["build", ...argv], { buildHere });
    expect(said.code).toBe(2);
    expect(oneSentence(said)).toMatch(message);
  });
});
