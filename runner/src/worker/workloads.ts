/**
 * What a child keeps between candidates of one workload: filled inputs, output buffers and the reference output. A workload is
 * named by its reference artifact, or without a reference by the form of its buffers, and by what its inputs hold. Inputs and
 * reference are sealed, so a candidate cannot change them. The least recently used workloads are dropped when all together exceed
 * the limit.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import {
  type BufferRole,
  blobOf,
  canonicalJson,
  defined,
  type InputKind,
  inputSeed,
  type ManifestBuffer,
} from "@warpfarm/common";
import { type Buffers, type DeviceApi, type DeviceBuffer, DeviceError } from "../device/device-api.ts";
import type { Expectation } from "../measure/batches.ts";
import { type Held, notANumber, tolerancesOf } from "../measure/check.ts";
import type { LocalArtifact } from "./messages.ts";

export interface Workload {
  readonly buffers: Buffers;
  readonly refill: () => void;
  readonly expected?: Expectation;
  readonly bytes: number;
}

const isTensor = ({ role }: ManifestBuffer): boolean => role !== "workspace";

type FillBuffer = (device: DeviceApi, buffer: DeviceBuffer, number: number) => void;

/** Fills from a seed, or from the artifact's blobs, which are read here. Throws DeviceError. */
function fillerOf(
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
  return (device, buffer, number) => {
    const { name, role } = buffer.spec;
    if (!roles.includes(role)) return;
    const given = contents.get(name);
    if (given) device.write(buffer, given);
    else if (role !== "workspace") device.fill(buffer, inputSeed, number, inputs);
  };
}

function fillAll(device: DeviceApi, { manifest }: LocalArtifact, buffers: Buffers, fill: FillBuffer): void {
  for (const [number, { name }] of manifest.buffers.entries()) {
    const buffer = buffers.get(name);
    if (buffer !== undefined) fill(device, buffer, number);
  }
}

/** Fills workspaces from blobs, until kernels write there. */
export function fillWorkspaces(device: DeviceApi, artifact: LocalArtifact, workspaces: Buffers): void {
  fillAll(device, artifact, workspaces, fillerOf(artifact, ["workspace"]));
}

function look(device: DeviceApi, buffer: DeviceBuffer, held: Map<string, Held>): void {
  held.set(buffer.spec.name, device.contents(buffer));
}

export class Workloads {
  readonly #device: DeviceApi;
  readonly #keepBytes: number;
  readonly #kept = new Map<string, Workload>();

  constructor(device: DeviceApi, keepBytes: number) {
    this.#device = device;
    this.#keepBytes = keepBytes;
  }

  /**
   * The workload of this artifact, made when it is not kept. `enter` is called before inputs are made and before the reference
   * kernel runs. Throws DeviceError.
   */
  async of(
    artifact: LocalArtifact,
    reference: LocalArtifact | undefined,
    inputs: InputKind,
    enter: (phase: "fill" | "reference") => Promise<void>,
  ): Promise<Workload> {
    const { buffers } = (reference ?? artifact).manifest;
    const computation =
      reference?.digest ??
      createHash("sha256")
        .update(canonicalJson(buffers.filter(isTensor)))
        .digest("hex");
    const name = `${inputs} ${computation}`;
    let workload = this.#kept.get(name);
    this.#kept.delete(name);
    if (workload === undefined) {
      await enter("fill");
      try {
        workload = await this.#make(artifact, reference, inputs, enter);
      } catch (error) {
        if (!(error instanceof DeviceError) || error.rule !== "out_of_memory" || this.#kept.size === 0) throw error;
        // Memory kept for others must not cause a refusal.
        this.#evict();
        workload = await this.#make(artifact, reference, inputs, enter);
      }
    }
    this.#kept.set(name, workload);
    this.#evict(name);
    return workload;
  }

  async #make(
    artifact: LocalArtifact,
    reference: LocalArtifact | undefined,
    inputs: InputKind,
    enter: (phase: "reference") => Promise<void>,
  ): Promise<Workload> {
    const device = this.#device;
    const source = reference ?? artifact;
    const tensors = source.manifest.buffers.filter(isTensor);
    const buffers = new Map<string, DeviceBuffer>();
    const copies = new Map<string, DeviceBuffer>();
    try {
      for (const spec of tensors) buffers.set(spec.name, device.allocate(spec));
      fillAll(device, source, buffers, fillerOf(source, ["in", "inout"], inputs));
      const again = fillerOf(source, ["inout"], inputs);
      const refill = (): void => fillAll(device, source, buffers, again);
      const bytes = tensors.reduce((sum, spec) => sum + spec.bytes, 0);
      if (reference === undefined) return { buffers, refill, bytes };
      await enter("reference");
      const { stages } = reference.manifest;
      const held = new Map<string, Held>();
      // Before the kernel runs, because it may write what it reads.
      for (const buffer of buffers.values()) if (buffer.spec.role !== "out") look(device, buffer, held);
      runOnce(device, reference, buffers, (stage) => look(device, stage, held));
      for (const spec of tensors) if (spec.role !== "in") copies.set(spec.name, this.#copyOf(buffers, spec));
      const tolerances = tolerancesOf(tensors, stages, held);
      const why = notANumber(tensors, stages, held);
      return {
        buffers,
        refill,
        bytes: 2 * bytes,
        expected: {
          reference: copies,
          toleranceOf: (output) => tolerances.get(output) ?? { rtol: 0, atol: 0 },
          ...defined({ notANumber: why }),
        },
      };
    } catch (error) {
      for (const buffer of [...buffers.values(), ...copies.values()]) device.free(buffer);
      throw error;
    }
  }

  #copyOf(buffers: Buffers, spec: ManifestBuffer): DeviceBuffer {
    const copy = this.#device.allocate(spec);
    const original = buffers.get(spec.name);
    if (original !== undefined) this.#device.snapshot(original, copy);
    return copy;
  }

  #evict(keep?: string): void {
    let total = 0;
    for (const { bytes } of this.#kept.values()) total += bytes;
    for (const [name, workload] of this.#kept) {
      if (keep !== undefined && (total <= this.#keepBytes || name === keep)) continue;
      this.#kept.delete(name);
      total -= workload.bytes;
      for (const buffer of [...workload.buffers.values(), ...(workload.expected?.reference.values() ?? [])])
        this.#device.free(buffer);
    }
  }
}

/** Runs an artifact's kernels once on these tensors, with its own workspaces, from poisoned outputs. `see` gets the results. */
function runOnce(device: DeviceApi, artifact: LocalArtifact, tensors: Buffers, see: (buffer: DeviceBuffer) => void): void {
  const { manifest, codePath } = artifact;
  using module = device.load(manifest, codePath);
  const all = new Map(tensors);
  const workspaces = manifest.buffers.filter((spec) => !isTensor(spec)).map((spec) => device.allocate(spec));
  try {
    for (const workspace of workspaces) all.set(workspace.spec.name, workspace);
    for (const buffer of all.values()) if (buffer.spec.role === "out" || buffer.spec.role === "workspace") device.poison(buffer);
    fillWorkspaces(device, artifact, all);
    device.run(module, all, 1, device.timers[0] ?? "wall");
    for (const buffer of all.values()) if (buffer.spec.role === "out" || buffer.spec.role === "workspace") see(buffer);
  } finally {
    for (const workspace of workspaces) device.free(workspace);
  }
}
