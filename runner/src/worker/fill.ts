/** Fills tensors: from a seed, or from the blobs of an artifact. */
import { readFileSync } from "node:fs";
import { type BufferRole, blobOf, type InputKind, inputSeed } from "@warpfarm/common";
import { type Buffers, type DeviceApi, type DeviceBuffer, DeviceError } from "../device/device-api.ts";
import type { LocalArtifact } from "./messages.ts";

/** `number`: the buffer's among those of the manifest. Absent `seed`: inputSeed. */
export type FillBuffer = (device: DeviceApi, buffer: DeviceBuffer, number: number, seed?: number) => void;

/** Fills from a seed, or from the artifact's blobs, which are read here, once for all fills. Throws DeviceError. */
export function fillerOf(
  { manifest, blobPaths = {} }: LocalArtifact,
  roles: readonly BufferRole[],
  inputs: InputKind = "full",
): FillBuffer {
  const contents = new Map<string, Uint8Array>();
  for (const { name, role, bytes, fill } of manifest.buffers) {
    const digest = roles.includes(role) ? blobOf(fill) : undefined;
    if (digest === undefined) continue;
    const path = blobPaths[digest];
    if (path === undefined) throw new DeviceError("manifest", `the blob ${digest}, which fills "${name}", is not here`);
    const read = readFileSync(path);
    if (read.length !== bytes)
      throw new DeviceError("fill.blob", `"${name}" has ${bytes} bytes; the blob ${digest} that fills it has ${read.length}`);
    contents.set(name, read);
  }
  return (device, buffer, number, seed = inputSeed) => {
    const { name, role } = buffer.spec;
    if (!roles.includes(role)) return;
    const given = contents.get(name);
    if (given) device.write(buffer, given);
    else if (role !== "workspace") device.fill(buffer, seed, number, inputs);
  };
}

export function fillAll(
  device: DeviceApi,
  { manifest }: Pick<LocalArtifact, "manifest">,
  buffers: Buffers,
  fill: FillBuffer,
  seed?: number,
): void {
  for (const [number, { name }] of manifest.buffers.entries()) {
    const buffer = buffers.get(name);
    if (buffer !== undefined) fill(device, buffer, number, seed);
  }
}

/** Fills workspaces from blobs, until kernels write there. */
export function fillWorkspaces(device: DeviceApi, artifact: LocalArtifact, workspaces: Buffers): void {
  fillAll(device, artifact, workspaces, fillerOf(artifact, ["workspace"]));
}
