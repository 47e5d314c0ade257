/**
 * The supervisor with its child in each layer of the sandbox alone: kernels are timed and judged as without one, and reach
 * nothing else.
 */
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultMeasureOptions, defined, type MeasureOptions } from "@warpfarm/common";
import { findLayers, type Layers } from "@warpfarm/common/process";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { KernelFolder, tensor } from "../../../test-support/kernels.ts";
import { has, lacks, needs } from "../../../test-support/needs.ts";
import { DeviceHost, type JobOutcome } from "./host.ts";
import type { LocalArtifact } from "./messages.ts";

const N = 1000;
const options: MeasureOptions = { ...defaultMeasureOptions("cpu"), minRepeatMs: 1, runTimeoutMs: 120_000 };
const koffi = import.meta.resolve("koffi");
const { PATH = "" } = process.env;
const here = await findLayers({ koffi, searchPath: PATH });
const none: Layers = { landlock: 0, seccomp: false, missing: [] };
const alone = {
  Landlock: { ...none, landlock: here.landlock, seccomp: here.seccomp },
  bubblewrap: { ...none, ...defined({ bubblewrap: here.bubblewrap }) },
} as const;

const base = mkdtempSync(join(tmpdir(), "warpfarm-confined-"));
const kernels = new KernelFolder();
afterAll(() => {
  kernels[Symbol.dispose]();
  rmSync(base, { recursive: true });
});
const secret = join(base, "secret");
writeFileSync(secret, "4711");
const specs = [tensor("x", "in", "float32", [N]), tensor("y", "out", "float32", [N])];
const loop = (statement: string) => `float *x = (float *)a0, *y = (float *)a1; for (int i = 0; i < ${N}; i++) ${statement};`;
const good = loop("y[i] = 2 * x[i] + 1");
/** An attacker's kernel: y[0] tells what came back. */
const reading = (path: string) =>
  `${good} extern int open(const char *, int, ...); extern long read(int, void *, unsigned long);
   char text[5] = "none"; int fd = open("${path}", 0); y[0] = -7; if (fd >= 0 && read(fd, text, 4) > 0) y[0] = 1000 * (text[0] - '0') + text[3];`;

let reference: LocalArtifact | undefined;
const referenceOf = () => (reference ??= kernels.build(specs, good));
async function gotBy(host: DeviceHost, body: string): Promise<JobOutcome> {
  const artifact = kernels.build(specs, body);
  return host.run({ artifact, reference: referenceOf(), options, attempt: 1, buildMs: 0, owner: "alice" });
}
const settings = { device: "cpu", threads: 2, lockDirectory: base, addressSpaceBytes: 2 ** 40, keepBytes: 2 ** 28 } as const;

test("without a sandbox a kernel reads a file and tells it: the way is real", async (ctx) => {
  needs(ctx, "cc");
  await using host = new DeviceHost({ node: "test-node", settings });
  await host.start();
  const outcome = await gotBy(host, reading(secret));
  expect(outcome).toMatchObject({ kind: "result", result: { mismatch: { index: 0, got: 4000 + "1".charCodeAt(0) } } });
});

describe.each(["Landlock", "bubblewrap"] as const)("in %s alone", (name) => {
  let host: DeviceHost;
  const directory = join(base, name);
  beforeAll(async () => {
    if (!has("cc") || (name === "bubblewrap" ? !has("bubblewrap") : here.landlock === 0)) return undefined;
    mkdirSync(directory);
    host = new DeviceHost({ node: "test-node", settings, sandbox: { layers: alone[name], koffi, directory } });
    await host.start();
    return () => host[Symbol.asyncDispose]();
  });
  beforeEach((ctx) => {
    needs(ctx, "cc");
    if (name === "bubblewrap") needs(ctx, "bubblewrap");
    else if (here.landlock === 0) lacks(ctx, "landlock");
  });

  test("a right kernel is timed with all its threads, and its code is gone afterwards", async () => {
    const threads = "extern int omp_get_max_threads(void); if (omp_get_max_threads() != 2) y[0] = -1e9f;";
    expect(await gotBy(host, `${good} ${threads}`)).toMatchObject({ kind: "result", result: { kind: "timed", checked: true } });
    expect(readdirSync(directory)).toEqual([]);
  });

  test("a kernel reads neither a file, nor the runner's environment, nor code of another job", async () => {
    const other = join(directory, "..", "other.so");
    copyFileSync(referenceOf().codePath, other);
    for (const path of [secret, `/proc/${process.pid}/environ`, other])
      expect(await gotBy(host, reading(path)), path).toMatchObject({
        kind: "result",
        result: { mismatch: { index: 0, got: -7 } },
      });
  });

  test("a kernel starts no program and no process, and signals nobody", async (ctx) => {
    if (name === "bubblewrap") return ctx.skip("bubblewrap alone has no filter of system calls");
    const attempts = `extern int execve(const char *, char **, char **), fork(void), kill(int, int), getppid(void);
      char *none[] = {0};
      y[0] = 100 * execve("/bin/true", none, none) + 10 * fork() + kill(getppid(), 0);`;
    expect(await gotBy(host, `${good} ${attempts}`)).toMatchObject({
      kind: "result",
      result: { mismatch: { index: 0, got: -111 } },
    });
    const filters = (pid: number | "self") =>
      Number(/^Seccomp_filters:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
    expect(filters(host.childPid ?? 0)).toBe(filters("self") + 2);
  });

  test("a crash, an end and a hang are named as ever, and the next result is right", async () => {
    const failed = (fields: object) => ({ kind: "result", result: { kind: "failed", ...fields } });
    expect(await gotBy(host, "*(volatile int *)8 = 1;")).toMatchObject(failed({ errorNo: 4, rule: "SIGSEGV" }));
    expect(await gotBy(host, "extern void _exit(int); _exit(3);")).toMatchObject(failed({ errorNo: 4, rule: "exit" }));
    const artifact = kernels.build(specs, "for (volatile int i = 0;; i++);");
    const hang = {
      artifact,
      reference: referenceOf(),
      options: { ...options, runTimeoutMs: 400 },
      attempt: 1,
      buildMs: 0,
      owner: "alice",
    };
    expect(await host.run(hang)).toMatchObject(failed({ errorNo: 7, rule: "run_timeout" }));
    expect(await gotBy(host, loop("y[i] = x[i] + x[i] + 1"))).toMatchObject({ kind: "result", result: { kind: "timed" } });
  });

  test("code that the cache has let go is a fault of the node, and no verdict", async () => {
    const gone: LocalArtifact = { ...referenceOf(), codePath: join(base, "gone.so") };
    const outcome = await host.run({ artifact: gone, reference: referenceOf(), options, attempt: 1, buildMs: 0, owner: "alice" });
    expect(outcome).toMatchObject({ kind: "fault", suspect: false, message: expect.stringContaining("gone.so") });
  });
});
