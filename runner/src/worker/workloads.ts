/**
 * What a child keeps between candidates of one workload: filled inputs, output buffers and the reference output; of a judged one
 * several sets of inputs with the outputs of the reference for each. A workload is named by its reference artifact, or without a
 * reference by the form of its buffers, and by what its inputs hold. Inputs and reference are sealed, so a candidate cannot
 * change them. The least recently used workloads are dropped when all together exceed the limit.
 */
import { createHash } from "node:crypto";
import { canonicalJson, type InputKind, invariant, type ManifestBuffer, type NotJudged } from "@warpfarm/common";
import { type Buffers, type DeviceApi, type DeviceBuffer, DeviceError } from "../device/device-api.ts";
import type { Expectation } from "../measure/batches.ts";
import { Draws } from "../measure/draws.ts";
import type { InputSet } from "../measure/judged.ts";
import { trivialAnswer } from "../measure/trivial-task.ts";
import { toleranceAfter } from "./expectation.ts";
import { fillAll, fillerOf } from "./fill.ts";
import type { LocalArtifact } from "./messages.ts";
import { ReferenceRun } from "./reference-run.ts";

/** The first set is its own `buffers`, `expected` and `refill`. All sets have the same outputs. */
export interface Workload extends InputSet {
  readonly sets: readonly InputSet[];
  readonly bytes: number;
  /** Why it cannot be judged, although it was to be. */
  readonly notJudged?: NotJudged;
  /** Milliseconds of the reference kernel. */
  readonly referenceMs: number;
}

/** How a workload's inputs are made. */
export interface Making {
  readonly inputs: InputKind;
  /** The secret from which the sets of a judged workload follow. */
  readonly secret?: string;
  /** Tensors that are the same in all sets. */
  readonly shared?: readonly string[];
}

/** Sets of a judged workload, and how many it has where memory does not allow them. */
export const residentSets = [3, 2] as const;

