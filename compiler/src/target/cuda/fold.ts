/**
 * Values that lanes of a warp combine by shuffles: __shfl_xor_sync at halving distances (PTX ISA, "shfl.sync"). Afterwards each
 * lane of a group has the combination of all, in one order. The mask names all 32 lanes: groups are never partial, and lanes that
 * a block lacks are not waited for.
 */
import { type DType, isFloat } from "@warpfarm/common";
import { bufferSize } from "../../ir/buffer.ts";
import type { Combiner, Fold } from "../../ir/stmt.ts";
import type { Helper } from "../c-family/prelude.ts";
import type { CPrinter } from "../c-family/printer.ts";
import { shortName } from "../c-family/types.ts";
import { cudaDTypes, cudaTypes } from "./dtype.ts";

const byShortName = new Map([...cudaDTypes].map((dtype) => [shortName[dtype], dtype]));

export function foldHelper(name: string): Helper | undefined {
  const [, combiner, type = "", lanes] = /^fold_(sum|prod|max|min)_([a-z]+\d+)_x(\d+)$/.exec(name) ?? [];
  const dtype = byShortName.get(type);
  if (!combiner || !dtype) return undefined;
  const storage = cudaTypes.storage(dtype);
  const emulated = cudaTypes.isEmulated(dtype);
  const value = emulated ? "float" : storage;
  const step = stepOf(combiner as Combiner, dtype);
  const lines: string[] = [];
  for (let distance = Number(lanes) / 2; distance >= 1; distance /= 2)
    lines.push(`  v = ${step.text("v", `__shfl_xor_sync(0xffffffffu, v, ${distance})`)};`);
  return {
    needs: [...step.needs, ...(emulated ? [`${type}_to_f32`, `f32_to_${type}`] : [])],
    text: [
      `static __device__ __forceinline__ ${storage} ${name}(${storage} x) {`,
      `  ${value} v = ${emulated ? `${type}_to_f32(x)` : "x"};`,
      ...lines,
      `  return ${emulated ? `f32_to_${type}(v)` : "v"};`,
      "}",
    ].join("\n"),
  };
}

interface Step {
  readonly needs: readonly string[];
  readonly text: (a: string, b: string) => string;
}

function stepOf(combiner: Combiner, dtype: DType): Step {
  const type = shortName[dtype];
  const called = (helper: string): Step => ({ needs: [helper], text: (a, b) => `${helper}(${a}, ${b})` });
  if (combiner === "max" || combiner === "min") return called(`${combiner}_${cudaTypes.isEmulated(dtype) ? "f32" : type}`);
  const [word, sign] = combiner === "sum" ? ["add", "+"] : ["mul", "*"];
  if (dtype === "int32" || dtype === "int64") return called(`${word}_${type}`);
  if (cudaTypes.isEmulated(dtype)) return { needs: [`round_${type}`], text: (a, b) => `round_${type}(${a} ${sign} ${b})` };
  if (isFloat(dtype)) return { needs: [], text: (a, b) => `${a} ${sign} ${b}` };
  return { needs: [], text: (a, b) => `(${cudaTypes.storage(dtype)})(${a} ${sign} ${b})` };
}

export function printFold(printer: CPrinter, { combiner, buffer, lanes }: Fold): void {
  const helper = printer.prelude.use(`fold_${combiner}_${shortName[buffer.dtype]}_x${lanes}`);
  const name = printer.names.get(buffer);
  const size = bufferSize(buffer);
  if (size > 1) printer.line("#pragma unroll");
  const at = size > 1 ? "e" : "0";
  const line = `${name}[${at}] = ${helper}(${name}[${at}]);`;
  printer.line(size > 1 ? `for (int e = 0; e < ${size}; ++e) ${line}` : line);
}
