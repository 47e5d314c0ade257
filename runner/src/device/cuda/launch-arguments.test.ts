/** Arguments of kernels other than buffers, and launch attributes, as they reach the driver. */
import type { TensorMap } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { right, useCudaFarm } from "./cuda-farm.testing.ts";

const { artifact, farm } = useCudaFarm();

describe("a kernel", () => {
  it("is given tensor maps over its buffers, values and launch attributes", async () => {
    const { driver, measure } = farm({ mapped: right(1) });
    const map: TensorMap = {
      buffer: "x",
      type: "float32",
      dims: [4, 25],
      strides_bytes: [96],
      box: [2, 4],
      element_strides: [2, 1],
      swizzle: 32,
      interleave: 0,
      l2: 256,
      oob: "nan",
    };
    const subject = artifact("mapped", {
      cluster: [2, 1, 1],
      args: [{ map: 0 }, "y", { scalar: "float16", value: "-1.5" }, { scalar: "int64", value: "-2" }],
      attributes: [
        { kind: "shared_carveout", percent: 75 },
        { kind: "cluster_scheduling", policy: "load_balancing" },
        { kind: "dependent" },
        { kind: "cooperative" },
      ],
    });
    const answer = await measure({ ...subject, manifest: { ...subject.manifest, version: 1, maps: [map] } });
    // The kernel reads x through the map.
    expect(answer).toMatchObject({ kind: "timed", checked: true });
    expect(driver.encoded).toEqual([
      {
        address: expect.any(BigInt),
        type: 7,
        dims: [25, 4],
        strides: [96],
        box: [4, 2],
        elementStrides: [1, 2],
        interleave: 0,
        swizzle: 1,
        l2: 3,
        oob: 1,
      },
    ]);
    const launch = driver.prepared.find(({ name }) => name === "mapped");
    expect(launch?.shape).toMatchObject({
      cluster: [2, 1, 1],
      attributes: [
        { id: 5, value: 2 },
        { id: 6, value: 1 },
        { id: 2, value: 1 },
      ],
    });
    expect(launch?.params.map((param) => (param.kind === "bytes" ? [...param.value] : param.kind))).toEqual([
      [...new Uint8Array(128)],
      "u64",
      [0, 0xbe],
      [0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
    ]);
    expect(driver.attributesSet).toContain("mapped preferred_shared_memory_carveout 75");
  });

  it("is given maps of images, columns first as the driver counts", async () => {
    const { driver, measure } = farm({ mapped: right(1) });
    const map: TensorMap = {
      ...{ buffer: "x", type: "float32", dims: [1, 5, 2, 8], strides_bytes: [320, 64, 32], box: [6, 4] },
      ...{ element_strides: [1, 2, 1, 1], im2col: { lower: [-1, 0], upper: [-2, 1] } },
      ...{ swizzle: 0, interleave: 0, l2: 0, oob: "zeros" },
    };
    const subject = artifact("mapped", { args: [{ map: 0 }, "y"] });
    const answer = await measure({ ...subject, manifest: { ...subject.manifest, version: 1, maps: [map] } });
    expect(answer).toMatchObject({ kind: "timed" });
    expect(driver.encoded).toMatchObject([
      {
        ...{ dims: [8, 2, 5, 1], strides: [32, 64, 320], box: [4, 6], elementStrides: [1, 1, 2, 1] },
        im2col: { lower: [0, -1], upper: [1, -2] },
      },
    ]);
  });

  it("of which the driver refuses a tensor map is told the driver's word", async () => {
    const { measure } = farm({ mapped: right(1) });
    const subject = artifact("mapped", { args: [{ map: 0 }, "y"] });
    const wrong = {
      buffer: "x",
      type: "float32",
      dims: [4, 25],
      strides_bytes: [100],
      box: [2, 4],
      element_strides: [1, 1],
    } as const;
    const maps = [{ ...wrong, swizzle: 0, interleave: 0, l2: 0, oob: "zeros" } as const];
    const answer = await measure({ ...subject, manifest: { ...subject.manifest, version: 1, maps } });
    expect(answer).toMatchObject({ kind: "failed", errorNo: 4, message: expect.stringContaining("cuTensorMapEncodeTiled") });
  });
});
