/**
 * Compares a candidate with its reference on inputs of other structure (structures.ts). Both run once on each, in buffers of
 * their own; the candidate's outputs are poisoned before. A structure on which the reference has NaN or an infinity says nothing
 * and is left out.
 *
 * A tolerance that the program states is meant for its own inputs. On others `atol` follows the magnitudes: as the greatest
 * element of the output, or as the product of the two greatest inputs, whose terms may cancel out.
 */
import { type InputKind, isFloat, type ManifestBuffer, type StageModel } from "@warpfarm/common";
import type { Buffers, DeviceApi, DeviceBuffer } from "../device/device-api.ts";
import type { Failure } from "./batches.ts";
import { type Held, largestTerm, tolerancesOf } from "./check.ts";
import type { MeasureHooks } from "./measure.ts";
import { inspect, prepare } from "./outputs.ts";
import { firstBytes, type Structure, structures } from "./structures.ts";

/**
 * Tolerances are of rounding errors of either sign, which grow by the square root of their number. In ramps and in sums of few
 * large terms errors are alike and add up: right convolutions on an H200 were off by up to 4 tolerances, and norms of small
 * inputs by 17.
 */
const alike = 32;

export interface StructureCheck {
  /** The reference's buffers by number, without workspaces. None is both read and written. */
  readonly tensors: readonly ManifestBuffer[];
  readonly stages?: readonly StageModel[];
  readonly inputs: InputKind;
  readonly seed: number;
  /** Fills an input as its program says. */
  readonly fill: (buffer: DeviceBuffer, number: number) => void;
  /** Runs the reference on these tensors from poisoned outputs. `see` gets its results. */
  readonly reference: (tensors: Buffers, see: (buffer: DeviceBuffer) => void) => void;
  /** The candidate, with its workspaces, which `own` adds to the tensors. */
  readonly candidate: {
    readonly own: Buffers;
    readonly run: (buffers: Buffers) => void;
  };
}

interface StructureOutcome {
  readonly kind: "right";
  readonly checked: readonly string[];
  /** Those on which the reference has no finite answer. */
  readonly leftOut: readonly string[];
}

export async function checkStructure(
  device: DeviceApi,
  check: StructureCheck,
  runTimeoutMs: number,
  hooks: Pick<MeasureHooks, "enter">,
): Promise<StructureOutcome | Failure> {
  const [checked, leftOut]: [string[], string[]] = [[], []];
  let usual: Contents | undefined;
  for (const structure of structures) {
    if (!check.tensors.some((spec) => spec.role === "in" && structure.changeOf(spec))) continue;
    // The candidate's code is in the process, so whatever ends it now is not blamed on the reference.
    await hooks.enter("check");
    if (check.tensors.some(({ tolerance }) => tolerance !== undefined)) usual ??= contentsOfUsual(device, check);
    const outcome = await checkOne(device, check, { structure, usual }, runTimeoutMs, hooks);
    if (outcome !== undefined && "kind" in outcome) return outcome;
    (outcome === undefined ? leftOut : checked).push(structure.name);
  }
  return { kind: "right", checked, leftOut };
}

