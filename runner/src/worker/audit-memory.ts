/** Memory of an audit: sets of inputs and outputs, and the expected values while the reference runs. */
import { auditSets, type InputKind, type ManifestBuffer } from "@warpfarm/common";
import { type Buffers, type DeviceApi, type DeviceBuffer, DeviceError } from "../device/device-api.ts";
import type { AuditSets } from "../measure/audit.ts";
import type { Expectation } from "../measure/batches.ts";
import { toleranceAfter } from "./expectation.ts";
import { type FillBuffer, fillAll, fillerOf } from "./fill.ts";
import type { LocalArtifact } from "./messages.ts";
import { ReferenceRun } from "./reference-run.ts";

export interface AuditSource {
  readonly reference: LocalArtifact;
  readonly inputs: InputKind;
  /** The candidate's buffers. Its outputs may have other forms than the reference's. */
  readonly candidate: Buffers;
  /** Tensors that are the same in all sets. */
  readonly shared: readonly string[];
}

/** Bytes of the tensors of one set. */
export const bytesOfSet = ({ reference }: Pick<AuditSource, "reference">): number =>
  reference.manifest.buffers.reduce((sum, { role, bytes }) => (role === "workspace" ? sum : sum + bytes), 0);

export class AuditMemory implements AuditSets, Disposable {
  readonly sets: readonly Buffers[];
  readonly #device: DeviceApi;
  readonly #source: AuditSource;
  readonly #fill: FillBuffer;
  readonly #mine: DeviceBuffer[] = [];

  /** At most this many sets, and as many as there is memory for. Throws DeviceError `judged.memory` when three do not fit. */
  constructor(device: DeviceApi, source: AuditSource, most: number) {
    this.#device = device;
    this.#source = source;
    this.#fill = fillerOf(source.reference, ["in"], source.inputs);
    this.sets = this.#allocated(most);
  }

  renew(set: number, seed: number): void {
    const { reference, shared } = this.#source;
    const device = this.#device;
    const buffers = this.sets[set] as Buffers;
    // What all sets share is written once.
    const own = new Map([...buffers].filter(([name]) => set === 0 || !shared.includes(name)));
    fillAll(device, reference, own, this.#fill, seed);
    for (const buffer of own.values()) if (buffer.spec.role === "out") device.poison(buffer);
  }

  withReference<T>(work: (expectedOf: (set: number) => Expectation) => T): T {
    const device = this.#device;
    const { reference } = this.#source;
    const outputs = new Map<string, DeviceBuffer>();
    try {
      for (const spec of reference.manifest.buffers) if (spec.role === "out") outputs.set(spec.name, device.allocate(spec));
      using run = new ReferenceRun(device, reference);
      return work((set) => {
        const inputs = [...(this.sets[set] as Buffers)].filter(([, { spec }]) => spec.role === "in");
        return { reference: outputs, ...toleranceAfter(device, run, new Map([...inputs, ...outputs])) };
      });
    } finally {
      for (const output of outputs.values()) device.free(output);
    }
  }

  [Symbol.dispose](): void {
    for (const buffer of this.#mine.splice(0)) this.#device.free(buffer);
  }

  #allocated(most: number): readonly Buffers[] {
    for (let count = most; ; count = Math.max(auditSets.least, Math.floor(count / 2)))
      try {
        const sets: Buffers[] = [];
        while (sets.length < count) sets.push(this.#set(sets[0]));
        return sets;
      } catch (error) {
        this[Symbol.dispose]();
        if (!(error instanceof DeviceError) || error.rule !== "out_of_memory") throw error;
        if (count === auditSets.least)
          throw new DeviceError("judged.memory", `an audit needs ${count} sets of inputs and outputs: ${error.message}`);
      }
  }

  #set(first: Buffers | undefined): Buffers {
    const { candidate, shared } = this.#source;
    const isOwn = ({ role, name }: ManifestBuffer) => role !== "workspace" && !(first && shared.includes(name));
    return new Map(
      [...candidate].map(([name, buffer]) => {
        if (!isOwn(buffer.spec)) return [name, first?.get(name) ?? buffer];
        const own = this.#device.allocate(buffer.spec);
        this.#mine.push(own);
        return [name, own];
      }),
    );
  }
}
