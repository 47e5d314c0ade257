/**
 * `check` of a user's kernel. Compares its arguments with its text and its reference, then compiles each config on this machine
 * and compares the code's resources with those of a block. Nothing runs, because the code is for a GPU.
 */
import { type ArtifactManifest, comparedShape, type FailedResult, measureErrorName } from "@warpfarm/common";
import {
  type CodeProgram,
  type ConfigIndex,
  type CudaSourceArg,
  decodeProgram,
  type Limits,
  type Program,
} from "@warpfarm/compiler/language";
import type { Task } from "@warpfarm/templates";
import { argumentFaults } from "../../kernel/signature.ts";
import type { BuiltHere } from "../context.ts";
import { withRule } from "../exit.ts";

/** The verdict on a config: correct, faulty, or refused by the limits of a device. */
export interface Verdict {
  readonly index: number;
  readonly state: "sound" | "faulty" | "refused";
  readonly message?: string;
  readonly log?: string;
  readonly resources?: ArtifactManifest["resources"];
}

/** The rule of builders' notes and refusals about tunables without effect. */
export const tunablesRule = "source.tunables";

/** The rule for a wrong value in a spec, such as a grid that is not a whole number. */
export const specRule = "kernel.spec";

const decoded = (bytes: Uint8Array): Program => {
  const program = decodeProgram(bytes);
  if (!program.ok) throw new Error(`a program that was just made does not decode: ${program.error.message}`);
  return program.value;
};

/** A config's fault before it is compiled; undefined when none is known. */
export function faultInSpec(task: Task, index: ConfigIndex, limits: Limits): Verdict | undefined {
  const [violation] = task.validate(index, limits);
  const made = task.instantiate(index);
  if (violation || !made.ok) {
    const refusal = violation ?? (made.ok ? undefined : made.error);
    return { index, state: refusal?.rule === specRule ? "faulty" : "refused", message: refusal ? withRule(refusal) : "" };
  }
  const program = decoded(made.value.program.bytes);
  if (program.kind === "schedule") return undefined;
  const faults = [...argumentsOf(program), ...comparedWith(program, decoded(task.reference.bytes))];
  return faults.length === 0 ? undefined : { index, state: "faulty", message: faults.join("; ") };
}

const argumentsOf = (program: CodeProgram): readonly string[] =>
  program.kind !== "cuda_source"
    ? []
    : program.kernels.flatMap((kernel) =>
        argumentFaults(program.files, kernel, program.args).map((message) => withRule({ message, rule: "kernel.argument" })),
      );

type Tensor = Pick<CudaSourceArg, "name" | "dtype" | "shape" | "sum_over">;
const shown = (tensor: Tensor): string => `${tensor.dtype} [${comparedShape(tensor).join(", ")}]`;

/**
 * Tensors are matched by name: an output that the reference lacks cannot be compared, and an input of another shape cannot be
 * filled alike.
 */
function comparedWith({ args }: CodeProgram, reference: Program): readonly string[] {
  const theirs: readonly Tensor[] =
    reference.kind === "schedule" ? [...reference.graph.inputs, ...reference.graph.outputs] : reference.args;
  return args.flatMap((tensor) => {
    if (tensor.role === "workspace") return [];
    const other = theirs.find(({ name }) => name === tensor.name);
    const why = other
      ? shown(other) !== shown(tensor) && `it is ${shown(other)} in the reference, and ${shown(tensor)} in the kernel`
      : (tensor.role === "out" || tensor.role === "inout") &&
        `the reference lacks it; it has ${theirs.map((t) => t.name).join(", ")}`;
    return why
      ? [withRule({ message: `${tensor.name} cannot be compared with the reference: ${why}`, rule: "kernel.reference" })]
      : [];
  });
}

export function verdictOfBuild(index: ConfigIndex, built: BuiltHere, limits: Limits): Verdict {
  if (built.kind === "failed") return failedBuild(index, built.result);
  const { resources } = built.manifest;
  const refusal = tooMuch(built.manifest, limits);
  return refusal
    ? { index, state: "refused", message: withRule(refusal), resources }
    : { index, state: "sound", message: takes(resources), resources };
}

function failedBuild(index: ConfigIndex, { errorNo, rule, message, log }: FailedResult): Verdict {
  // A config that needs too many resources, or another launch, cannot run, but is not a mistake of the text.
  const state = rule === "ptxas.resources" || rule === "cubin.launch" ? "refused" : "faulty";
  const said = `${measureErrorName(errorNo)}: ${withRule({ message, rule })}`;
  return { index, state, message: said, ...(log ? { log } : {}) };
}

const takes = ({ registers, spill_bytes: spilled, static_shared_bytes: shared }: ArtifactManifest["resources"]): string =>
  `${registers} registers, ${spilled} bytes spilled, ${shared} bytes of static shared memory`;

/** The register file of every GPU from Volta on, in registers of 32 bits. */
const registersPerBlock = 65_536;

/**
 * Why a launch would be refused. Resources are the largest of the program's kernels, so the least demanding launch is judged:
 * what is refused here certainly cannot run.
 */
function tooMuch({ kernels, resources }: ArtifactManifest, limits: Limits) {
  const warps = Math.min(...kernels.map(({ block: [x, y, z] }) => Math.ceil((x * y * z) / 32)));
  const perThread = Math.ceil(resources.registers / 8) * 8;
  if (warps * 32 * perThread > registersPerBlock)
    return {
      rule: "gpu.registers",
      message: `a block of ${warps} warps with ${resources.registers} registers a thread takes ${warps * 32 * perThread}; a block may have ${registersPerBlock}`,
    };
  const shared = resources.static_shared_bytes + Math.min(...kernels.map((kernel) => kernel.dynamic_shared_bytes));
  if (shared > limits.sharedBytesPerBlock)
    return {
      rule: "gpu.shared_bytes",
      message: `static and dynamic shared memory are ${shared} bytes; ${limits.name} allows ${limits.sharedBytesPerBlock}`,
    };
  return undefined;
}
