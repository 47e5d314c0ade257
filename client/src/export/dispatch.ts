/**
 * A library of shapes: one header and one source with, for each entry, functions that find the kernel of a shape and call it. An
 * entry has kernels of one signature. Each shape has its own kernel, or the library that the caller registers, and is found by
 * the whole numbers among its arguments.
 */
import { badInput, canonicalJson, countWords, type FarmError, type Json } from "@warpfarm/common";
import type { Front } from "./files.ts";
import { comment, parameterName, parametersOf, tensorsOf } from "./layout.ts";
import type { ExportUnit, LibraryShape } from "./unit.ts";

/** The whole numbers of a shape's arguments, in order, also inside lists and objects. */
export const sizesOf = (args: Json | readonly Json[]): readonly number[] => {
  if (typeof args === "number") return Number.isSafeInteger(args) ? [args] : [];
  if (typeof args !== "object" || args === null) return [];
  return Object.values(args).flatMap(sizesOf);
};

/** What a caller passes to find a shape. */
export const askedOf = ({ args, asked = args }: Pick<LibraryShape, "args" | "asked">): readonly Json[] => asked;

/** The arguments without these numbers: equal for the shapes of one entry. */
export const patternOf = (args: Json | readonly Json[]): string =>
  canonicalJson(JSON.parse(JSON.stringify(args), (_, value) => (Number.isSafeInteger(value) ? 0 : value)));

export interface Dispatch {
  readonly header: string;
  readonly source: string;
}

/** Throws FarmError INVALID_ARGUMENT when one function cannot serve the shapes of an entry. */
export function dispatchOf(library: string, fronts: readonly Front[], language: "c" | "cuda"): Dispatch {
  const parts = fronts.map((front) => entryOf(front, language));
  const units = fronts.flatMap((front) => front.units);
  const all = fronts.flatMap(shapesOf);
  const [first] = all as [LibraryShape];
  const about = [
    `${library}: ${countWords(all.length, "shape")} of ${countWords(fronts.length, "operator")} for ${first.target}. Written by warpfarm export.`,
  ];
  const header = `${comment(about)}#ifndef ${library}_H
#define ${library}_H
#include <stddef.h>
${language === "c" ? "" : "#include <cuda_runtime_api.h>\n"}#ifdef __cplusplus
extern "C" {
#endif
${parts.map((part) => part.header).join("")}#ifdef __cplusplus
}
#endif
#endif
`;
  const includes = [library, ...units.map(({ name }) => name)].map((name) => `#include "${name}.h"\n`).join("");
  return { header, source: includes + parts.map((part) => part.source).join("") };
}

/** The kernels' shapes first, then those of a library. */
const shapesOf = ({ units, libraries = [] }: Front): readonly (ExportUnit | LibraryShape)[] => [...units, ...libraries];

/** Texts may name their tensors in another order; a library's call has the order of the kernels. */
const tensorNames = ({ kernel }: LibraryShape): string => parametersOf(kernel).split(", ").sort().join(", ");

