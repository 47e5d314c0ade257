/** Candidates on a scripted GPU (scripted-cuda.testing.ts), measured as in the child that owns a device. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ArtifactManifest,
  defaultMeasureOptions,
  defined,
  type ManifestBuffer,
  type ManifestKernel,
  type MeasureOptions,
  systemClock,
  toArtifactDigest,
  toDigest,
  toProgramDigest,
} from "@warpfarm/common";
import { afterAll } from "vitest";
import { tensor } from "../../../../test-support/kernels.ts";
import type { MeasureHooks } from "../../measure/measure.ts";
import { Windows } from "../../measure/windows.ts";
import { carryOut } from "../../worker/measure-job.ts";
import type { ChildAnswer, ChildRequest, LocalArtifact } from "../../worker/messages.ts";
import { Workloads } from "../../worker/workloads.ts";
import { CudaDevice } from "./cuda-device.ts";
import { ownCode } from "./index.ts";
import type { Nvml } from "./nvml.ts";
import { type KernelScript, ScriptedCuda } from "./scripted-cuda.testing.ts";

export const count = 100;
export const buffers = [tensor("x", "in", "float32", [count]), tensor("y", "out", "float32", [count])];

export const floats = (bytes: Uint8Array): Float32Array => new Float32Array(bytes.buffer, bytes.byteOffset, count);
/** y = 2 x, whatever zones surround the buffers. */
export const doubling = (memory: (param: number) => Uint8Array): void => {
  const x = floats(memory(0));
  floats(memory(1)).set(x.map((value) => 2 * value));
};
export const right = (ms: number): KernelScript => ({ ms: () => ms, compute: doubling });

/** Once per test file. */
export function useCudaFarm() {
  const scratch = mkdtempSync(join(tmpdir(), "warpfarm-cuda-device-"));
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));
  let files = 0;

  function artifact(name: string, over: Partial<ManifestKernel> = {}, specs: readonly ManifestBuffer[] = buffers): LocalArtifact {
    const codePath = join(scratch, `${files++}.cubin`);
    writeFileSync(codePath, JSON.stringify({ kernels: [name] }));
    const hex = files.toString(16).padStart(64, "0");
    const kernel: ManifestKernel = {
      name,
      grid: [1, 1, 1],
      block: [count, 1, 1],
      dynamic_shared_bytes: 0,
      cluster: [1, 1, 1],
      args: specs.map((spec) => spec.name),
      ...over,
    };
    const manifest: ArtifactManifest = {
      version: 1,
      program: toProgramDigest(`sha256:${hex}`),
      target: "cuda/sm_90",
      format: "cubin",
      code: toDigest(`sha256:${hex}`),
      kernels: [kernel],
      buffers: specs,
      resources: { registers: 0, spill_bytes: 0, static_shared_bytes: 0 },
      toolchain: "scripted",
      notes: [],
    };
    return { digest: toArtifactDigest(`sha256:${hex}`), manifest, codePath };
  }

  const reference = artifact("reference");

  /** With `yields` the device yields to others, and this is its clock. */
  function farm(
    scripts: Record<string, KernelScript>,
    nvml?: Nvml,
    others?: () => string | undefined,
    yields?: Pick<MeasureHooks, "pause" | "monotonic">,
  ) {
    const driver = new ScriptedCuda();
    for (const [name, script] of Object.entries({ reference: right(0.3), ...scripts })) driver.kernels.set(name, script);
    const device = new CudaDevice(driver, 0, nvml, others);
    const workloads = new Workloads(device, 1 << 28);
    const windows = yields && new Windows(device, yields);
    const ask = (request: ChildRequest): Promise<ChildAnswer> =>
      carryOut(request, {
        device,
        description: { facts: { key: "cuda/sm_90", name: "", uuid: "", driver: "" }, memoryBytes: 0, limits: { warp_size: 32 } },
        rates: () => device.rates(),
        workloads,
        // What is judged compares the two clocks. Others may wait for the time to pass.
        clock: yields ?? ("judged" in request ? { monotonic: () => driver.nowMs } : systemClock),
        own: ownCode,
        enter: async () => {},
        hold: () => ({ [Symbol.dispose]() {} }),
        ...defined({ windows }),
      });
    const ofThese = (subject: LocalArtifact, compared: LocalArtifact, over: Partial<MeasureOptions>) => ({
      ...({ kind: "measure", artifact: subject, reference: compared } as const),
      options: { ...defaultMeasureOptions("cuda", over.power ?? "as_asked"), ...over },
    });
    const measure = (subject: LocalArtifact, over: Partial<MeasureOptions> = {}, compared = reference) =>
      ask(ofThese(subject, compared, over));
    const pair = (subject: LocalArtifact, other: LocalArtifact, over: Partial<MeasureOptions> = {}) =>
      ask({ ...ofThese(subject, reference, over), paired: { others: [other], options: { rounds: 4, idleMs: 0 } } });
    const judge = (subject: LocalArtifact, seed: number, over: Partial<MeasureOptions> = {}, compared = reference) =>
      ask({
        ...ofThese(subject, compared, { judged: true, ...over }),
        judged: { secret: "5e".repeat(32), leaseSecret: seed.toString(16).padStart(64, "0"), auditBelowMs: 0 },
      });
    const own = (timed: boolean) => ask({ kind: "own", timed });
    return { driver, device, measure, pair, judge, own, describe: () => ask({ kind: "describe" }) };
  }

  return { artifact, farm };
}
