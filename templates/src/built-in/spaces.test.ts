/**
 * The spaces of the templates, on which records, logs and transfer rely: an index means the same config for ever. A template may
 * be added; present lines may not change.
 */
import { digestOf } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { usualTarget } from "../fitting-target.ts";
import { createTask } from "../task.ts";
import { templates } from "./index.ts";

/** Size, published index, and a digest of the knobs' names and entries in order, for the default arguments. */
const spaces: Readonly<Record<string, readonly [size: number, published: number | undefined, knobs: string]>> = {
  "tutorial/conv2d_no_batching": [10454400, 4881186, "81171d50b12d5880"],
  conv2d_nchw_cpu: [504, undefined, "5c7789f591a07b12"],
  conv2d_hwcn: [324, 266, "84980d4bfee373c6"],
  conv2d_nhwcnc_wmma: [5184, 4037, "629214f7e1ed4454"],
  conv2d_nhwc_wmma: [2592, 2417, "e36d35af5b7a6002"],
  conv2d_nhwc_mma: [1620, 940, "5ff4820da7e7cc24"],
  "tutorial/auto_tensorcore/test_gemm": [288, 127, "7b7a63fd9a1e2545"],
  conv2d_hwcn_cpu: [546, undefined, "5b8056fa1d334185"],
  conv2d_nhwc_cpu: [546, undefined, "baa305cf748882eb"],
  matmul_cpu: [70, undefined, "5cd76e1c99324c74"],
  matmul_tma_mma: [5400, 1924, "1d8387cbee45cf9a"],
  matmul_tma: [1197504, 487653, "002dbf708cf004c6"],
  linear_tma: [1197504, 487653, "002dbf708cf004c6"],
  matmul_latency: [720, 74, "35ee51a9eeddd6c2"],
  matmul_mma: [16200, 12280, "f8b8895ae88c8801"],
  matmul_mma_2: [16200, 12280, "f8b8895ae88c8801"],
  conv2d_splitk: [72, 43, "db9ac407c7bb40ce"],
  matmul_simt: [93312, 26617, "c27d71d8e25ef51e"],
  conv2d_hwcn_direct: [11664, 2389, "a9702c33ecad6986"],
  conv2d_nchw_gemm: [209952, 201987, "1e8711cf043a94c5"],
  conv2d_splitk_2: [864, 43, "9bfc92318ebb3ce8"],
  matmul_simt_2: [373248, 41530, "4ed9673a7b7249c8"],
  matmul_latency_2: [1440, 74, "a792a994c594b3b2"],
  matmul_direct: [60, undefined, "3d1b1d3cb18d15bd"],
  conv2d_direct: [60, undefined, "3d1b1d3cb18d15bd"],
  depthwise_direct: [60, undefined, "3d1b1d3cb18d15bd"],
  elementwise_direct: [60, undefined, "3d1b1d3cb18d15bd"],
};

describe("spaces never change", () => {
  it.each(templates.map(({ name, targets }) => [name, targets] as const))("%s", (name, needs) => {
    const usual = needs[0]?.kind === "cuda" ? "cuda/sm_90" : "cpu/x86-64-v3";
    const task = createTask(name, undefined, usualTarget(needs, usual));
    const knobs = task.space.knobs.map((knob) => [
      knob.name,
      Array.from({ length: knob.size }, (_, digit) => knob.decode(digit)),
    ]);
    const digest = digestOf(Buffer.from(JSON.stringify(knobs))).slice("sha256:".length, "sha256:".length + 16);
    expect([task.space.size, task.published, digest]).toEqual(spaces[name]);
  });
});
