import { describe, expect, it, test } from "vitest";
import { hasPeaks, leastLaunchSeconds, leastOfOthers, leastSeconds, type Work } from "./plausible-time.ts";

const h100 = "NVIDIA H100 80GB HBM3";
const operations = (bits: number, count: number): Work => ({ bytes: 0, operations: [{ bits, count }] });
const tera = 1e12;

describe("the least believable time", () => {
  it("is a nanosecond where the program or the model is not known", () => {
    expect(leastSeconds(undefined, h100)).toBe(1e-9);
    for (const name of ["AMD EPYC 9654", "", "NVIDIA H20", "NVIDIA A100X", "NVIDIA L40", "NVIDIA A10G"])
      expect([name, leastSeconds(operations(16, 1e15), name), hasPeaks(name)]).toEqual([name, leastLaunchSeconds, false]);
  });

  it("is half of what the operations take at the peak of their width", () => {
    // 989 TFLOPS of 16 bits, 495 of 32 and 67 of 64 in NVIDIA's data sheet.
    expect(leastSeconds(operations(16, 989 * tera), h100)).toBeCloseTo(0.5, 2);
    expect(leastSeconds(operations(8, 2 * 989 * tera), h100)).toBeCloseTo(0.5, 2);
    expect(leastSeconds(operations(4, 4 * 989 * tera), h100)).toBeCloseTo(0.5, 2);
    expect(leastSeconds(operations(1, 16 * 989 * tera), h100)).toBeCloseTo(0.5, 2);
    expect(leastSeconds(operations(32, 495 * tera), h100)).toBeCloseTo(0.5, 2);
    expect(leastSeconds(operations(64, 67 * tera), h100)).toBeCloseTo(0.5, 2);
  });

  it("is half of what the bytes take through the L2 cache, when that is longer", () => {
    // 120 MiB: twice what the cache holds, and no byte more.
    const bytes = 2 * 60 * 2 ** 20;
    const through = bytes / (5120 * 1.98e9) / 2;
    expect(leastSeconds({ bytes, operations: [] }, h100)).toBeCloseTo(through, 12);
    const work = (seconds: number): Work => ({ bytes, operations: [{ bits: 16, count: seconds * 990 * tera }] });
    expect(leastSeconds(work(4 * through), h100)).toBeCloseTo(2 * through, 12);
    expect(leastSeconds(work(through), h100)).toBeCloseTo(through, 12);
  });

  it("is half of what the bytes take from memory beyond twice what the L2 cache holds", () => {
    // NVIDIA states 4.9 TB/s for GH200's memory and 2.04 for A100's, whose cache has 40 MB.
    const seconds = (gigabytes: number, name: string) => leastSeconds({ bytes: gigabytes * 1e9, operations: [] }, name);
    expect(seconds(49, h100)).toBeCloseTo(0.005 - (120 * 2 ** 20) / 4.9e12 / 2, 9);
    expect(seconds(20.4, "NVIDIA A100-SXM4-80GB")).toBeCloseTo(0.005 - (80 * 2 ** 20) / 2.04e12 / 2, 9);
  });

  it("takes operations of several widths for done at once", () => {
    const two = [
      { bits: 16, count: 990 * tera },
      { bits: 32, count: 495 * tera },
    ];
    expect(leastSeconds({ bytes: 0, operations: two }, h100)).toBeCloseTo(0.5, 6);
  });
});

