/** The processor as a device: which kernels run how often on which tensors, and what nobody may write. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { KernelFolder, tensor } from "../../../../test-support/kernels.ts";
import { needs } from "../../../../test-support/needs.ts";
import type { DeviceBuffer } from "../device-api.ts";
import { CpuDevice } from "./cpu-device.ts";
import type { CpuBuffer } from "./shared-object.ts";

const y = tensor("y", "inout", "int32", [1]);
const whole = (device: CpuDevice, buffer: DeviceBuffer) => new Int32Array(device.read(buffer).buffer)[0];

/** Of two kernels: one adds 1 to y, the next doubles it. */
function loaded(kernels: KernelFolder, device: CpuDevice) {
  const more = `__attribute__((visibility("default"))) void twice(void *const *args) { *(int *)args[0] *= 2; }`;
  const { manifest, codePath } = kernels.build([y], "*(int *)a0 += 1;", { before: more });
  const [one] = manifest.kernels;
  return device.load({ ...manifest, kernels: [one, { ...one, name: "twice" }] as (typeof manifest)["kernels"] }, codePath);
}

test("each run is all kernels in order, in a batch and in a rotation, which begins with the set that is asked for", (ctx) => {
  needs(ctx, "cc");
  using kernels = new KernelFolder();
  const device = new CpuDevice();
  const module = loaded(kernels, device);
  const [a, b, c] = [0, 1, 2].map(() => device.allocate(y)) as [DeviceBuffer, DeviceBuffer, DeviceBuffer];
  const of = (buffer: DeviceBuffer) => new Map([["y", buffer]]);
  const after = (runs: number) => Array.from({ length: runs }).reduce<number>((value) => 2 * (value + 1), 0);
  expect(device.run(module, of(a), 3)).toBeGreaterThanOrEqual(0);
  expect(whole(device, a)).toBe(after(3));
  device.write(a, new Uint8Array(4));
  using rotation = device.rotation(module, { sets: [of(a), of(b), of(c)], first: 4, count: 5 });
  rotation.run();
  expect([a, b, c].map((buffer) => whole(device, buffer))).toEqual([after(1), after(2), after(2)]);
  for (const buffer of [a, b, c]) device.free(buffer);
});

test("inputs and copies cannot be written by a kernel; outputs and a copy that is made again can", (ctx) => {
  if (process.platform !== "linux") ctx.skip("the pages of a process are read in /proc");
  const device = new CpuDevice();
  const accessOf = (buffer: DeviceBuffer): string | undefined => {
    const { address } = (buffer as CpuBuffer).memory;
    for (const line of readFileSync("/proc/self/maps", "utf8").split("\n")) {
      const [, from, to, access] = /^([\da-f]+)-([\da-f]+) (\S+)/.exec(line) ?? [];
      if (from && to && BigInt(`0x${from}`) <= address && address < BigInt(`0x${to}`)) return access?.slice(0, 2);
    }
    return undefined;
  };
  const [input, output, copy] = (["in", "out", "out"] as const).map((role) => device.allocate({ ...y, role })) as [
    DeviceBuffer,
    DeviceBuffer,
    DeviceBuffer,
  ];
  for (const buffer of [input, output]) device.write(buffer, new Uint8Array([7, 0, 0, 0]));
  device.snapshot(output, copy);
  expect([input, output, copy].map(accessOf)).toEqual(["r-", "rw", "r-"]);
  device.write(output, new Uint8Array([9, 0, 0, 0]));
  expect(whole(device, copy)).toBe(7);
  device.snapshot(output, copy);
  expect([whole(device, copy), accessOf(copy)]).toEqual([9, "r-"]);
  for (const buffer of [input, output, copy]) device.free(buffer);
});