function entryOf(front: Front, language: "c" | "cuda"): Dispatch {
  const { name, units } = front;
  const all = shapesOf(front);
  const [first] = all as [LibraryShape];
  const sizes = all.map((shape) => sizesOf(askedOf(shape)));
  const signature = parametersOf(first.kernel);
  const other =
    units.find(({ kernel }) => parametersOf(kernel) !== signature) ??
    all.find((shape) => tensorNames(shape) !== tensorNames(first));
  if (other) throw refused(`${JSON.stringify(askedOf(other))} has other tensors than ${JSON.stringify(askedOf(first))}`);
  const twice = sizes.findIndex((size, i) => sizes.findIndex((one) => String(one) === String(size)) !== i);
  if (twice >= 0) throw refused(`two shapes have the numbers ${sizes[twice]?.join(", ")}`);
  const [result, stream, call] = language === "c" ? ["int", "", "run"] : ["cudaError_t", ", cudaStream_t stream", "launch"];
  const [find, served, bytes, launch] = [
    `int ${name}_find(const long long *sizes)`,
    `const char *${name}_served(void)`,
    `size_t ${name}_workspace_bytes(int shape)`,
    `${result} ${name}_${call}(int shape, ${signature}, void *workspace${stream})`,
  ];
  const given = tensorsOf(first.kernel).map((tensor) => parameterName(tensor.name));
  const passed = [...given, "workspace", ...(language === "c" ? [] : ["stream"])].join(", ");
  const caseOf = (line: (unit: ExportUnit) => string) => (unit: ExportUnit, i: number) =>
    `    case ${i}: return ${line(unit)};\n`;
  const cases = (line: (unit: ExportUnit) => string) => units.map(caseOf(line)).join("");
  const count = sizes[0]?.length ?? 0;
  const by = ({ task, asked }: LibraryShape) => (asked === undefined ? "" : `, by ${task}`);
  const shapes = all.map(
    (shape, i) => `shape ${i}: ${JSON.stringify(askedOf(shape))}${i < units.length ? by(shape) : ", the library's"}`,
  );
  const fallback = fallbackOf(front, { result, signature: `${signature}, void *workspace${stream}`, passed, language });
  const header = `
${comment([first.asked === undefined ? `${name}: ${first.task}` : name, ...shapes])}enum { ${name}_SHAPES = ${all.length}, ${name}_SIZES = ${count} };
/* The shape of these ${count} numbers, in the order of the arguments; -1 when it has no kernel. */
${find};
/* The numbers of the shapes that have kernels, for the message of an error. */
${served};
/* 0 for a shape that there is not. */
${bytes};
/* The kernel of a shape, as ${name}_find gives it; an error for one that there is not. */
${launch};
${fallback.header}`;
  const source = `
static const long long ${name}_table[${all.length}][${Math.max(1, count)}] = {
${sizes.map((row) => `  {${row.join(", ") || "0"}},\n`).join("")}};
${fallback.source}
${find} {
  for (int shape = 0; shape < ${name}_SHAPES; ++shape) {
    int same = 1;
    for (int i = 0; i < ${name}_SIZES; ++i) same = same && sizes[i] == ${name}_table[shape][i];
    if (same) return shape;
  }
  return -1;
}

${served} {
  return ${sizes.map((row, i) => `\n    "${i === 0 ? "" : "; "}${row.join(", ")}"`).join("")};
}

${bytes} {
  switch (shape) {
${cases((unit) => `${unit.name}_WORKSPACE_BYTES`)}  }
  return 0;
}

${launch} {
${fallback.call}  switch (shape) {
${cases((unit) => `${unit.name}_${call}(${passed})`)}  }
  return ${language === "c" ? "1" : "cudaErrorInvalidValue"};
}
`;
  return { header, source };
}

interface Call {
  readonly result: string;
  /** Of a shape's call, after the shape. */
  readonly signature: string;
  readonly passed: string;
  readonly language: "c" | "cuda";
}

/** What serves the shapes of a library: a function of the caller. Nothing for an entry without such shapes. */
function fallbackOf({ name, units, libraries = [] }: Front, { result, signature, passed, language }: Call) {
  if (libraries.length === 0) return { header: "", source: "", call: "" };
  const [absent, words] = language === "c" ? ["2", "2"] : ["cudaErrorNotSupported", "cudaErrorNotSupported"];
  return {
    header: `/* A function of yours that serves the shapes of a library: from shape ${units.length} on. It gets the numbers that identify the shape. */
typedef ${result} (*${name}_library)(const long long *sizes, ${signature});
/* Registers it for all calls, once before the first; without it these shapes return ${words}. */
void ${name}_use(${name}_library call);
`,
    source: `
static ${name}_library ${name}_registered;

void ${name}_use(${name}_library call) { ${name}_registered = call; }
`,
    call: `  if (shape >= ${units.length} && shape < ${name}_SHAPES)
    return ${name}_registered ? ${name}_registered(${name}_table[shape], ${passed}) : ${absent};
`,
  };
}

const refused = (why: string): FarmError => badInput(`one function cannot stand for all shapes: ${why}`);
