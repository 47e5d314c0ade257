/**
 * The binding against a library that is compiled here from the real cuda.h (with NVIDIA's names, signatures and structures) and
 * reports its arguments. Without a toolkit there is no cuda.h, and these tests are skipped.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { has, needs } from "../../../../test-support/needs.ts";
import { CudaError, isDeviceFault, isSticky } from "./cuda-error.ts";
import { type CudaDriver, openCudaDriver } from "./driver.ts";
import { deviceAttributes, functionAttributes } from "./driver-types.ts";

const source = fileURLToPath(new URL("testdata/fake-cuda.c", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "warpfarm-driver-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** One dimension: no stride. */
const flat = { type: 7, dims: [16], strides: [], box: [16], elementStrides: [1], interleave: 0, swizzle: 0, l2: 0, oob: 0 };

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
    driver.resetPersistingL2();
    const [first, second] = [driver.createEvent(), driver.createEvent()];
    driver.recordEvent(first, stream);
    driver.recordEvent(second, stream);
    expect(driver.elapsedMs(first, second)).toBe(1.5);
    for (const event of [first, second]) driver.destroyEvent(event);
    driver.free(out);
    driver.unloadModule(module);
    driver.destroyStream(stream);
  });

  it("encodes tensor maps as they are asked for, and passes them aligned beside values and attributes", (ctx) => {
    needs(ctx, "nvcc");
    driver.openContext(0);
    const stream = driver.createStream();
    const module = driver.loadModule(Buffer.from("cubin\0"));
    const fn = driver.getFunction(module, "kernel");
    const out = driver.allocate(128);
    const map = driver.encodeTensorMap({
      type: 9,
      address: out,
      dims: [64, 2 ** 32, 3],
      strides: [128, 2 ** 40 - 16],
      box: [64, 256, 1],
      elementStrides: [1, 8, 2],
      interleave: 0,
      swizzle: 3,
      l2: 2,
      oob: 1,
    });
    const view = new DataView(map.buffer, map.byteOffset, 128);
    const wide = (from: number, count: number) => Array.from({ length: count }, (_, i) => view.getBigUint64(from + 8 * i, true));
    expect([...map.subarray(0, 6)]).toEqual([9, 3, 0, 3, 2, 1]);
    expect(wide(8, 1)).toEqual([out]);
    expect(wide(16, 5)).toEqual([64n, 2n ** 32n, 3n, 0n, 0n]);
    expect(wide(56, 4)).toEqual([128n, 2n ** 40n - 16n, 0n, 0n]);
    expect([...map.subarray(88, 98)]).toEqual([63, 255, 0, 0, 0, 1, 8, 2, 0, 0]);
    const images = driver.encodeTensorMap({
      type: 6,
      address: out,
      dims: [64, 9, 8, 2],
      strides: [128, 1152, 9216],
      box: [32, 768],
      elementStrides: [1, 3, 2, 1],
      im2col: { lower: [-2, -1], upper: [3, -128] },
      ...{ interleave: 0, swizzle: 2, l2: 3, oob: 0 },
    });
    expect([...images.subarray(0, 6)]).toEqual([6, 4, 0, 2, 3, 0]);
    expect([...images.subarray(88, 97)]).toEqual([31, 255, 2, 0, 0, 1, 3, 2, 1]);
    expect([...new Int8Array(images.buffer, images.byteOffset + 100, 6)]).toEqual([-2, -1, 0, 0, 3, -128]);
    expect(() => driver.encodeTensorMap({ ...flat, address: out + 8n })).toThrow("cuTensorMapEncodeTiled");
    expect(driver.encodeTensorMap({ ...flat, address: out })[1]).toBe(1);

    const attributes = [
      { id: 5, value: 2 },
      { id: 6, value: 1 },
    ];
    const prepared = driver.prepareLaunch(
      fn,
      "kernel",
      { grid: [4, 1, 1], block: [32, 1, 1], dynamicSharedBytes: 0, cluster: [2, 1, 1], attributes },
      [
        { kind: "u64", value: out },
        { kind: "bytes", value: Uint8Array.of(7, 0, 0, 0) },
        { kind: "bytes", value: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8) },
        { kind: "bytes", value: map },
      ],
      stream,
    );
    driver.launch(prepared);
    driver.synchronize(stream);
    const bytes = new Uint8Array(128);
    driver.copyToHost(bytes, out);
    const words = new Uint32Array(bytes.buffer);
    expect([...words.subarray(7, 12)]).toEqual([2, 1, 1, 7, 0]);
    expect([...bytes.subarray(48, 56)]).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect([...bytes.subarray(56, 62)]).toEqual([9, 3, 0, 3, 2, 1]);
    expect([...words.subarray(16, 18)]).toEqual([2, 1]);
    driver.free(out);
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
