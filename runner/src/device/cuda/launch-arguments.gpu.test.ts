/**
 * Tensor maps, values and clusters on a real GPU of 9.0 or later: boxes copied by the hardware, zeros outside. Skipped without
 * one.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ArtifactManifest, toDigest, toProgramDigest } from "@warpfarm/common";
import { afterAll, expect, it } from "vitest";
import { tensor } from "../../../../test-support/kernels.ts";
import { needs } from "../../../../test-support/needs.ts";
import { CudaDevice } from "./cuda-device.ts";
import { openCudaDriver } from "./driver.ts";

const scratch = mkdtempSync(join(tmpdir(), "warpfarm-maps-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const rows = 40;
const columns = 30;
const box = [16, 32] as const;
const blocks = 4;

/** Block b copies the box from row 16 b into shared memory, and stores it multiplied by `scale`. */
const ptx = `.version 8.0
.target sm_90
.address_size 64
.visible .entry boxes(.param .align 64 .b8 map[128], .param .u64 out, .param .f32 scale)
{
  .reg .pred %p<3>;
  .reg .b32 %r<12>;
  .reg .b64 %d<8>;
  .reg .f32 %f<4>;
  .shared .align 128 .b8 tile[2048];
  .shared .align 8 .b8 full[8];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, tile; mov.u32 %r4, full; mov.u32 %r6, 0;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra READY;
  mbarrier.init.shared::cta.b64 [%r4], 1;
  fence.mbarrier_init.release.cluster;
READY:
  bar.sync 0;
  @%p1 bra WAIT;
  mbarrier.arrive.expect_tx.shared::cta.b64 %d1, [%r4], 2048;
  shl.b32 %r5, %r2, 4;
  mov.b64 %d2, map; cvta.param.u64 %d3, %d2;
  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r3], [%d3, {%r6, %r5}], [%r4];
WAIT:
  mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r4], 0;
  @!%p2 bra WAIT;
  ld.param.u64 %d4, [out]; ld.param.f32 %f1, [scale];
  cvta.to.global.u64 %d4, %d4;
  mov.u32 %r7, %r1;
NEXT:
  shl.b32 %r8, %r7, 2; add.u32 %r9, %r3, %r8;
  ld.shared.f32 %f2, [%r9]; mul.f32 %f3, %f2, %f1;
  shl.b32 %r10, %r2, 9; add.u32 %r10, %r10, %r7;
  mul.wide.u32 %d5, %r10, 4; add.s64 %d6, %d4, %d5;
  st.global.f32 [%d6], %f3;
  add.u32 %r7, %r7, 128;
  setp.lt.u32 %p2, %r7, 512;
  @%p2 bra NEXT;
  ret;
}
`;

it("gpu: a kernel in clusters copies boxes through a tensor map, zeros outside, times a value", (ctx) => {
  needs(ctx, "gpu");
  const opened = openCudaDriver();
  if (!opened.ok) throw new Error(opened.error.message);
  const driver = opened.value;
  if (driver.device(0).attributes.compute_capability_major < 9) ctx.skip("tensor maps are of 9.0 and later");
  const device = new CudaDevice(driver, 0);
  const buffers = [tensor("x", "in", "float32", [rows, 32]), tensor("y", "out", "float32", [blocks * box[0], 32])];
  const digest = `sha256:${"0".repeat(64)}`;
  const manifest: ArtifactManifest = {
    version: 3,
    program: toProgramDigest(digest),
    target: "cuda/sm_90",
    format: "ptx",
    code: toDigest(digest),
    kernels: [
      {
        name: "boxes",
        grid: [blocks, 1, 1],
        block: [128, 1, 1],
        dynamic_shared_bytes: 0,
        cluster: [2, 1, 1],
        args: [{ map: 0 }, "y", { scalar: "float32", value: "-0.5" }],
        attributes: [{ kind: "cluster_scheduling", policy: "spread" }],
      },
    ],
    buffers,
    maps: [
      {
        buffer: "x",
        type: "float32",
        dims: [rows, columns],
        strides_bytes: [128],
        box,
        element_strides: [1, 1],
        swizzle: 0,
        interleave: 0,
        l2: 128,
        oob: "zeros",
      },
    ],
    resources: { registers: 0, spill_bytes: 0, static_shared_bytes: 0 },
    toolchain: "by hand",
    notes: [],
  };
  const codePath = join(scratch, "boxes.ptx");
  writeFileSync(codePath, ptx);
  const tensors = new Map(buffers.map((spec) => [spec.name, device.allocate(spec)]));
  const [x, y] = [...tensors.values()];
  if (x === undefined || y === undefined) throw new Error("no buffers");
  device.fill(x, 5, 0, "exact");
  using module = device.load(manifest, codePath);
  for (const timer of ["events", "cuda_graph"] as const) {
    device.poison(y);
    device.run(module, tensors, 3, timer);
    const [given, got] = [x, y].map((buffer) => new Float32Array(device.read(buffer).buffer));
    const expected = Float32Array.from({ length: blocks * 512 }, (_, i) => {
      const isInside = Math.floor(i / 32) < rows && i % 32 < columns;
      return isInside ? -0.5 * (given?.[i] ?? 0) : -0;
    });
    expect(got).toEqual(expected);
  }
  expect(device.damaged(tensors.values())).toEqual([]);
  for (const buffer of tensors.values()) device.free(buffer);
});
