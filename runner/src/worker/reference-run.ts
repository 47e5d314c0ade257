/** Runs a reference's kernels on tensors, once for each set, from poisoned outputs and with workspaces of its own. */
import type { ArtifactManifest } from "@warpfarm/common";
import type { Buffers, DeviceApi, DeviceBuffer, DeviceModule } from "../device/device-api.ts";
import { type FillBuffer, fillAll, fillerOf } from "./fill.ts";
import type { LocalArtifact } from "./messages.ts";

export class ReferenceRun implements Disposable {
  readonly manifest: ArtifactManifest;
  readonly #device: DeviceApi;
  readonly #fill: FillBuffer;
  readonly #module: DeviceModule;
  readonly #workspaces = new Map<string, DeviceBuffer>();
  #lastMs = 0;

  /** Throws DeviceError. */
  constructor(device: DeviceApi, artifact: LocalArtifact) {
    const { manifest, codePath } = artifact;
    this.manifest = manifest;
    this.#device = device;
    // Workspaces that blobs fill, until kernels write there.
    this.#fill = fillerOf(artifact, ["workspace"]);
    this.#module = device.load(manifest, codePath);
    try {
      for (const spec of manifest.buffers) if (spec.role === "workspace") this.#workspaces.set(spec.name, device.allocate(spec));
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }

  /** Milliseconds of the last run. */
  get referenceMs(): number {
    return this.#lastMs;
  }

  /** `see` gets outputs and workspaces, which hold what the kernels wrote. Throws DeviceError. */
  on(tensors: Buffers, see: (buffer: DeviceBuffer) => void = () => {}): void {
    const device = this.#device;
    const all = new Map([...tensors, ...this.#workspaces]);
    const written = [...all.values()].filter(({ spec }) => spec.role === "out" || spec.role === "workspace");
    for (const buffer of written) device.poison(buffer);
    fillAll(device, this, all, this.#fill);
    this.#lastMs = device.run(this.#module, all, 1, device.timers[0] ?? "wall");
    for (const buffer of written) see(buffer);
  }

  [Symbol.dispose](): void {
    this.#module[Symbol.dispose]();
    for (const workspace of this.#workspaces.values()) this.#device.free(workspace);
  }
}
