/**
 * What is read from nvcc's cubins, against ptxas's report and parameters counted by hand; and bytes that are no cubins.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ManifestKernel } from "@warpfarm/common";
import { Random } from "@warpfarm/common";
import { afterAll, describe, expect, it } from "vitest";
import { isFull, some } from "../../../../test-support/campaign.ts";
import { needs } from "../../../../test-support/needs.ts";
import { nvccSays } from "../../../../test-support/nvcc.ts";
import { checkCubin, withSymbols } from "./check-cubin.ts";
import { readCubin } from "./cubin.ts";
import { readPtxasReport } from "./ptxas-report.ts";

const scratch = mkdtempSync(join(tmpdir(), "warpfarm-cubin-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const text = `
__constant__ float taps[25];
struct Five { int a; float b[5]; };
extern "C" __global__ void f(float *c, const float *a, int n, short s, Five p) {
  __shared__ float q[64];
  q[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  c[threadIdx.x] = q[n - threadIdx.x] + taps[n & 15] + s + p.b[n & 3];
}
extern "C" __global__ void nothing() {}
template <int N> __global__ void made(float *c) { c[0] = N; }
template __global__ void made<3>(float *);
`;
const cooperativeGroups = "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;";
/** Reads the memory of the barrier as cooperative groups do, without their header, which takes nvcc many seconds. */
const gridBarrier = `namespace cg {
  struct Grid {
    __device__ void sync() {
      unsigned int high, low;
      asm("mov.u32 %0, %%envreg1;" : "=r"(high));
      asm("mov.u32 %0, %%envreg2;" : "=r"(low));
      int *barrier = (int *)((unsigned long long)high << 32 | low);
      if (barrier == nullptr) __trap();
      atomicAdd(barrier, 1);
      while (*(volatile int *)barrier != gridDim.x) {}
    }
  };
  __device__ Grid this_grid() { return {}; }
}`;
const child = `__global__ void child(int *a) { a[0] = 1; }
extern "C" __global__ void parent(int *a) { child<<<1, 1>>>(a); }`;

