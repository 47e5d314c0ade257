/**
 * The parameters in a kernel's text, and differences from a spec's arguments. Only plain declarations are read: types hidden by a
 * macro, a typedef or a template parameter are not judged.
 */
import { type DType, dtypeBits, isFloat } from "@warpfarm/common";
import type { CudaSourceArg, CudaSourceKernel, KernelArg } from "@warpfarm/compiler/language";

interface Parameter {
  readonly text: string;
  readonly dtype: DType | undefined;
  readonly lanes: number;
  readonly isPointer: boolean;
  readonly isConst: boolean;
}

const types: Readonly<Record<string, DType>> = {
  float: "float32",
  double: "float64",
  half: "float16",
  __half: "float16",
  nv_bfloat16: "bfloat16",
  __nv_bfloat16: "bfloat16",
  __nv_fp8_e4m3: "float8_e4m3fn",
  __nv_fp8_e5m2: "float8_e5m2",
  bool: "bool",
  char: "int8",
  "signed char": "int8",
  int8_t: "int8",
  "unsigned char": "uint8",
  uint8_t: "uint8",
  int: "int32",
  unsigned: "int32",
  "unsigned int": "int32",
  int32_t: "int32",
  uint32_t: "int32",
  long: "int64",
  "long long": "int64",
  "unsigned long": "int64",
  "unsigned long long": "int64",
  int64_t: "int64",
  uint64_t: "int64",
  size_t: "int64",
};

/** One sentence for each argument that a kernel would misread; empty where no fault is known. */
export function argumentFaults(
  files: Readonly<Record<string, string>>,
  kernel: CudaSourceKernel,
  tensors: readonly CudaSourceArg[],
): readonly string[] {
  const name = /(\w+)\s*(?:<.*)?$/s.exec(kernel.entry)?.[1] ?? kernel.entry;
  const declared = Object.values(files).flatMap((text) => parametersOf(text, name));
  if (declared.length === 0) return [];
  const args = kernel.args ?? tensors.map((tensor) => tensor.name);
  // A text may declare it twice, behind #if. One that fits is enough.
  const found = declared.map((parameters) => faultsOf(kernel.entry, parameters, args, tensors));
  return found.find((faults) => faults.length === 0) ?? (found[0] as readonly string[]);
}

function faultsOf(
  entry: string,
  parameters: readonly Parameter[],
  args: readonly KernelArg[],
  tensors: readonly CudaSourceArg[],
): readonly string[] {
  if (parameters.length !== args.length) {
    const given = args.map((arg) =>
      typeof arg === "string" ? arg : "bytes" in arg ? "a structure" : `${arg.value} (${arg.scalar})`,
    );
    return [
      `${entry} has ${parameters.length} parameters (${parameters.map(({ text }) => text).join(", ")}), and the spec gives it ${args.length} (${given.join(", ")})`,
    ];
  }
  return parameters.flatMap((parameter, i) => {
    const fault = faultOf(parameter, args[i] as KernelArg, tensors);
    return fault === undefined ? [] : [`parameter ${i + 1} of ${entry} is ${parameter.text}, and ${fault}`];
  });
}

function faultOf({ dtype, lanes, isPointer, isConst }: Parameter, arg: KernelArg, tensors: readonly CudaSourceArg[]) {
  if (typeof arg === "object" && "bytes" in arg)
    return isPointer || dtype !== undefined ? `the spec gives it a structure of ${arg.bytes.length / 2} bytes` : undefined;
  if (typeof arg !== "string") {
    // An unused address is given as an integer.
    if (isPointer) return arg.scalar === "int64" ? undefined : `the spec gives it the scalar ${arg.value} (${arg.scalar})`;
    if (dtype === undefined || lanes > 1 || isSame(dtype, arg.scalar)) return undefined;
    return `the spec gives it the scalar ${arg.value} as ${arg.scalar}`;
  }
  const tensor = tensors.find((each) => each.name === arg);
  if (tensor === undefined) return undefined;
  if (!isPointer) return dtype === undefined ? undefined : `the spec gives it the tensor ${arg}, which is an address`;
  if (isConst && (tensor.role === "out" || tensor.role === "inout"))
    return `the spec says that the kernel writes ${arg} (role ${tensor.role})`;
  if (dtype === undefined || isSame(dtype, tensor.dtype)) return undefined;
  // Texts often use integers for the bits of other types.
  if (!isFloat(dtype) && isFloat(tensor.dtype)) return undefined;
  if (dtypeBits(dtype) === 8 || dtypeBits(tensor.dtype) < 8) return undefined;
  return `the spec says that the elements of ${arg} are ${tensor.dtype}`;
}

