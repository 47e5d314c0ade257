/** Operations for any target: lower, check, print. `targets` has the differences between kinds. */

import type { Refusal } from "@warpfarm/common";
import {
  type BufferRole,
  canonicalJson,
  type DType,
  defined,
  dtypeBytes,
  err,
  formatTarget,
  type ManifestArg,
  type ManifestBuffer,
  type ManifestConstant,
  type ManifestKernel,
  type ManifestNote,
  ok,
  own,
  type Result,
  type StageModel,
  type Target,
  type TensorMap,
} from "@warpfarm/common";
import type { Buffer } from "../ir/buffer.ts";
import { argumentsOf } from "../ir/bulk.ts";
import type { Kernel, PrimFunc } from "../ir/prim-func.ts";
import { hostRecipe, mapDocument } from "../ir/tensor-maps.ts";
import type { PassHooks } from "../lower/pass.ts";
import { unroll } from "../lower/passes/unroll.ts";
import { fillOf } from "../te/fill.ts";
import type { Graph } from "../te/graph.ts";
import { verifyDevice } from "../verify/device.ts";
import { verifyHandover } from "../verify/handover.ts";
import { verifyRoundings } from "../verify/tf32.ts";
import type { TargetDef } from "./target-def.ts";
import { targets } from "./targets.ts";

export interface DeviceText {
  readonly language: string;
  readonly text: string;
  readonly kernels: readonly ManifestKernel[];
  readonly buffers: readonly ManifestBuffer[];
  /** Constant memory, filled from buffers; absent = none. */
  readonly constants?: readonly ManifestConstant[];
  /** Maps that arguments of the kernels name by number; absent = none. */
  readonly maps?: readonly TensorMap[];
  readonly notes: readonly ManifestNote[];
  /** For a default schedule: the stages, from which tolerances are computed. */
  readonly stages?: readonly StageModel[];
}

const defOf = ({ kind }: Target): TargetDef => targets.of(kind);

/** From loop nests to kernels. Hooks see every pass. */
export const lowerFunc = (func: PrimFunc<"scheduled">, target: Target, hooks: PassHooks = {}): readonly Kernel[] =>
  rolledKernels(func, target, hooks).map((kernel) => unrolled(kernel, hooks));

/**
 * The same with checks: kernels, or what codegen could not print. The rules examine loops before they are unrolled: copies add no
 * new facts. Tests check the copies too.
 */
export function lowerVerified(
  func: PrimFunc<"scheduled">,
  target: Target,
  hooks: PassHooks = {},
): Result<readonly Kernel[], readonly Refusal[]> {
  const kernels = rolledKernels(func, target, hooks);
  const found = verifyKernels(kernels, target);
  return found.length > 0 ? err(found) : ok(kernels.map((kernel) => unrolled(kernel, hooks)));
}

const rolledKernels = (func: PrimFunc<"scheduled">, target: Target, hooks: PassHooks): readonly Kernel[] =>
  defOf(target).split(defOf(target).pipeline(target).run(func, hooks), target);

function unrolled(kernel: Kernel, hooks: PassHooks): Kernel {
  hooks.before?.(unroll.name);
  const func = unroll.run(kernel.func);
  hooks.after?.(unroll.name, func, func !== kernel.func);
  return func === kernel.func ? kernel : { ...kernel, func };
}

/** Names of the passes in order. */
export const passNames = (target: Target): readonly string[] => [...defOf(target).pipeline(target).passNames, unroll.name];

export function lowerUntil(func: PrimFunc<"scheduled">, target: Target, pass: string, hooks: PassHooks = {}): PrimFunc {
  const pipeline = defOf(target).pipeline(target);
  if (pipeline.passNames.includes(pass)) return pipeline.runUntil(func, pass, hooks);
  return unroll.run({ ...pipeline.run(func, hooks), dialect: "device" });
}

/** What codegen could not print. Empty for kernels that emit accepts. */
export const verifyKernels = (kernels: readonly Kernel[], target: Target): readonly Refusal[] => [
  ...kernels.flatMap((kernel) => verifyDevice(kernel, defOf(target).features(target), defOf(target).rules(kernel, target))),
  ...verifyHandover(kernels),
  ...verifyRoundings(kernels),
];

export interface EmitOptions {
  /** Its inputs and outputs; every other parameter is workspace. */
  readonly graph: Graph;
  readonly remarks?: readonly string[];
}

/** Base addresses of all buffers have at least this alignment, on which vector accesses rely. */
const bufferAlignment = 64;

