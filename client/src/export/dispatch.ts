/**
 * One function in front of the kernels of many shapes, from a dispatch table that `suite table` wrote. Each shape has its own
 * kernel with the config that the table chose, and is found by the numbers among its arguments.
 */
import { FarmError, type Json } from "@warpfarm/common";
import { comment, parameterName, parametersOf, tensorsOf } from "./layout.ts";
import type { ExportUnit } from "./unit.ts";

/** Numbers of a shape's arguments, in order, also inside lists and objects. */
export const sizesOf = (args: Json): readonly number[] => {
  if (typeof args === "number") return [args];
  if (typeof args !== "object" || args === null) return [];
  return Object.values(args).flatMap(sizesOf);
};

export interface Dispatch {
  readonly header: string;
  readonly source: string;
}

/** Throws FarmError INVALID_ARGUMENT when one function cannot serve the shapes. */
export function dispatchOf(name: string, units: readonly ExportUnit[], language: "c" | "cuda"): Dispatch {
  const [first] = units as [ExportUnit];
  const sizes = units.map(({ args }) => sizesOf(args as Json));
  const signature = parametersOf(first.kernel);
  const other = units.find(({ kernel }) => parametersOf(kernel) !== signature);
  if (other) throw refused(`${JSON.stringify(other.args)} has other tensors than ${JSON.stringify(first.args)}`);
  const twice = sizes.findIndex((size, i) => sizes.findIndex((one) => String(one) === String(size)) !== i);
  if (twice >= 0) throw refused(`two shapes have the numbers ${sizes[twice]?.join(", ")}`);
  const [result, stream, call, includes] =
    language === "c"
      ? ["int", "", "run", ""]
      : ["cudaError_t", ", cudaStream_t stream", "launch", "#include <cuda_runtime_api.h>\n"];
  const [find, bytes, launch] = [
    `int ${name}_find(const long long *sizes)`,
    `size_t ${name}_workspace_bytes(int shape)`,
    `${result} ${name}_${call}(int shape, ${signature}, void *workspace${stream})`,
  ];
  const given = tensorsOf(first.kernel).map((tensor) => parameterName(tensor.name));
  const passed = [...given, "workspace", ...(language === "c" ? [] : ["stream"])].join(", ");
  const cases = (line: (unit: ExportUnit) => string) => units.map((unit, i) => `    case ${i}: return ${line(unit)};\n`).join("");
  const count = sizes[0]?.length ?? 0;
  const header = `${comment([`${first.task} for ${first.target}: ${units.length} shapes. Written by warpfarm export.`, ...units.map(({ args }, i) => `shape ${i}: ${JSON.stringify(args)}`)])}#ifndef ${name}_H
#define ${name}_H
#include <stddef.h>
${includes}#ifdef __cplusplus
extern "C" {
#endif
enum { ${name}_SHAPES = ${units.length}, ${name}_SIZES = ${count} };
/* The shape of these ${count} numbers, in the order of the arguments; -1 when it is none of the table's. */
${find};
/* 0 for a shape that there is not. */
${bytes};
/* The kernel of a shape, as NAME_find gives it; an error for one that there is not. */
${launch};
#ifdef __cplusplus
}
#endif
#endif
`;
  const source = `#include "${name}.h"
${units.map((unit) => `#include "${unit.name}.h"\n`).join("")}
static const long long table[${units.length}][${Math.max(1, count)}] = {
${sizes.map((row) => `  {${row.join(", ") || "0"}},\n`).join("")}};

${find} {
  for (int shape = 0; shape < ${name}_SHAPES; ++shape) {
    int same = 1;
    for (int i = 0; i < ${name}_SIZES; ++i) same = same && sizes[i] == table[shape][i];
    if (same) return shape;
  }
  return -1;
}

${bytes} {
  switch (shape) {
${cases((unit) => `${unit.name}_WORKSPACE_BYTES`)}  }
  return 0;
}

${launch} {
  switch (shape) {
${cases((unit) => `${unit.name}_${call}(${passed})`)}  }
  return ${language === "c" ? "1" : "cudaErrorInvalidValue"};
}
`;
  return { header, source };
}

const refused = (why: string): FarmError =>
  new FarmError("INVALID_ARGUMENT", `one function cannot stand for all shapes of the table: ${why}`);
