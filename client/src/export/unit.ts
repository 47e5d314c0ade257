/** A kernel to export: one config of a task with its text, launches, buffers, and the text of the task's reference. */
import { badInput, type Digest, defined, type FarmError, type Json, type ProgramBytes } from "@warpfarm/common";
import { type ConfigIndex, type CudaSourceProgram, compileProgram, type DeviceText, decodeProgram } from "@warpfarm/compiler";
import type { Task } from "@warpfarm/templates";

/** Text with everything that it needs. */
export interface KernelText extends DeviceText {
  readonly source?: CudaSourceProgram;
}

export interface ExportUnit {
  readonly name: string;
  readonly task: string;
  readonly args: readonly Json[];
  /** The arguments of the operator by which an entry finds it; absent where those are the template's. */
  readonly asked?: readonly Json[];
  readonly target: string;
  /** Absent for the default schedule. */
  readonly index?: ConfigIndex;
  readonly config: Readonly<Record<string, Json>>;
  readonly program: ProgramBytes;
  readonly kernel: KernelText;
  readonly reference: KernelText;
  readonly uploads: ReadonlyMap<Digest, Uint8Array>;
  readonly measured?: Measured;
  /** The shape for which this config is the best; nobody measured it on this shape. */
  readonly nearest?: Measured & { readonly args: readonly Json[] };
}

interface Measured {
  readonly seconds: number;
  readonly device?: string;
}

/** Without an index the default schedule. Throws FarmError INVALID_ARGUMENT when it makes no program or cannot be lowered. */
export function exportUnit(
  name: string,
  task: Task,
  index: ConfigIndex | undefined,
  measured?: ExportUnit["measured"],
  nearest?: ExportUnit["nearest"],
): ExportUnit {
  const program = programOf(task, index);
  const kernel = textOf(program, (why) => refused(task, index, why));
  const parts = kernel.buffers.find(({ sum_over }) => sum_over !== undefined);
  if (parts)
    throw refused(
      task,
      index,
      `has the output ${parts.name} in parts (sum_over), which an export's self-test does not add up; best LOG --emit cuda prints the text`,
    );
  const config = index === undefined ? {} : Object.fromEntries(task.space.get(index).values);
  return {
    name,
    task: task.name,
    args: task.args,
    target: task.target,
    config,
    program,
    kernel,
    reference: textOf(task.reference, (why) => refused(task, index, `its reference ${why}`)),
    uploads: new Map((task.uploads ?? []).map(({ digest, bytes }) => [digest, bytes])),
    ...defined({ index, measured, nearest }),
  };
}

function programOf(task: Task, index: ConfigIndex | undefined): ProgramBytes {
  if (index === undefined) return task.base ?? task.reference;
  const made = task.instantiate(index);
  if (!made.ok) throw refused(task, index, `makes no program: ${made.error.message}`);
  return made.value.program;
}

/** A shape that a library serves: what a caller passes for it, as its reference takes it. */
export type LibraryShape = Pick<ExportUnit, "task" | "args" | "asked" | "target" | "kernel">;
export const libraryShape = (task: Task): LibraryShape => ({
  ...{ task: task.name, args: task.args, target: task.target },
  kernel: textOf(task.reference, (why) => refused(task, undefined, `its reference ${why}`)),
});

function textOf({ bytes }: ProgramBytes, refuse: (why: string) => FarmError): KernelText {
  const decoded = decodeProgram(bytes);
  if (!decoded.ok) throw refuse(`does not decode: ${decoded.error.message}`);
  const { kind } = decoded.value;
  if (kind === "ptx" || kind === "cubin") throw refuse(`is ${kind} that came without text; exports are made from text`);
  const text = compileProgram(decoded.value);
  if (!text.ok) throw refuse(`cannot be printed: ${text.error.message}`);
  return decoded.value.kind === "cuda_source" ? { ...text.value, source: decoded.value } : text.value;
}

const refused = (task: Task, index: ConfigIndex | undefined, why: string): FarmError =>
  badInput(`${index === undefined ? "the default schedule" : `config ${index}`} of ${task.name} ${why}`);

/** A name that C, C++, Python and a file system accept: letters, digits and _. */
export const symbolOf = (text: string): string =>
  text
    .replace(/^.*\//, "")
    .replace(/\W+/g, "_")
    .replace(/^(?=\d)/, "_") || "kernel";
