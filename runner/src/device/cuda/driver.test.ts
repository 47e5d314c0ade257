/**
 * The binding against a library that is compiled here from the real cuda.h (names, signatures and structures are NVIDIA's) and says what
 * reached it. Without a toolkit there is no cuda.h and these tests skip.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { has, needs } from "../../../../test-support/needs.ts";
import { type CudaDriver, deviceAttributes, functionAttributes } from "./cuda-driver.ts";
import { CudaError, isDeviceFault, isSticky } from "./cuda-error.ts";
import { openCudaDriver } from "./driver.ts";

const source = fileURLToPath(new URL("testdata/fake-cuda.c", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "warpfarm-driver-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe("the binding of libcuda", () => {
  let driver: CudaDriver;
  beforeAll(() => {
    if (!has("nvcc")) return;
    const library = join(scratch, "libfake.so");
    execFileSync("nvcc", ["-x", "c", "-shared", "--cudart", "none", "-Xcompiler", "-fPIC", "-o", library, source]);
    const opened = openCudaDriver(library);
    if (!opened.ok) throw new Error(opened.error.message);
    driver = opened.value;
  });

  it("asks for facts by the numbers of cuda.h", (ctx) => {
    needs(ctx, "nvcc");
    expect(driver.version).toBe(13000);
    expect(driver.deviceCount()).toBe(1);
    const { attributes, ...facts } = driver.device(0);
    expect(facts).toEqual({
      ordinal: 0,
      name: "Fake GPU",
      uuid: "GPU-00112233-4455-6677-8899-aabbccddeeff",
      memoryBytes: 85_899_345_920,
    });
    expect(attributes).toEqual(Object.fromEntries(Object.entries(deviceAttributes).map(([name, id]) => [name, 1000 + id])));
    driver.openContext(0);
    expect(driver.memoryInfo()).toEqual({ freeBytes: 3, totalBytes: 2 ** 40 });
  });

  it("launches with shape, cluster and parameters as packed, plainly and in a graph", (ctx) => {
    needs(ctx, "nvcc");
    driver.openContext(0);
    const stream = driver.createStream();
    const module = driver.loadModule(Buffer.from("cubin\0"));
    const fn = driver.getFunction(module, "kernel");
    const out = driver.allocate(64);
    const prepared = driver.prepareLaunch(
      fn,
      "kernel",
      { grid: [65_536, 2, 3], block: [4, 5, 6], dynamicSharedBytes: 100_000, cluster: [8, 1, 1] },
      [
        { kind: "u64", value: out },
        { kind: "u32", value: 0xdeadbeef },
        { kind: "u64", value: 2n ** 63n + 5n },
        { kind: "f64", value: -0.1 },
      ],
      stream,
    );
    const arrived = (): unknown => {
      const bytes = new Uint8Array(64);
      driver.copyToHost(bytes, out);
      const view = new DataView(bytes.buffer);
      const words = Array.from({ length: 11 }, (_, i) => view.getUint32(4 * i, true));
      return [...words, view.getBigUint64(48, true), view.getFloat64(56, true)];
    };
    const expected = [65_536, 2, 3, 4, 5, 6, 100_000, 8, 1, 1, 0xdeadbeef, 2n ** 63n + 5n, -0.1];
    driver.launch(prepared);
    driver.synchronize(stream);
    expect(arrived()).toEqual(expected);

    driver.memset(out, 0, 64, stream);
    driver.beginCapture(stream);
    driver.launch(prepared);
    driver.launch(prepared);
    const graph = driver.endCapture(stream);
    const exec = driver.instantiate(graph);
    driver.destroyGraph(graph);
    driver.uploadGraph(exec, stream);
    expect(arrived()).not.toEqual(expected);
    driver.launchGraph(exec, stream);
    expect(arrived()).toEqual(expected);
    driver.destroyGraphExec(exec);

    driver.setFunctionAttribute(fn, "max_dynamic_shared_size_bytes", 100_000);
    expect(driver.getFunctionAttribute(fn, "num_regs")).toBe(100 + functionAttributes.num_regs);
    const [first, second] = [driver.createEvent(), driver.createEvent()];
    driver.recordEvent(first, stream);
    driver.recordEvent(second, stream);
    expect(driver.elapsedMs(first, second)).toBe(1.5);
    for (const event of [first, second]) driver.destroyEvent(event);
    driver.free(out);
    driver.unloadModule(module);
    driver.destroyStream(stream);
  });

  it("copies both ways and on the device", (ctx) => {
    needs(ctx, "nvcc");
    const [a, b] = [driver.allocate(300), driver.allocate(300)];
    const stream = driver.createStream();
    const bytes = Uint8Array.from({ length: 300 }, (_, i) => i);
    driver.copyToDevice(a, bytes);
    driver.copyOnDevice(b, a, 300, stream);
    const back = new Uint8Array(300);
    driver.copyToHost(back, b);
    expect(back).toEqual(bytes);
  });

  it("throws the driver's number and name", (ctx) => {
    needs(ctx, "nvcc");
    const module = driver.loadModule(Buffer.from("cubin\0"));
    const caught = (work: () => unknown): CudaError => {
      try {
        work();
      } catch (error) {
        if (error instanceof CudaError) return error;
      }
      throw new Error("nothing was thrown");
    };
    const missing = caught(() => driver.getFunction(module, "absent"));
    expect(missing).toMatchObject({ code: 500, codeName: "CUDA_ERROR_NOT_FOUND", call: "cuModuleGetFunction", sticky: false });
    expect(missing.message).toBe("cuModuleGetFunction: CUDA_ERROR_NOT_FOUND (500): named symbol not found");
    expect(caught(() => driver.allocate(2 ** 50)).codeName).toBe("CUDA_ERROR_2");
  });
});

it("says what was looked for when there is no driver", () => {
  const opened = openCudaDriver("libcuda-that-is-not-there.so.1");
  expect(opened).toMatchObject({ ok: false, error: { message: expect.stringContaining("libcuda-that-is-not-there.so.1") } });
});

describe("numbers of cuda.h", () => {
  let header = "";
  beforeAll(() => {
    if (!has("nvcc")) return;
    const path = / (\S+\/cuda\.h)/.exec(execFileSync("nvcc", ["-M", "-x", "c", source], { encoding: "utf8" }))?.[1];
    if (path === undefined) throw new Error("nvcc -M names no cuda.h");
    header = readFileSync(path, "utf8");
  });

  it("sticky are the errors whose description says so", (ctx) => {
    needs(ctx, "nvcc");
    const enumeration = /typedef enum cudaError_enum \{(.*?)\} CUresult;/s.exec(header)?.[1] ?? "";
    const entries = [...enumeration.matchAll(/\/\*\*((?:(?!\*\/).)*)\*\/\s*(CUDA_\w+)\s*=\s*(\d+)/gs)];
    expect(entries.length).toBeGreaterThan(90);
    const says = /process must be terminated|context cannot be used anymore|has been destroyed using/;
    for (const [, words = "", name, number] of entries) {
      if (isDeviceFault(Number(number))) continue;
      expect(`${name} ${isSticky(Number(number))}`).toBe(`${name} ${says.test(words.replace(/\s*\*\s*/g, " "))}`);
    }
  });

  it.for([
    ["CU_DEVICE_ATTRIBUTE", deviceAttributes],
    ["CU_FUNC_ATTRIBUTE", functionAttributes],
  ] as const)("%s", ([prefix, table], ctx) => {
    needs(ctx, "nvcc");
    for (const [name, number] of Object.entries(table))
      expect(header).toMatch(new RegExp(`${prefix}_${name.toUpperCase()}\\s*=\\s*${number}\\b`));
  });
});
