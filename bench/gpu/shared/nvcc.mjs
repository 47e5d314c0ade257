/** A program's text as code of a GPU, and the GPU that runs it, with no farm around them. */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { toDigest, toProgramDigest } from "../../../common/dist/index.js";
import { CudaDevice } from "../../../runner/dist/device/cuda/cuda-device.js";
import { openCudaDriver } from "../../../runner/dist/device/cuda/driver.js";

const execute = promisify(execFile);
const digest = `sha256:${"0".repeat(64)}`;

/**
 * By nvcc, in `folder` under `name`: what a device loads, and all that the compiler said.
 * @param {import("@warpfarm/compiler").DeviceText} made
 * @param {{ target: string, folder: string, name: string }} as
 */
export async function cubinOf({ text, kernels, buffers, maps }, { target, folder, name }) {
  const [source, code] = [join(folder, `${name}.cu`), join(folder, `${name}.cubin`)];
  writeFileSync(source, text);
  const { stdout, stderr } = await execute("nvcc", ["-cubin", `-arch=${target.slice(5)}`, "-Xptxas=-v", "-o", code, source]);
  const manifest = {
    version: maps ? 3 : 1,
    program: toProgramDigest(digest),
    target,
    format: "cubin",
    code: toDigest(digest),
    kernels,
    buffers,
    ...(maps ? { maps } : {}),
    resources: { registers: 0, spill_bytes: 0, static_shared_bytes: 0 },
    toolchain: "nvcc",
    notes: [],
  };
  return { manifest, code, words: `${stdout}${stderr}` };
}

export function openDevice() {
  const opened = openCudaDriver();
  if (!opened.ok) throw new Error(`${opened.error.message}; --dry needs none`);
  return new CudaDevice(opened.value, 0);
}