const isTensor = ({ role }: ManifestBuffer): boolean => role !== "workspace";

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
    making: Making,
    enter: (phase: "fill" | "reference") => Promise<void>,
  ): Promise<Workload> {
    const { buffers } = (reference ?? artifact).manifest;
    const computation =
      reference?.digest ??
      createHash("sha256")
        .update(canonicalJson(buffers.filter(isTensor)))
        .digest("hex");
    const name = canonicalJson([making.inputs, computation, ...judgedBy(making)]);
    let workload = this.#kept.get(name);
    this.#kept.delete(name);
    if (workload === undefined) {
      await enter("fill");
      workload = await this.#made(artifact, reference, making, enter);
    }
    this.#kept.set(name, workload);
    this.#evict(name);
    return workload;
  }

  async #made(
    artifact: LocalArtifact,
    reference: LocalArtifact | undefined,
    making: Making,
    enter: (phase: "reference") => Promise<void>,
  ): Promise<Workload> {
    const isInOut = (reference ?? artifact).manifest.buffers.some(({ role }) => role === "inout");
    const isJudged = making.secret !== undefined && reference !== undefined && !isInOut;
    let full: DeviceError | undefined;
    for (const count of isJudged ? residentSets : [1])
      try {
        const made = await this.#alone(() => this.#make(artifact, reference, making, count, enter));
        return isInOut && making.secret !== undefined ? { ...made, notJudged: "in-out" } : made;
      } catch (error) {
        if (!isOutOfMemory(error)) throw error;
        full = error;
      }
    throw isJudged && full !== undefined ? new DeviceError("judged.memory", judgedMemory(full)) : full;
  }

  /** Memory that is kept for others causes no refusal. */
  async #alone(make: () => Promise<Workload>): Promise<Workload> {
    try {
      return await make();
    } catch (error) {
      if (!isOutOfMemory(error) || this.#kept.size === 0) throw error;
      this.#evict();
      return make();
    }
  }

  async #make(
    artifact: LocalArtifact,
    reference: LocalArtifact | undefined,
    { inputs, secret, shared = [] }: Making,
    count: number,
    enter: (phase: "reference") => Promise<void>,
  ): Promise<Workload> {
    const device = this.#device;
    const source = reference ?? artifact;
    const tensors = source.manifest.buffers.filter(isTensor);
    const draws = secret === undefined || count === 1 ? undefined : new Draws(secret);
    const mine: DeviceBuffer[] = [];
    const fill = fillerOf(source, ["in", "inout"], inputs);
    const again = fillerOf(source, ["inout"], inputs);
    try {
      const first = new Map<string, DeviceBuffer>();
      const sets = Array.from({ length: count }, (_, number) => {
        const seed = draws?.seed(`set ${number}`);
        const isOwn = ({ name, role }: ManifestBuffer) => number === 0 || (role !== "out" && !shared.includes(name));
        const buffers = number === 0 ? first : new Map(first);
        const own = new Map<string, DeviceBuffer>();
        for (const spec of tensors.filter(isOwn)) {
          const buffer = device.allocate(spec);
          mine.push(buffer);
          buffers.set(spec.name, buffer);
          own.set(spec.name, buffer);
        }
        fillAll(device, source, own, fill, seed);
        return { buffers, refill: (): void => fillAll(device, source, buffers, again, seed) };
      });
      const bytes = tensors.reduce((sum, spec) => sum + spec.bytes, 0) * count;
      if (reference === undefined) return { ...(sets[0] as InputSet), sets, bytes, referenceMs: 0 };
      await enter("reference");
      using run = new ReferenceRun(device, reference);
      const judged = sets.map((set) => ({ ...set, expected: this.#expected(run, set.buffers, tensors, mine) }));
      const [one, two] = judged;
      invariant(one !== undefined, "a workload has a set of inputs");
      const trivial = two && trivialAnswer(device, one.buffers, one.expected);
      if (trivial !== undefined) throw new DeviceError("task.trivial", trivial);
      const alike = two !== undefined && areAlike(device, one.expected, two.expected);
      const { referenceMs } = run;
      return { ...one, sets: judged, bytes: 2 * bytes, referenceMs, ...(alike ? { notJudged: "outputs alike" } : {}) };
    } catch (error) {
      for (const buffer of mine) device.free(buffer);
      throw error;
    }
  }

  /** Runs the reference on these tensors, and keeps its outputs. */
  #expected(run: ReferenceRun, buffers: Buffers, tensors: readonly ManifestBuffer[], mine: DeviceBuffer[]): Expectation {
    const device = this.#device;
    const tolerance = toleranceAfter(device, run, buffers);
    const copies = new Map<string, DeviceBuffer>();
    for (const spec of tensors) {
      if (spec.role === "in") continue;
      const copy = device.allocate(spec);
      mine.push(copy);
      device.snapshot(buffers.get(spec.name) as DeviceBuffer, copy);
      copies.set(spec.name, copy);
    }
    return { reference: copies, ...tolerance };
  }

  #evict(keep?: string): void {
    let total = 0;
    for (const { bytes } of this.#kept.values()) total += bytes;
    for (const [name, workload] of this.#kept) {
      if (keep !== undefined && (total <= this.#keepBytes || name === keep)) continue;
      this.#kept.delete(name);
      total -= workload.bytes;
      const all = workload.sets.flatMap(({ buffers, expected }) => [
        ...buffers.values(),
        ...(expected?.reference.values() ?? []),
      ]);
      for (const buffer of new Set(all)) this.#device.free(buffer);
    }
  }
}

const judgedBy = ({ secret, shared = [] }: Making): readonly string[] => (secret === undefined ? [] : [secret, ...shared]);

const isOutOfMemory = (error: unknown): error is DeviceError => error instanceof DeviceError && error.rule === "out_of_memory";

const judgedMemory = ({ message }: DeviceError): string =>
  `a judged measurement keeps at least ${residentSets.at(-1)} sets of inputs on the device, and they do not fit (${message}); measure it without judged, or smaller tensors`;

/** Whether right outputs for other inputs would pass here. */
const areAlike = (device: DeviceApi, one: Expectation, other: Expectation): boolean =>
  [...one.reference].every(([name, reference]) => {
    const theirs = other.reference.get(name);
    return theirs !== undefined && device.compare(theirs, reference, one.toleranceOf(name)) === undefined;
  });
