/**
 * The same device on a real GPU: helper kernels against the CPU's definitions, launches, faults that do no harm. Skipped without
 * a GPU.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ArtifactManifest,
  type DType,
  dtypeBytes,
  dtypes,
  inputKinds,
  isFloat,
  type ManifestBuffer,
  toDigest,
  toProgramDigest,
} from "@warpfarm/common";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tensor } from "../../../../test-support/kernels.ts";
import { has, needs } from "../../../../test-support/needs.ts";
import { worstMismatch } from "../../measure/check.ts";
import { fillBytes } from "../../measure/inputs.ts";
import type { DeviceBuffer } from "../device-api.ts";
import { CudaDevice } from "./cuda-device.ts";
import { type CudaDriver, openCudaDriver } from "./driver.ts";

const scratch = mkdtempSync(join(tmpdir(), "warpfarm-gpu-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

let driver: CudaDriver;
let device: CudaDevice;
beforeAll(() => {
  if (!has("gpu")) return;
  const opened = openCudaDriver();
  if (!opened.ok) throw new Error(opened.error.message);
  driver = opened.value;
  device = new CudaDevice(driver, 0);
});

/** The address is private to the device, but tests may read it. */
const addressOf = (buffer: DeviceBuffer): bigint => (buffer as DeviceBuffer & { readonly address: bigint }).address;
const read = (buffer: DeviceBuffer): Uint8Array => {
  const bytes = new Uint8Array(new ArrayBuffer(buffer.spec.bytes));
  driver.copyToHost(bytes, addressOf(buffer));
  return bytes;
};
const write = (buffer: DeviceBuffer, bytes: Uint8Array): void => driver.copyToDevice(addressOf(buffer), bytes);
const allocate = (dtype: DType, count: number, role: ManifestBuffer["role"] = "out"): DeviceBuffer =>
  device.allocate(tensor("t", role, dtype, [count]));

describe("gpu: the rates", () => {
  it("are at most the maker's, and no less than half of what memory's clock and width allow", (ctx) => {
    needs(ctx, "gpu");
    const { memory_clock_rate: kHz, global_memory_bus_width: bits } = device.info.attributes;
    const { measured_l2_bytes_per_second: l2 = 0, measured_memory_bytes_per_second: memory = 0 } = device.rates();
    const possible = (kHz * 1e3 * 2 * bits) / 8;
    expect(memory).toBeGreaterThan(possible / 2);
    // A part of what is read again was still in the cache.
    expect(memory).toBeLessThan(1.3 * possible);
    expect(l2).toBeGreaterThan(memory);
  });
});

describe("gpu: helper kernels", () => {
  const count = 1_000_003;

  it.for(dtypes)("fill of %s has the bits of the CPU's", (dtype, ctx) => {
    needs(ctx, "gpu");
    const buffer = allocate(dtype, count);
    for (const inputs of inputKinds) {
      device.fill(buffer, 2 ** 40 + 12_345, 3, inputs);
      const expected = new Uint8Array(new ArrayBuffer(Math.ceil(dtypeBytes(dtype, count) / 8) * 8));
      fillBytes(buffer.spec, expected, 2 ** 40 + 12_345, 3, inputs);
      expect(Buffer.compare(read(buffer), expected.subarray(0, buffer.spec.bytes))).toBe(0);
    }
    device.free(buffer);
  });

  it.for(dtypes)("comparison of %s gives the CPU's verdict", (dtype, ctx) => {
    needs(ctx, "gpu");
    const [got, reference] = [allocate(dtype, count), allocate(dtype, count)];
    for (const buffer of [got, reference]) device.fill(buffer, 1, 0, "exact");
    const tolerance = isFloat(dtype) ? { atol: 1e-2, rtol: 1e-2 } : { atol: 0, rtol: 0 };
    expect(device.compare(got, reference, tolerance)).toBeUndefined();
    const bytes = read(got);
    const original = bytes.slice();
    for (const place of [3, 777, bytes.length >> 1, bytes.length - 9]) bytes[place] = (bytes[place] ?? 0) ^ 0x5a;
    write(got, bytes);
    expect(device.compare(got, reference, tolerance)).toEqual(worstMismatch(got.spec, bytes, original, tolerance));
    for (const buffer of [got, reference]) device.free(buffer);
  });

  it("equal fills have equal bits, and poison is unlike its model in every element", (ctx) => {
    needs(ctx, "gpu");
    const [a, b] = [allocate("int8", count), allocate("int8", count)];
    for (const buffer of [a, b]) device.fill(buffer, 9, 1, "exact");
    expect(Buffer.compare(device.read(a), device.read(b))).toBe(0);
    device.poison(b, a);
    expect(device.compare(b, a, { atol: 0, rtol: 0 })).toMatchObject({ count });
    for (const buffer of [a, b]) device.free(buffer);
  });
});

