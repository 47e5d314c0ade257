/** Cooperative launches on a real GPU, by both timers. Skipped without one. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ArtifactManifest, toDigest, toProgramDigest } from "@warpfarm/common";
import { afterAll, expect, it } from "vitest";
import { tensor } from "../../../../test-support/kernels.ts";
import { needs } from "../../../../test-support/needs.ts";
import { CudaDevice } from "./cuda-device.ts";
import { openCudaDriver } from "./driver.ts";

const scratch = mkdtempSync(join(tmpdir(), "warpfarm-cooperative-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const blocks = 64;
/** Block b says whether it was given memory for a barrier of the grid. */
const ptx = `.version 8.0
.target sm_75
.address_size 64
.visible .entry barrier(.param .u64 out)
{
  .reg .pred %p<2>;
  .reg .b32 %r<6>;
  .reg .b64 %d<4>;
  mov.u32 %r1, %envreg1; mov.u32 %r2, %envreg2; or.b32 %r3, %r1, %r2;
  setp.ne.u32 %p1, %r3, 0;
  selp.u32 %r4, 1, 0, %p1;
  mov.u32 %r5, %ctaid.x;
  ld.param.u64 %d1, [out]; cvta.to.global.u64 %d1, %d1;
  mul.wide.u32 %d2, %r5, 4; add.s64 %d3, %d1, %d2;
  st.global.u32 [%d3], %r4;
  ret;
}
`;

it("gpu: a cooperative launch has a barrier of its grid, and a grid that does not fit at once is refused", (ctx) => {
  needs(ctx, "gpu");
  const opened = openCudaDriver();
  if (!opened.ok) throw new Error(opened.error.message);
  const device = new CudaDevice(opened.value, 0);
  const codePath = join(scratch, "barrier.ptx");
  writeFileSync(codePath, ptx);
  const most = 1 << 20;
  const y = device.allocate(tensor("y", "out", "int32", [most]));
  const digest = `sha256:${"0".repeat(64)}`;
  const ran = (isCooperative: boolean, timer: "events" | "cuda_graph", grid = blocks): number[] => {
    const manifest: ArtifactManifest = {
      version: 1,
      program: toProgramDigest(digest),
      target: "cuda/sm_75",
      format: "ptx",
      code: toDigest(digest),
      kernels: [
        {
          name: "barrier",
          grid: [grid, 1, 1],
          block: [32, 1, 1],
          dynamic_shared_bytes: 0,
          cluster: [1, 1, 1],
          args: ["y"],
          ...(isCooperative ? { attributes: [{ kind: "cooperative" }] } : {}),
        },
      ],
      buffers: [y.spec],
      resources: { registers: 0, spill_bytes: 0, static_shared_bytes: 0 },
      toolchain: "by hand",
      notes: [],
    };
    using module = device.load(manifest, codePath);
    device.poison(y);
    device.run(module, new Map([["y", y]]), 3, timer);
    return [...new Int32Array(device.read(y).buffer).slice(0, grid)];
  };
  for (const timer of ["events", "cuda_graph"] as const) {
    expect(ran(true, timer)).toEqual(Array(blocks).fill(1));
    expect(() => ran(true, timer, most)).toThrow(/COOPERATIVE_LAUNCH_TOO_LARGE/);
    // Another launch of the same grid runs: its blocks need not be there at once. Driver 580 gives it a barrier's memory too.
    expect(ran(false, timer, most)).toHaveLength(most);
  }
  // The context survives it.
  expect(ran(true, "events")).toEqual(Array(blocks).fill(1));
  device.free(y);
});
