/** Rooflines against figures worked out by hand from the data sheets. */
import { createTask } from "@warpfarm/templates";
import { expect, it } from "vitest";
import { workOf } from "../page/kernel/work.ts";
import { rateWords, roofCurve, rooflineWords, roofOf } from "../page/model/roofline.ts";

const hbm3 = "NVIDIA H100 80GB HBM3";

it("the work of a product is two operations a multiplication, and its three matrices once", () => {
  const task = createTask("matmul_mma", [256, 256, 256, "float16", "NN"], "cuda/sm_90");
  const text = new TextDecoder().decode(task.reference.bytes);
  const [out] = JSON.parse(text).graph.ops.slice(-1);
  const outBytes = out.dtype === "float16" ? 2 : 4;
  expect(workOf(text)).toEqual({ flops: 2 * 256 ** 3, bytes: 256 ** 2 * (2 + 2 + outBytes), dtype: "float16" });
});

it("the work of a convolution is its products, however its borders are tested", () => {
  for (const padding of ["skip", "pad"]) {
    const task = createTask("conv2d_hwcn_direct", [4, 14, 14, 16, 8, 3, 3, 1, 1, padding], "cuda/sm_90");
    const text = new TextDecoder().decode(task.reference.bytes);
    expect([padding, workOf(text)?.flops]).toEqual([padding, 2 * 4 * 14 * 14 * 8 * 16 * 9]);
  }
});

it.each([
  // 2 x 4096^3 operations of 3 x 4096^2 x 2 bytes: 1365 a byte, far above 989.4 / 3.35 = 295.
  [hbm3, 2 * 4096 ** 3, 3 * 4096 ** 2 * 2, "float16", 200e-6, 989.4e12, 0.6945, "arithmetic"],
  // One operation of 12 bytes: 3.35 TB/s allow 0.279 TFLOP/s.
  [hbm3, 1e9, 12e9, "float32", 10e-3, 3.35e12 / 12, 0.3582, "memory"],
  ["NVIDIA H200", 1e9, 12e9, "float32", 10e-3, 0.4e12, 0.25, "memory"],
  ["NVIDIA A100-SXM4-80GB", 1e12, 1e9, "int8", 1 / 312, 624e12, 0.5, "arithmetic"],
  ["NVIDIA A100-SXM4-40GB", 1e9, 1e9, "float16", 1 / 1555, 1.555e12, 1, "memory"],
] as const)("%s, %d operations, %d bytes of %s", (name, flops, bytes, dtype, seconds, roof, share, bound) => {
  const found = roofOf(name, { flops, bytes, dtype }, seconds);
  expect(found?.bound).toBe(bound);
  expect((found?.roof ?? 0) / roof).toBeCloseTo(1, 6);
  expect(found?.share).toBeCloseTo(share, 3);
});

/**
 * Of NVIDIA's data sheets: memory in GB/s, then teraflops of float64, float32, float16 by tensor cores without sparsity, and tera
 * operations of int8.
 */
it.each([
  ["NVIDIA H200", 4_800, 33.5, 66.9, 989.4, 1_978.9],
  ["NVIDIA H100 80GB HBM3", 3_350, 33.5, 66.9, 989.4, 1_978.9],
  ["NVIDIA H100 PCIe", 2_000, 25.6, 51.2, 756, 1_513],
  ["NVIDIA H100 NVL", 3_900, 30, 60, 835, 1_671],
  ["NVIDIA A100-SXM4-80GB", 2_039, 9.7, 19.5, 312, 624],
  ["NVIDIA A100 80GB PCIe", 1_935, 9.7, 19.5, 312, 624],
  ["NVIDIA A100-SXM4-40GB", 1_555, 9.7, 19.5, 312, 624],
  ["NVIDIA A100-PCIE-40GB", 1_555, 9.7, 19.5, 312, 624],
  ["NVIDIA A10", 600, 0.49, 31.2, 125, 250],
  ["NVIDIA L40S", 864, 1.4, 91.6, 362, 733],
  ["NVIDIA L4", 300, 0.47, 30.3, 121, 242],
  ["Tesla T4", 320, 0.25, 8.1, 65, 130],
])("the peaks of %s are its data sheet's", (name, memory, float64, float32, half, int8) => {
  const roof = (flops: number, bytes: number, dtype: string) => (roofOf(name, { flops, bytes, dtype }, 1)?.roof ?? 0) / 1e12;
  expect(roof(1, 1e6, "float32") * 1e9).toBeCloseTo(memory, 6);
  const peaks = { float64, float32, float16: half, bfloat16: half, int8, uint8: int8 };
  for (const [dtype, most] of Object.entries(peaks)) expect(roof(1e6, 1, dtype)).toBeCloseTo(most, 6);
});

it("says what is not known, and never divides by nothing", () => {
  const work = { flops: 2e9, bytes: 1e9, dtype: "float32" };
  expect(roofOf("A processor", work, 1)).toBeUndefined();
  expect(roofOf(hbm3, { ...work, dtype: "int4" }, 1)).toBeUndefined();
  expect(roofOf(hbm3, { ...work, bytes: 0 }, 1)).toBeUndefined();
  expect(rooflineWords("A processor", work, 1)).toBe(
    "2.00 GFLOP/s at 2.00 operations a byte; what A processor allows is not known here",
  );
  expect(rooflineWords(hbm3, work, 1e-3)).toBe(
    "2.00 TFLOP/s at 2.00 operations a byte: 30 % of the 6.70 TFLOP/s that the device's data sheet allows at that intensity, by its memory",
  );
  expect([2e6, 3.456e9, 1e12].map(rateWords)).toEqual(["2.00 MFLOP/s", "3.46 GFLOP/s", "1.00 TFLOP/s"]);
  expect(workOf("{}")).toBeUndefined();
});

it("the drawn roof rises by the memory's speed up to its corner, is flat behind it, and has the work on it", () => {
  // 3.35 TB/s and 989.4 Tflop/s meet at 295.3 operations a byte.
  for (const intensity of [2, 295, 4_000]) {
    const work = { flops: intensity * 1e9, bytes: 1e9, dtype: "float16" };
    const { intensities = new Float64Array(), roof = [], own = -1 } = roofCurve(hbm3, work) ?? {};
    expect(intensities[own]).toBe(intensity);
    expect(roof[own]).toBe(roofOf(hbm3, work, 1)?.roof);
    expect([...intensities]).toEqual([...intensities].sort((a, b) => a - b));
    for (const [i, at] of intensities.entries())
      expect((roof[i] ?? 0) / (at < 295.34 ? at * 3.35e12 : 989.4e12)).toBeCloseTo(1, 3);
  }
  expect(roofCurve("A processor", { flops: 1, bytes: 1, dtype: "float32" })).toBeUndefined();
  expect(roofCurve(hbm3, { flops: 1, bytes: 1, dtype: "bool" })).toBeUndefined();
});