/** y[i] = x[i] + x[i]. When `stray` is not 0, also one store `stray` elements from y[0]. */
const ptx = (stray: number): string => `.version 7.0
.target sm_75
.address_size 64
.visible .entry kernel(.param .u64 x, .param .u64 y)
{
  .reg .b32 %r<6>; .reg .b64 %d<8>; .reg .f32 %f<3>; .reg .pred %p;
  ld.param.u64 %d1, [x]; ld.param.u64 %d2, [y];
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  mul.wide.s32 %d3, %r4, 4;
  add.s64 %d4, %d1, %d3; add.s64 %d5, %d2, %d3;
  ld.global.f32 %f1, [%d4]; add.f32 %f2, %f1, %f1; st.global.f32 [%d5], %f2;
  setp.ne.s32 %p, %r4, 0;
  @%p ret;
  ${stray === 0 ? "" : `st.global.f32 [%d2 + ${4 * stray}], %f2;`}
  ret;
}
`;

describe("gpu: launches", () => {
  const count = 25_600;
  const buffers = [tensor("x", "in", "float32", [count]), tensor("y", "out", "float32", [count])];
  const load = (stray: number) => {
    const codePath = join(scratch, `${stray}.ptx`);
    writeFileSync(codePath, ptx(stray));
    const digest = `sha256:${"0".repeat(64)}`;
    const manifest: ArtifactManifest = {
      version: 1,
      program: toProgramDigest(digest),
      target: "cuda/sm_75",
      format: "ptx",
      code: toDigest(digest),
      kernels: [
        {
          name: "kernel",
          grid: [count / 256, 1, 1],
          block: [256, 1, 1],
          dynamic_shared_bytes: 0,
          cluster: [1, 1, 1],
          args: ["x", "y"],
        },
      ],
      buffers,
      resources: { registers: 0, spill_bytes: 0, static_shared_bytes: 0 },
      toolchain: "by hand",
      notes: [],
    };
    return device.load(manifest, codePath);
  };

  it("a kernel computes, by graph and by plain launches, and takes time", (ctx) => {
    needs(ctx, "gpu");
    const tensors = new Map(buffers.map((spec) => [spec.name, device.allocate(spec)]));
    const [x, y] = [...tensors.values()];
    if (x === undefined || y === undefined) throw new Error("no buffers");
    device.fill(x, 5, 0, "exact");
    using module = load(0);
    for (const timer of ["cuda_graph", "events"] as const) {
      device.poison(y);
      for (const number of [1, 7, 2_500]) expect(device.run(module, tensors, number, timer)).toBeGreaterThan(0);
      const [input, output] = [new Float32Array(read(x).buffer), new Float32Array(read(y).buffer)];
      expect(output).toEqual(input.map((value) => 2 * value));
    }
    device.flushCaches();
    expect(device.damaged(tensors.values())).toEqual([]);
    for (const buffer of tensors.values()) device.free(buffer);
  });

  it.for([
    ["behind its output", count, "y"],
    ["before its output", -3, "y"],
  ] as const)("a store %s is seen", ([, stray, name], ctx) => {
    needs(ctx, "gpu");
    const tensors = new Map(buffers.map((spec) => [spec.name, device.allocate(spec)]));
    const x = tensors.get("x");
    if (x !== undefined) device.fill(x, 5, 0, "exact");
    using module = load(stray);
    device.run(module, tensors, 1, "cuda_graph");
    expect(device.damaged(tensors.values())).toEqual([name]);
    for (const buffer of tensors.values()) device.free(buffer);
  });

  it("code that is none is refused by the driver's own code, and the device goes on", (ctx) => {
    needs(ctx, "gpu");
    const codePath = join(scratch, "garbage.cubin");
    writeFileSync(codePath, "not a cubin");
    using good = load(0);
    expect(() => device.load({ ...good.manifest, format: "cubin" }, codePath)).toThrowError(
      expect.objectContaining({ rule: expect.stringMatching(/^CUDA_ERROR_/), sticky: false }),
    );
  });
});