interface Cubin {
  readonly code: Uint8Array;
  readonly report: string;
}
/** By text and flags: most tests look at the same one. */
const made = new Map<string, Cubin>();
function compiled(source: string, ...flags: readonly string[]): Cubin {
  const key = [source, ...flags].join("\n");
  const known = made.get(key);
  if (known) return known;
  writeFileSync(join(scratch, "k.cu"), source);
  const ask = () => {
    const out = spawnSync("nvcc", ["-cubin", "-Xptxas=-v", ...flags, "-o", "k.cubin", "k.cu"], {
      cwd: scratch,
      encoding: "utf8",
    });
    if (out.status !== 0) throw new Error(out.stderr);
    // The time that it took is different in each run.
    const report = out.stderr.replace(/^ptxas info *: Compile time = .*\n/gm, "");
    return { code: readFileSync(join(scratch, "k.cubin"), "base64"), report };
  };
  // An unnamed namespace has another name in each folder.
  const said = /\bnamespace \{/.test(source) ? ask() : nvccSays(["cubin", flags, source], ask);
  const cubin = { code: Buffer.from(said.code, "base64"), report: said.report };
  made.set(key, cubin);
  return cubin;
}
const launched = (name: string, ...args: ManifestKernel["args"]): ManifestKernel => ({
  name,
  grid: [1, 1, 1],
  block: [64, 1, 1],
  dynamic_shared_bytes: 0,
  cluster: [1, 1, 1],
  args,
});
const scalar = (type: "int32" | "int8" | "int64") => ({ scalar: type, value: "1" }) as const;

describe("a cubin", () => {
  // In npm test one in the form of each side of sm_100, where it changed.
  it.for(some([75, 80, 90, 100, 120], 2, 4))("of sm_%i tells its target, its kernels and their parameters", (capability, ctx) => {
    needs(ctx, "nvcc");
    const { code, report } = compiled(text, `-arch=sm_${capability}`);
    const read = readCubin(code);
    const kernels = read.ok ? read.value.kernels.toSorted((a, b) => (a.name < b.name ? -1 : 1)) : [];
    expect(read).toMatchObject({ ok: true, value: { capability } });
    expect(kernels.map(({ name, parameters }) => [name, parameters])).toEqual([
      ["_Z4madeILi3EEvPf", [8]],
      ["f", [8, 8, 4, 2, 24]],
      ["nothing", []],
    ]);
    const [, f] = kernels;
    const told = readPtxasReport(report);
    expect([f?.registers, f?.staticSharedBytes]).toEqual([told.registers, told.static_shared_bytes]);
  });

  it("is refused for another target, a kernel it lacks, and arguments that do not fit", (ctx) => {
    needs(ctx, "nvcc");
    const { code } = compiled(text, "-arch=sm_90");
    const refusal = (target: string, ...kernels: readonly ManifestKernel[]) => {
      const checked = checkCubin(code, target, { kernels });
      return checked.ok ? "taken" : checked.error.message;
    };
    expect(refusal("cuda/sm_90a", launched("made2"))).toMatch(
      /^there is no kernel made2 in the code; there are .*_Z4madeILi3EEvPf/,
    );
    expect(refusal("cuda/sm_80", launched("nothing"))).toBe(
      "the cubin is for sm_90; the program is for cuda/sm_80 [cubin.target]",
    );
    expect(refusal("cuda/sm_90", launched("nothing"))).toBe("taken");
    expect(refusal("cuda/sm_90", launched("nothing", "a"))).toMatch(
      /^nothing takes no parameters; .* 1: a \(an address, 8 bytes\)/,
    );
    expect(refusal("cuda/sm_90", launched("_Z4madeILi3EEvPf", scalar("int64")))).toBe("taken");
    expect(refusal("cuda/sm_90", launched("_Z4madeILi3EEvPf", scalar("int32")))).toMatch(
      /parameter 1 of 1 has 8 bytes; the program gives it 1 \(int32, 4 bytes\)/,
    );
    const five = (bytes: number) => launched("f", "c", "a", scalar("int32"), { bytes: "0102" }, { bytes: "00".repeat(bytes) });
    expect(refusal("cuda/sm_90", five(24))).toBe("taken");
    expect(refusal("cuda/sm_90", five(20))).toMatch(/parameter 5 of 5 has 24 bytes; .* a structure \(20 bytes\)/);
    expect(refusal("cuda/sm_90", launched("f", "c", "a", scalar("int32"), scalar("int8"), "p"))).toMatch(
      /^f: parameter 4 of 5 has 2/,
    );
  });

  it.for(some([75, 80, 90, 100, 120], 1, 2, 4))("of sm_%i says how its kernels may be launched", (capability, ctx) => {
    needs(ctx, "nvcc");
    const clusters = capability >= 90;
    const { code } = compiled(
      `${isFull ? cooperativeGroups : gridBarrier}
      extern "C" __global__ void __launch_bounds__(128) bounded(float *c) { c[threadIdx.x] = 1; }
      extern "C" __global__ void everywhere(float *c) { c[threadIdx.x] = 1; cg::this_grid().sync(); c[0] += 1; }
      __device__ __noinline__ void later() { cg::this_grid().sync(); }
      extern "C" __global__ void often(float *c, int n) { for (int i = 0; i < n; i++) { c[threadIdx.x] += i; later(); } }
      extern "C" __global__ void counted(int *c) { c[blockIdx.x * blockDim.x] = gridDim.x * 8976 + c[3]; }
      extern "C" __global__ void warps(float *c) {
        c[threadIdx.x] = __shfl_sync(~0u, c[threadIdx.x], 3) + __activemask();
        __syncwarp();
      }
      ${clusters ? `extern "C" __global__ void __launch_bounds__(96, 2, 4) few(float *c) { c[threadIdx.x] = 1; }` : ""}
      ${clusters ? `extern "C" __global__ void __cluster_dims__(2, 1, 1) pairs(float *c) { c[threadIdx.x] = 1; }` : ""}`,
      `-arch=sm_${capability}`,
    );
    const said = (name: string, change: Partial<ManifestKernel> = {}, ...args: ManifestKernel["args"]) => {
      const kernel = { ...launched(name, "c", ...args), ...change };
      const checked = checkCubin(code, `cuda/sm_${capability}`, { kernels: [kernel] });
      return checked.ok ? "taken" : checked.error.message;
    };
    expect([said("bounded", { block: [16, 8, 1] }), said("bounded", { block: [1, 1, 64] })]).toEqual(["taken", "taken"]);
    expect(said("bounded", { block: [129, 1, 1] })).toBe(
      "the block of bounded is 129 x 1 x 1, 129 threads; its __launch_bounds__ allow 128 [cubin.launch]",
    );
    expect(said("bounded", { block: [16, 3, 3] })).toMatch(/16 x 3 x 3, 144 threads/);
    const attributes = [{ kind: "cooperative" }] as const;
    for (const [name, ...args] of [["everywhere"], ["often", scalar("int32")]] as const) {
      expect(said(name, {}, ...args)).toMatch(/waits for the whole grid \(grid\.sync\(\)\), which takes a cooperative launch/);
      expect(said(name, { attributes }, ...args)).toBe("taken");
    }
    for (const name of ["counted", "warps"]) expect(said(name)).toBe("taken");
    if (!clusters) return;
    expect(said("few", { cluster: [4, 1, 1], grid: [8, 1, 1] })).toBe("taken");
    expect(said("few", { cluster: [8, 1, 1], grid: [8, 1, 1] })).toMatch(/cluster of few has 8 blocks; .* allow 4/);
    expect([said("pairs", { grid: [4, 1, 1] }), said("pairs", { grid: [4, 1, 1], cluster: [2, 1, 1] })]).toEqual([
      "taken",
      "taken",
    ]);
    expect(said("pairs", { grid: [3, 1, 1] })).toMatch(/grid of pairs is 3 x 1 x 1, which is not a multiple of .* 2 x 1 x 1/);
    expect(said("pairs", { grid: [4, 1, 1], cluster: [4, 1, 1] })).toMatch(
      /cluster of pairs is 4 x 1 x 1; its __cluster_dims__ are 2/,
    );
  });

  it("of PTX that requires a block is launched with that block only", (ctx) => {
    needs(ctx, "nvcc");
    const ptx = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() .reqntid 32, 2 { ret; }\n";
    const file = join(scratch, "required.ptx");
    writeFileSync(file, ptx);
    execFileSync("nvcc", ["-cubin", "-arch=sm_90", "-o", `${file}.cubin`, file]);
    const said = (block: ManifestKernel["block"]) => {
      const checked = checkCubin(readFileSync(`${file}.cubin`), "cuda/sm_90", { kernels: [{ ...launched("k"), block }] });
      return checked.ok ? "taken" : checked.error.message;
    };
    expect(said([32, 2, 1])).toBe("taken");
    expect(said([64, 1, 1])).toBe("the block of k is 64 x 1 x 1; the kernel requires 32 x 2 x 1 [cubin.launch]");
  });

  it("has a symbol for each C++ name that is the only one of its kind", (ctx) => {
    needs(ctx, "nvcc");
    const { code } = compiled(
      `namespace a { __global__ void one(int) {} namespace b { __global__ void two(float *) {} } }
       __global__ void plain(float *, int) {} __global__ void twice(int) {} __global__ void twice(float) {}
       struct plainer {}; __global__ void other(plainer) {} __global__ void one1(int) {}
       template <typename T> __global__ void made(T *) {} template __global__ void made<float>(float *);
       namespace { __global__ void hidden(int) {} } void *use() { return (void *)hidden; }`,
      "-arch=sm_90",
    );
    const names = ["one", "two", "plain", "twice", "plainer", "other", "one1", "made", "hidden", "a", "nothing", "constructor"];
    const found = withSymbols(
      code,
      names.map((name) => ({ name })),
    ).map(({ name }) => name);
    expect(found.map((name) => name.replace(/_GLOBAL__N__\w+?(?=6hidden)/, "_GLOBAL"))).toEqual([
      ...["_ZN1a3oneEi", "_ZN1a1b3twoEPf", "_Z5plainPfi", "twice", "plainer", "_Z5other7plainer", "_Z4one1i", "_Z4madeIfEvPT_"],
      ...[expect.stringMatching(/^_ZN.*6hiddenEi$/), "a", "nothing", "constructor"],
    ]);
    const twice = checkCubin(code, "cuda/sm_90", { kernels: [launched("twice")] });
    expect(twice.ok ? "" : twice.error.message).toMatch(
      /^the code has 2 kernels named twice: _Z5twice[if], _Z5twice[if]; give the entry/,
    );
    const text1 = compiled(text, "-arch=sm_90").code;
    expect(withSymbols(text1, [launched("f"), launched("nothing")]).map(({ name }) => name)).toEqual(["f", "nothing"]);
  });

  it("whose constant memory is not there, or too small, is refused", (ctx) => {
    needs(ctx, "nvcc");
    const { code } = compiled(text, "-arch=sm_90");
    const filled = (symbol: string, floats: number) => {
      const buffer = {
        name: "t",
        dtype: "float32",
        shape: [floats],
        bytes: 4 * floats,
        align: 64,
        role: "in",
        reduction: 1,
      } as const;
      const checked = checkCubin(code, "cuda/sm_90", { kernels: [], buffers: [buffer], constants: [{ symbol, buffer: "t" }] });
      return checked.ok ? "taken" : checked.error.message;
    };
    expect(filled("taps", 25)).toBe("taken");
    expect(filled("taps", 26)).toMatch(/^taps has 100 bytes of constant memory; t, which fills it, has 104/);
    expect(filled("tips", 1)).toMatch(/no constant memory tips in the code; there is taps/);
  });

  it("that launches kernels itself, or is not linked, is refused", (ctx) => {
    needs(ctx, "nvcc");
    const loose = compiled(child, "-arch=sm_90", "-rdc=true");
    expect(checkCubin(loose.code, "cuda/sm_90", { kernels: [] })).toMatchObject({ ok: false, error: { rule: "cubin.file" } });
    const [linked, file] = [join(scratch, "linked.cubin"), join(scratch, "loose.cubin")];
    writeFileSync(file, loose.code);
    execFileSync("nvcc", ["-arch=sm_90", "-dlink", "-cubin", "-o", linked, file, "-lcudadevrt"], { stdio: "pipe" });
    expect(checkCubin(readFileSync(linked), "cuda/sm_90", { kernels: [launched("parent", "a")] })).toMatchObject({
      ok: false,
      error: { rule: "cubin.launches" },
    });
  });

  it("cut short or with spoilt bytes is read or refused, and never throws", (ctx) => {
    needs(ctx, "nvcc");
    const { code } = compiled(text, "-arch=sm_90");
    for (let size = 0; size < code.length; size += 97) expect(readCubin(code.subarray(0, size)).ok).toBe(false);
    const random = new Random(1);
    for (let i = 0; i < (isFull ? 3_000 : 500); i++) {
      const spoilt = Uint8Array.from(code);
      for (let k = 0; k < 4; k++) spoilt[random.below(code.length)] = random.below(256);
      expect(() => readCubin(spoilt)).not.toThrow();
    }
  });

  it("is no other file", () => {
    expect(readCubin(Buffer.from("not one"))).toEqual({ ok: false, error: "it is not an ELF file" });
    const own = readCubin(readFileSync(process.execPath));
    expect(own).toMatchObject({ ok: false, error: expect.stringMatching(/for machine \d+; cubins are for 190/) });
  });
});
