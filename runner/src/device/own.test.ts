/**
 * The node's own kernels for processors: the committed code equals that of the source and answers correctly, and a fault is
 * noticed.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { arch, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { KernelFolder } from "../../../test-support/kernels.ts";
import { needs } from "../../../test-support/needs.ts";
import { CpuDevice } from "./cpu/cpu-device.ts";
import { ownCode } from "./cpu/index.ts";
import { type OwnCode, runOwn } from "./own.ts";
import { chainEnds } from "./own-answers.ts";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "warpfarm-own-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const hooks = {
  enter: async () => {},
  hold: () => ({ [Symbol.dispose]() {} }),
  pause: () => {},
  monotonic: () => performance.now(),
};
const run = (code: OwnCode, timed = false) => runOwn(new CpuDevice(), code, hooks, { timed });
const committed = (): OwnCode => {
  const code = ownCode();
  if (code === undefined) throw new Error("no kernels were committed for this processor");
  return code;
};

it("the answer of the chains is that of each step rounded to float32", () => {
  const ends = Array.from({ length: 256 }, (_, i) => {
    let u = i;
    let f = i / 256;
    for (let round = 0; round < 4096; round++) {
      u = (Math.imul(u ^ (u >>> 15), 0x2c1b3c6d) + 1) >>> 0;
      f = Math.fround(1.9375 - Math.fround(f * f));
    }
    return (u ^ (new Uint32Array(Float32Array.of(f).buffer)[0] ?? 0)) >>> 0;
  });
  expect([...chainEnds]).toEqual(ends);
});

describe("on this processor", () => {
  it("answer right, and are timed when that is asked for", async () => {
    expect(await run(committed())).toBeUndefined();
    const times = await run(committed(), true);
    expect(Math.min(times?.arithmetic ?? 0, times?.memory ?? 0)).toBeGreaterThan(0);
  });

  /** Code with another kernel of this name, where `right` is the committed one. */
  const other = (kernels: KernelFolder, name: "arithmetic" | "memory", body: string): OwnCode => ({
    ...committed(),
    codePath: kernels.build([], "", {
      before: `${readFileSync(at("cpu/own.c"), "utf8").replace(`void ${name}(`, "static void right(")}
        __attribute__((visibility("default"))) void ${name}(void *const *args) { ${body} }`,
    }).codePath,
  });
  it.for([
    ["answers right", "memory", "right(args);", undefined],
    ["has one wrong bit in its last word", "memory", "right(args); ((u32 *)args[1])[WORDS - 1] ^= 1u << 31;", "wrong_answer"],
    ["rounds one step otherwise", "arithmetic", "right(args); ((u32 *)args[0])[255] ^= 1;", "wrong_answer"],
    ["writes nothing", "memory", "", "wrong_answer"],
    ["writes before its output", "arithmetic", "right(args); ((u32 *)args[0])[-1] = 1;", "out_of_bounds_write"],
  ] as const)("code that %s", async ([, name, body, rule], ctx) => {
    needs(ctx, "cc");
    using kernels = new KernelFolder();
    const code = other(kernels, name, body);
    if (rule === undefined) expect(await run(code)).toBeUndefined();
    else await expect(run(code)).rejects.toMatchObject({ name: "DeviceError", rule });
  });
  it("code that is not there", async () => {
    await expect(run({ ...committed(), codePath: join(scratch, "none.so") })).rejects.toMatchObject({ rule: "dlopen" });
  });
});

describe("the committed machine code", () => {
  const compilers = {
    "x86-64": arch() === "x64" ? "cc" : "x86_64-linux-gnu-gcc",
    arm64: arch() === "arm64" ? "cc" : "aarch64-linux-gnu-gcc",
  };
  const path = (name: string): string => at(`../../own/own-${name}.so`);
  /** What a compiler writes into all its output: its name and version. */
  const wordsOf = (file: string): string =>
    /GCC: \([^)]*\) [\d.]+|clang version [\d.]+/.exec(readFileSync(file, "latin1"))?.[0] ?? "an unknown compiler";

  it.for(["x86-64", "arm64"] as const)("for %s is what own.c gives", (name, ctx) => {
    const compiler = compilers[name];
    const probe = join(scratch, `${name}.c`);
    writeFileSync(probe, "int x;");
    try {
      execFileSync(compiler, ["-c", "-o", `${probe}.o`, probe], { stdio: "ignore" });
    } catch {
      ctx.skip(`no ${compiler} on the PATH`);
    }
    const [here, made] = [wordsOf(`${probe}.o`), wordsOf(path(name))];
    if (here !== made) ctx.skip(`${here} makes other code than ${made}, which made what is committed`);
    execFileSync(process.execPath, [at("../../../scripts/gen-own-code.mjs"), "--check", name]);
  });

  it("is small, and needs no library", () => {
    for (const name of ["x86-64", "arm64"]) {
      const bytes = readFileSync(path(name));
      expect(bytes.subarray(0, 4).toString("latin1")).toBe("\x7fELF");
      expect(bytes.readUInt16LE(18)).toBe(name === "arm64" ? 183 : 62);
      expect(bytes.length).toBeLessThan(8_192);
      expect(bytes.toString("latin1")).not.toMatch(/lib\w+\.so/);
    }
  });
});