/** Prints verified kernels. `params` are the function's before lowering, whose shapes are the manifest's. */
export function emit(kernels: readonly Kernel[], params: readonly Buffer[], target: Target, options: EmitOptions): DeviceText {
  const { text, dynamicSharedBytes } = defOf(target).print(kernels, target);
  const names = manifestNames([...params, ...kernels.flatMap((kernel) => kernel.func.params)]);
  const maps: TensorMap[] = [];
  const recipes: string[] = [];
  const args = kernels.map((kernel): ManifestArg[] => {
    const given = argumentsOf(kernel.func);
    return [
      ...given.pointers.map((buffer) => names.get(buffer.name) as string),
      ...given.maps.map((param) => {
        const made = mapDocument(param, names.get(param.buffer.name) as string);
        const known = maps.findIndex((map) => canonicalJson(map) === canonicalJson(made));
        if (known >= 0) return { map: known };
        recipes.push(...hostRecipe(made, `Map ${maps.length}`));
        return { map: maps.push(made) - 1 };
      }),
    ];
  });
  const head = [`${formatTarget(target)}. Written by Warpfarm.`, ...(options.remarks ?? []), ...recipes];
  return {
    language: defOf(target).language.name,
    text: `${head.map(comment).join("\n")}\n${text}\n`,
    kernels: kernels.map((kernel, i) => ({
      name: kernel.func.name,
      grid: kernel.grid,
      block: kernel.block,
      dynamic_shared_bytes: dynamicSharedBytes[i] ?? 0,
      cluster: [kernel.cluster ?? 1, 1, 1],
      args: args[i] as ManifestArg[],
      ...(kernel.dependent ? { attributes: [{ kind: "dependent" }] } : {}),
    })),
    buffers: manifestBuffers(kernels, params, options.graph, names),
    ...(maps.length > 0 ? { maps } : {}),
    notes: notesOf(kernels),
  };
}

function notesOf(kernels: readonly Kernel[]): readonly ManifestNote[] {
  const notes = kernels.flatMap((kernel) => kernel.func.notes ?? []);
  return [...new Map(notes.map((note) => [`${note.rule} ${note.message}`, note])).values()];
}

/** A backslash at the end of a line would continue the comment. */
const comment = (line: string): string => `// ${line.replace(/[^\x20-\x7e]/g, "?")}`.replace(/\\+$/, "");

const legalName = /^[A-Za-z_]\w{0,63}$/;

/** The manifest's name of each buffer, by the buffer's name. */
function manifestNames(buffers: readonly Buffer[]): ReadonlyMap<string, string> {
  const wanted = [...new Set(buffers.map(({ name }) => name))];
  const given = new Map(wanted.filter((name) => legalName.test(name)).map((name) => [name, name]));
  const taken = new Set(given.values());
  for (const name of wanted) {
    if (given.has(name)) continue;
    const clean = name.replace(/\W/g, "_").replace(/^(?=\d)/, "_");
    let free = clean.slice(0, 64);
    for (let i = 1; taken.has(free); i++) free = `${clean.slice(0, 58)}_${i}`;
    taken.add(free);
    given.set(name, free);
  }
  return given;
}

function manifestBuffers(
  kernels: readonly Kernel[],
  params: readonly Buffer[],
  graph: Graph,
  names: ReadonlyMap<string, string>,
): readonly ManifestBuffer[] {
  const reductions = new Map(
    graph.ops.map((op) => [op.output.name, op.reduce.reduce((product, axis) => product * axis.extent, 1)]),
  );
  const ofFunction = new Set(params.map((buffer) => buffer.name));
  // Workspaces that lowering added are only in the kernels' own parameter lists.
  const added = kernels.flatMap((kernel) => kernel.func.params.filter((buffer) => !ofFunction.has(buffer.name)));
  const isOf = (buffers: readonly Buffer[], name: string) => buffers.some((buffer) => buffer.name === name);
  return [...params, ...new Map(added.map((buffer) => [buffer.name, buffer])).values()].map(({ name, dtype, shape }) => {
    const role = isOf(graph.inputs, name) ? "in" : isOf(graph.outputs, name) ? "out" : "workspace";
    const input = graph.inputs.find((buffer) => buffer.name === name);
    const fill = input && fillOf(input);
    const tolerance = role === "out" ? own(graph.tolerances ?? {}, name) : undefined;
    return {
      ...manifestBuffer(names.get(name) as string, dtype, shape, role, reductions.get(name) ?? 1),
      ...defined({ fill, tolerance }),
    };
  });
}

export const manifestBuffer = (
  name: string,
  dtype: DType,
  shape: readonly number[],
  role: BufferRole,
  reduction: number,
): ManifestBuffer => {
  const elements = shape.reduce((product, extent) => product * extent, 1);
  return { name, dtype, shape, bytes: dtypeBytes(dtype, elements), align: bufferAlignment, role, reduction };
};