describe("rates that a runner measured", () => {
  // As an H200 might: 132 multiprocessors, 1.98 GHz, 50 MiB of cache, 4.8 TB/s by clock and width.
  const limits = {
    multiprocessor_count: 132,
    clock_rate: 1_980_000,
    compute_capability_major: 9,
    l2_cache_size: 50 * 2 ** 20,
    memory_clock_rate: 3_200_000,
    global_memory_bus_width: 6144,
    measured_l2_bytes_per_second: 5.6e12,
    measured_memory_bytes_per_second: 4.2e12,
  };
  const unknown = "NVIDIA X9000";
  const bytes = (count: number): Work => ({ bytes: count, operations: [] });

  it("bound the times of a model that is not listed", () => {
    expect([hasPeaks(unknown), hasPeaks(unknown, limits)]).toEqual([false, true]);
    expect(leastSeconds(bytes(56e6), unknown, limits)).toBeCloseTo(56e6 / 5.6e12 / 2, 12);
    expect(leastSeconds(bytes(84e9), unknown, limits)).toBeCloseTo((84e9 - 100 * 2 ** 20) / 4.2e12 / 2, 12);
    // The data sheet of the H200 says 990 TFLOPS of 16 bits; 4,096 operations a clock of 132 multiprocessors are 1,070.
    const second = leastSeconds(operations(16, 990 * tera), unknown, limits);
    expect([second, leastSeconds(operations(64, 990 * tera), unknown, limits)]).toEqual([second, second]);
    expect(second).toBeCloseTo(0.5 * (990 / 1070.5), 3);
    expect(leastSeconds(operations(8, 990 * tera), unknown, limits)).toBeCloseTo(second / 2, 9);
  });
  it("make the bound of a listed model tighter, and never wider", () => {
    expect(leastSeconds(bytes(56e6), "NVIDIA H200", limits)).toBeCloseTo(56e6 / 5.6e12 / 2, 12);
    expect(leastSeconds(bytes(56e6), "NVIDIA H200")).toBeLessThan(56e6 / 5.6e12 / 2);
    const boasted = { ...limits, measured_l2_bytes_per_second: 1e15, measured_memory_bytes_per_second: 1e15 };
    for (const work of [bytes(56e6), bytes(84e9), operations(16, tera)])
      expect(leastSeconds(work, "NVIDIA H200", boasted)).toBe(leastSeconds(work, "NVIDIA H200"));
  });
  it("in a low power state bound no time that the memory's clock and width allow", () => {
    const idle = { ...limits, measured_l2_bytes_per_second: 1e9, measured_memory_bytes_per_second: 1e9 };
    const possible = (3.2e9 * 2 * 6144) / 8;
    expect(leastSeconds(bytes(84e9), unknown, idle)).toBeLessThanOrEqual(84e9 / possible);
  });
  it.each(
    Object.keys(limits).filter((name) => /measured|count|clock_rate$/.test(name) && !name.startsWith("memory")),
  )("bound nothing without %s", (name) => {
    expect(leastSeconds(bytes(84e9), unknown, { ...limits, [name]: 0 })).toBe(leastLaunchSeconds);
  });
  it("of runs on tensors of their own bound those bytes that the cache holds once for all runs", () => {
    const megabytes = 100 * 2 ** 20;
    const at = (runs: number) => leastSeconds(bytes(megabytes), unknown, { ...limits, measured_l2_bytes_per_second: 1e15 }, runs);
    // Twice the cache holds all of one run, and a 32nd of each of 32.
    expect(at(32)).toBeCloseTo((megabytes * 31) / 32 / 4.2e12 / 2, 12);
    expect(at(1)).toBeLessThan(at(2));
    expect(at(2)).toBeLessThan(at(32));
  });
});

test("other code needs as many bytes, and a fourth of the operations at the rate of 8 bits", () => {
  const work: Work = { bytes: 7, operations: [16, 64].map((bits) => ({ bits, count: 6 })) };
  expect(leastOfOthers(work)).toEqual({ bytes: 7, operations: [{ bits: 8, count: 3 }] });
  expect(leastOfOthers({ bytes: 7, operations: [] })).toEqual({ bytes: 7, operations: [] });
});

/** As drivers name them, with the TFLOPS of 16 bits that the data sheets state. */
test.each([
  ["NVIDIA H100 80GB HBM3", 989],
  ["NVIDIA H100 PCIe", 756],
  ["NVIDIA H100 NVL", 835],
  ["NVIDIA H200", 989],
  ["NVIDIA GH200 480GB", 989],
  ["NVIDIA B200", 2250],
  ["NVIDIA A100-SXM4-40GB", 312],
  ["NVIDIA A100 80GB PCIe", 312],
  ["NVIDIA L40S", 362],
  ["NVIDIA L4", 121],
  ["NVIDIA A10", 125],
  ["Tesla V100-SXM2-16GB", 125],
  ["Tesla T4", 65],
  ["NVIDIA GeForce RTX 4090", 330],
  ["NVIDIA GeForce RTX 3090", 142],
])("%s may be twice as fast as its maker says, and no more than half as fast again", (name, stated) => {
  const second = leastSeconds(operations(16, stated * tera), name);
  expect(second).toBeGreaterThan(0.32);
  expect(second).toBeLessThanOrEqual(0.51);
});
