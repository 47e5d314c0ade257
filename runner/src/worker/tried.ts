/** What a candidate that was audited must bear besides: inputs of other structure, and runs beside other work. */
import { readFileSync } from "node:fs";
import { defined, type MeasureOptions } from "@warpfarm/common";
import { mayAddFloats } from "../device/cuda/float-atomics.ts";
import { type DeviceApi, type DeviceBuffer, DeviceError } from "../device/device-api.ts";
import type { Candidate, Failure } from "../measure/batches.ts";
import type { MeasureHooks } from "../measure/measure.ts";
import { checkRaces } from "../measure/races.ts";
import { checkStructure, type StructureCheck } from "../measure/structure-check.ts";
import { fillerOf } from "./fill.ts";
import type { LocalArtifact } from "./messages.ts";
import { ReferenceRun } from "./reference-run.ts";

interface Tried {
  readonly candidate: Candidate;
  readonly artifact: LocalArtifact;
  readonly reference: LocalArtifact;
  /** Of the inputs of other structure: nobody knows it before. */
  readonly seed: number;
}

interface Borne {
  readonly kind: "borne";
  /** Runs beside other work whose outputs had other bits than the first one's. */
  readonly unlike: number;
}

/**
 * What the candidate bore, or why it is wrong. Inputs of other structure need buffers of their own: where memory does
 * not allow them, they are left out. Throws DeviceError.
 */
export async function tried(
  its: Tried,
  options: Pick<MeasureOptions, "runTimeoutMs" | "inputs">,
  device: DeviceApi,
  hooks: MeasureHooks,
): Promise<Borne | Failure> {
  const { candidate, artifact } = its;
  const { runTimeoutMs } = options;
  const structure = await structureOf(its, options, device, hooks).catch((error: unknown) => {
    if (error instanceof DeviceError && error.rule === "out_of_memory") return undefined;
    throw error;
  });
  if (structure?.kind === "failed") return structure;
  const mayAdd = mayAddFloats(artifact.manifest, () => readFileSync(artifact.codePath));
  const races = await checkRaces(device, candidate, { runTimeoutMs, mayAddFloats: mayAdd }, hooks);
  return races.kind === "failed" ? races : { kind: "borne", unlike: races.unlike };
}

async function structureOf(
  { candidate, reference, seed }: Tried,
  { runTimeoutMs, inputs }: Pick<MeasureOptions, "runTimeoutMs" | "inputs">,
  device: DeviceApi,
  hooks: MeasureHooks,
): ReturnType<typeof checkStructure> {
  const { buffers, stages } = reference.manifest;
  const tensors = buffers.filter(({ role }) => role !== "workspace");
  const isShared = (name: string, { spec }: DeviceBuffer) =>
    spec.sum_over === undefined && tensors.some((tensor) => tensor.name === name);
  const own = new Map([...candidate.buffers].filter(([name, buffer]) => !isShared(name, buffer)));
  const fill = fillerOf(reference, ["in"], inputs);
  using run = new ReferenceRun(device, reference);
  const check: StructureCheck = {
    tensors,
    ...defined({ stages }),
    inputs,
    seed,
    fill: (buffer, number) => fill(device, buffer, number, seed),
    reference: (all, see) => run.on(all, see),
    candidate: { own, run: (all) => void device.run(candidate.module, all, 1, device.timers[0] ?? "wall") },
  };
  return await checkStructure(device, check, runTimeoutMs, hooks);
}