/** Undefined: the reference has no finite answer. */
async function checkOne(
  device: DeviceApi,
  check: StructureCheck,
  { structure, usual }: { readonly structure: Structure; readonly usual: Contents | undefined },
  runTimeoutMs: number,
  hooks: Pick<MeasureHooks, "enter">,
): Promise<Failure | { readonly isRight: true } | undefined> {
  const { tensors, stages, candidate } = check;
  const mine: DeviceBuffer[] = [];
  const allocated = (spec: ManifestBuffer): DeviceBuffer => {
    const buffer = device.allocate(spec);
    mine.push(buffer);
    return buffer;
  };
  try {
    const buffers = new Map(tensors.map((spec) => [spec.name, allocated(changed(spec, structure))]));
    const held = contentsOn(device, check, structure, buffers);
    if ([...held.values()].some(({ nan, infinite }) => nan + infinite > 0)) return undefined;
    const reference = new Map<string, DeviceBuffer>();
    for (const spec of tensors) {
      if (spec.role === "in") continue;
      const copy = allocated(spec);
      device.snapshot(buffers.get(spec.name) as DeviceBuffer, copy);
      reference.set(spec.name, copy);
    }
    const tolerances = tolerancesOf(tensors, stages, held);
    const all = new Map([...buffers, ...candidate.own]);
    const wider = usual === undefined ? 1 : growth(tensors, usual, held);
    const toleranceOf = (name: string) => {
      const { rtol, atol } = tolerances.get(name) ?? { rtol: 0, atol: 0 };
      return { rtol: rtol * alike, atol: atol * alike * (isStated(tensors, name) ? wider : 1) };
    };
    const expected = { reference, toleranceOf };
    const judged = { buffers: all, expected, refill: () => {} };
    prepare(device, judged);
    await hooks.enter("run", runTimeoutMs);
    candidate.run(all);
    await hooks.enter("check");
    const wrong = inspect(device, judged);
    if (wrong === undefined) return { isRight: true };
    const isWrong = wrong.rule === "reference";
    return { ...wrong, rule: isWrong ? "structure" : wrong.rule, message: `with inputs "${structure.name}": ${wrong.message}` };
  } finally {
    for (const buffer of mine) device.free(buffer);
  }
}

type Contents = ReadonlyMap<string, Held>;

/** Fills the inputs, runs the reference on them, and looks at what all hold then. */
function contentsOn(
  device: DeviceApi,
  check: StructureCheck,
  structure: Structure | undefined,
  buffers: ReadonlyMap<string, DeviceBuffer>,
): Contents {
  const held = new Map<string, Held>();
  const see = (buffer: DeviceBuffer): void => void held.set(buffer.spec.name, device.contents(buffer));
  fillAll(device, check, structure, buffers);
  for (const buffer of buffers.values()) if (buffer.spec.role !== "out") see(buffer);
  check.reference(buffers, see);
  return held;
}

function contentsOfUsual(device: DeviceApi, check: StructureCheck): Contents {
  const buffers = new Map<string, DeviceBuffer>();
  try {
    for (const spec of check.tensors) buffers.set(spec.name, device.allocate(spec));
    return contentsOn(device, check, undefined, buffers);
  } finally {
    for (const buffer of buffers.values()) device.free(buffer);
  }
}

const isStated = (tensors: readonly ManifestBuffer[], name: string): boolean =>
  tensors.some((spec) => spec.name === name && spec.tolerance !== undefined);

/** How much greater rounding errors of right kernels may be than on the usual inputs. */
function growth(tensors: readonly ManifestBuffer[], usual: Contents, held: Contents): number {
  const of = (role: ManifestBuffer["role"], all: Contents) =>
    tensors.flatMap((spec) => (spec.role === role && isFloat(spec.dtype) ? (all.get(spec.name) ?? []) : []));
  const greatest = (all: Contents) => Math.max(0, ...of("out", all).map(({ low, high }) => Math.max(-low, high)));
  const ofTerms = largestTerm(of("in", held)) / largestTerm(of("in", usual));
  return greatest(usual) > 0 ? Math.max(greatest(held) / greatest(usual), ofTerms) : ofTerms;
}

function changed(spec: ManifestBuffer, structure: Structure): ManifestBuffer {
  const fill = spec.role === "in" ? structure.changeOf(spec)?.fill : undefined;
  return fill === undefined ? spec : { ...spec, fill };
}

function fillAll(
  device: DeviceApi,
  { tensors, fill, seed, inputs }: StructureCheck,
  structure: Structure | undefined,
  buffers: Buffers,
): void {
  for (const [number, spec] of tensors.entries()) {
    const buffer = buffers.get(spec.name);
    if (spec.role !== "in" || buffer === undefined) continue;
    const change = structure?.changeOf(spec);
    if (change?.fill === undefined) fill(buffer, number);
    else device.fill(buffer, seed, number, inputs);
    if (change?.first) device.write(buffer, firstBytes(spec, change.first, seed, number));
  }
}