/** The parameters, by position, that a kernel never sets and only adds to (or multiplies): it needs what they held before. */
export function accumulatedIn(text: string, name: string): readonly number[] {
  const plain = withoutComments(text);
  const declared = parametersOf(text, name);
  return (declared[0] ?? []).flatMap((parameter, i) => {
    const called = /(\w+)\s*(?:\[.*)?$/.exec(parameter.text)?.[1] ?? "";
    const count = (pattern: string): number => plain.match(new RegExp(pattern, "g"))?.length ?? 0;
    const changes = count(`\\b${called}\\s*\\[(?:[^[\\]]|\\[[^\\]]*\\])*\\]\\s*[-+*/|&^]=`);
    return parameter.isPointer && changes > 0 && changes === count(`\\b${called}\\b`) - declared.length ? [i] : [];
  });
}

/** The types have the same bits; the sign of an integer does not matter here. */
const isSame = (a: DType, b: DType): boolean =>
  isFloat(a) === isFloat(b) && (isFloat(a) ? a === b : dtypeBits(a) === dtypeBits(b));

/** Lines keep their numbers. */
export const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, (comment) => ` ${comment.replace(/[^\n]/g, "")}`);

function parametersOf(text: string, name: string): readonly (readonly Parameter[])[] {
  const plain = withoutComments(text);
  const found: Parameter[][] = [];
  for (const { index, 0: head } of plain.matchAll(new RegExp(`\\b__global__\\b[^;{}]*?\\b${name}\\s*\\(`, "g"))) {
    const inner = balanced(plain, index + head.length);
    if (inner === undefined || inner.includes("#")) continue;
    const parts = commaParts(inner);
    found.push(parts.length === 1 && /^(?:void)?$/.test(parts[0] as string) ? [] : parts.map(parameterOf));
  }
  return found;
}

function balanced(text: string, from: number): string | undefined {
  let depth = 1;
  for (let at = from; at < text.length; at++) {
    if (text[at] === "(") depth++;
    if (text[at] === ")" && --depth === 0) return text.slice(from, at);
  }
  return undefined;
}

function commaParts(text: string): readonly string[] {
  const parts: string[] = [];
  let [depth, part] = [0, ""];
  for (const letter of text) {
    if ("(<[{".includes(letter)) depth++;
    if (")>]}".includes(letter)) depth--;
    if (letter === "," && depth === 0) parts.push(part);
    part = letter === "," && depth === 0 ? "" : part + letter;
  }
  return [...parts, part].map((each) => each.trim().replace(/\s+/g, " "));
}

function parameterOf(text: string): Parameter {
  const declared = text.replace(/=.*$/, "").replace(/\b(?:__restrict__|__restrict|__grid_constant__|volatile|struct)\b/g, " ");
  const isPointer = /[*\]]/.test(declared);
  const [before = ""] = declared.split(/[*[]/);
  const words = before.split(/\s+/).filter((each) => each !== "" && each !== "const");
  // The last word is the name, for an array and for a parameter that is no pointer.
  const isNamed = !declared.includes("*") && words.length > 1 && types[words.join(" ")] === undefined;
  const type = (isNamed ? words.slice(0, -1) : words).join(" ").replace(/^std::/, "");
  const [, element = type, lanes = "1"] = /^(float|double|char|int|half)([1-4])$/.exec(type) ?? [];
  return {
    text,
    dtype: types[element],
    lanes: Number(lanes),
    isPointer,
    isConst: isPointer && /\bconst\b/.test(before),
  };
}
