/** `export` as a user meets it: what it writes for a task, a log and a line of a log, and what it refuses. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { oneSentence, runCli, scratch } from "./context.testing.ts";

const log = fileURLToPath(new URL("../../test/vectors/autotvm-conv2d-h100.log.json", import.meta.url));

describe("export", () => {
  test("of a task writes what the format has, and says how it is checked", async () => {
    const home = scratch();
    const said = await runCli(["export", "matmul_cpu", "--index", "3", "--args", '[8,8,8,"float32","NN"]', "-o", "out"], {
      home,
    });
    expect(said).toMatchObject({ code: 0, stderr: "" });
    expect(readdirSync(join(home, "out")).sort()).toEqual(
      ["CMakeLists.txt", "matmul_cpu.c", "matmul_cpu.h", "matmul_cpu_reference.c", "matmul_cpu_test.c"].sort(),
    );
    expect(said.stdout).toContain('matmul_cpu: matmul_cpu [8,8,8,"float32","NN"], config 3, for cpu/x86-64-v3');
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
    [["export", "matmul_cpu", "-o", "out"], /which config of it says --index/],
    [
      ["export", "matmul_cpu", "--index", "3", "--format", "cuda", "-o", "out"],
      /--format cuda is of kernels for cuda; matmul_cpu is for cpu/,
    ],
    [["export", "matmul_cpu", "--index", "3", "--task", "x", "-o", "out"], /--task chooses a task of a log/],
    [["export", "matmul_cpu", "--index", "3", "--name", "2x", "-o", "out"], /--name is "2x"; it takes a letter/],
    [["export", "no-such-thing", "--index", "3", "-o", "out"], /there is no task "no-such-thing"/],
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
    [[log, "--index", "3"], /--index is of a task; the log/],
    [[log, "--format", "c"], /--format c is of kernels for cpu; .* is for cuda\/sm_90/],
    [[log, "--task", "other"], /--task: there is no task "other"/],
  ])("%j is refused", async (argv, message) => {
    const said = await runCli(["export", ...argv, "-o", "out"]);
    expect(said.code).toBe(2);
    expect(oneSentence(said)).toMatch(message);
  });
});
