/** A run's kernels with the addresses of its buffers: what the driver launches. */
import type { ArtifactManifest } from "@warpfarm/common";
import { elementBytes } from "../../measure/inputs.ts";
import { type DeviceBuffer, DeviceError } from "../device-api.ts";
import type { CudaDriver } from "./driver.ts";
import type { CudaFunction, CudaModule, DevicePointer, KernelParam, PreparedLaunch, Stream } from "./driver-types.ts";
import { launchNumber } from "./launch-number.ts";
import { recipeOf } from "./tensor-map.ts";

interface AddressedBuffer extends DeviceBuffer {
  readonly address: DevicePointer;
}
export type AddressedBuffers = ReadonlyMap<string, AddressedBuffer>;

export interface LoadedModule {
  readonly manifest: ArtifactManifest;
  readonly handle: CudaModule;
  readonly functions: readonly CudaFunction[];
}

/** Throws DeviceError `manifest` for a name that is not there. */
export function addressIn(buffers: AddressedBuffers, name: string): DevicePointer {
  const buffer = buffers.get(name);
  if (buffer === undefined)
    throw new DeviceError("manifest", `a kernel takes "${name}", which is not among the manifest's buffers`);
  return buffer.address;
}

/** Copies what fills the module's constant memory. Throws DeviceError, CudaError. */
export function fillConstants(
  driver: CudaDriver,
  stream: Stream,
  { manifest, handle }: LoadedModule,
  buffers: AddressedBuffers,
): void {
  for (const { symbol, buffer } of manifest.constants ?? []) {
    const source = buffers.get(buffer);
    const to = driver.getGlobal(handle, symbol);
    if (source === undefined || source.spec.bytes > to.bytes)
      throw new DeviceError("manifest", `constant memory ${symbol} has ${to.bytes} bytes; ${buffer} does not fit it`);
    driver.copyOnDevice(to.address, source.address, source.spec.bytes, stream);
  }
}

/** Throws DeviceError, CudaError. */
export function preparedRun(
  driver: CudaDriver,
  stream: Stream,
  { manifest, functions }: LoadedModule,
  buffers: AddressedBuffers,
): readonly PreparedLaunch[] {
  const { kernels, maps = [] } = manifest;
  const encoded = maps.map((map) => driver.encodeTensorMap(recipeOf(map, addressIn(buffers, map.buffer))));
  return kernels.map(({ name, grid, block, cluster, dynamic_shared_bytes, args, attributes = [] }, i) => {
    const shape = {
      grid,
      block,
      cluster,
      dynamicSharedBytes: dynamic_shared_bytes,
      attributes: attributes.flatMap(launchNumber),
    };
    const params = args.map((arg): KernelParam => {
      if (typeof arg === "string") return { kind: "u64", value: addressIn(buffers, arg) };
      if ("bytes" in arg) return { kind: "bytes", value: Uint8Array.from(Buffer.from(arg.bytes, "hex")) };
      if ("scalar" in arg) return { kind: "bytes", value: elementBytes(arg.scalar, Number(arg.value)) };
      const map = encoded[arg.map];
      if (map === undefined) throw new DeviceError("manifest", `kernel ${name} takes map ${arg.map} of ${maps.length}`);
      return { kind: "bytes", value: map };
    });
    return driver.prepareLaunch(functions[i] ?? 0n, name, shape, params, stream);
  });
}
