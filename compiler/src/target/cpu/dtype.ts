/**
 * Element types in C with GCC's extensions (vector_size, _Float16): understood by gcc and clang. bfloat16 and the floats of 8
 * bits are words converted by bit arithmetic and computed with as float. Vectors are `vector_size` types with the alignment of
 * one element, so any address will do, and may_alias, so that a float array can be read through them.
 */
import { type DType, dtypeBytes, isFloat8 } from "@warpfarm/common";
import { roundTo } from "../../ir/numeric.ts";
import { float8Helper } from "../c-family/float8.ts";
import { commonHelper, type Helper, operatorOf } from "../c-family/prelude.ts";
import {
  allDTypes,
  type CTypes,
  finiteLiteral,
  integerLiteral,
  integerTypes,
  mathFunction,
  shortName,
} from "../c-family/types.ts";

const floats: Partial<Record<DType, string>> = {
  float16: "_Float16",
  float32: "float",
  float64: "double",
  bfloat16: "unsigned short",
  float8_e4m3fn: "unsigned char",
  float8_e5m2: "unsigned char",
};
const isEmulated = (dtype: DType): boolean => dtype === "bfloat16" || isFloat8(dtype);

function literal(dtype: DType, value: number): string {
  if (!(dtype in floats)) return integerLiteral(dtype, value);
  const rounded = roundTo(dtype)(value);
  if (Number.isNaN(rounded)) return dtype === "float64" ? '__builtin_nan("")' : '__builtin_nanf("")';
  const wide = dtype === "float64" ? "float64" : "float32";
  const text = Number.isFinite(rounded)
    ? finiteLiteral(wide, rounded)
    : `${rounded < 0 ? "-" : ""}__builtin_inf${dtype === "float64" ? "" : "f"}()`;
  return dtype === "float16" ? `(_Float16)${text}` : text;
}

export const cpuTypes: CTypes = {
  constants: "static const",
  storage: (dtype) => floats[dtype] ?? integerTypes[dtype] ?? "int",
  value: (dtype) => (isEmulated(dtype) ? "float" : cpuTypes.storage(dtype)),
  isEmulated,
  castSaturates: () => false,
  literal,
  math: (name, dtype) => {
    if (name === "abs" && !(dtype in floats)) return "__builtin_abs";
    return `__builtin_${mathFunction(name, dtype)}`;
  },
};

/** Types that the machines have lanes of; gcc takes vectors of _Float16 apart, badly. */
export const cpuVectorDTypes: ReadonlySet<DType> = new Set(["float32", "float64", "int8", "uint8", "int32", "int64"]);

const qualifier = "static inline";
const byShortName = new Map([...allDTypes].map((dtype) => [shortName[dtype], dtype]));
const valueTypes = Object.fromEntries([...allDTypes].map((dtype) => [shortName[dtype], cpuTypes.value(dtype)]));

const atomic = (operation: "and" | "or", value: string): string => `__atomic_fetch_${operation}(p, ${value}, __ATOMIC_RELAXED);`;

const conversions: Readonly<Record<string, Helper>> = {
  round_tf32: {
    text: `${qualifier} float round_tf32(float x) {
  union { float f; unsigned int u; } v = {x};
  v.u = (v.u + 0x1000u) & 0xffffe000u;
  return x != x ? x : v.f;
}`,
  },
  bf16_to_f32: {
    text: `${qualifier} float bf16_to_f32(unsigned short x) {
  union { unsigned int u; float f; } v = {(unsigned int)x << 16};
  return v.f;
}`,
  },
  f32_to_bf16: {
    text: `${qualifier} unsigned short f32_to_bf16(float x) {
  union { float f; unsigned int u; } v = {x};
  return x != x ? 0x7fc0 : (unsigned short)((v.u + 0x7fff + ((v.u >> 16) & 1)) >> 16);
}`,
  },
  round_bf16: {
    needs: ["bf16_to_f32", "f32_to_bf16"],
    text: `${qualifier} float round_bf16(float x) { return bf16_to_f32(f32_to_bf16(x)); }`,
  },
  bits_of_float: {
    text: `${qualifier} unsigned int bits_of_float(float x) { union { float f; unsigned int u; } v = {x}; return v.u; }`,
  },
  float_of_bits: {
    text: `${qualifier} float float_of_bits(unsigned int x) { union { unsigned int u; float f; } v = {x}; return v.f; }`,
  },
};
const float8 = { qualifier, bitsOf: "bits_of_float", floatOf: "float_of_bits", needs: ["bits_of_float", "float_of_bits"] };

/** float32 with 8 lanes -> f32x8 */
export const vectorType = (dtype: DType, lanes: number): string => `${shortName[dtype]}x${lanes}`;

function vectorHelper(name: string): Helper | undefined {
  const cast = /^(f32|f64)(x\d+)_to_([iu]\d+)\2$/.exec(name);
  if (cast) {
    const [, from = "", lanes = "", to = ""] = cast;
    const one = `${from}_to_${to}`;
    return {
      needs: [from + lanes, to + lanes, one],
      text: `${qualifier} ${to}${lanes} ${name}(${from}${lanes} x) {
  ${to}${lanes} v;
  for (int i = 0; i < ${lanes.slice(1)}; ++i) v[i] = ${one}(x[i]);
  return v;
}`,
    };
  }
  const made = /^(?:(splat|min|max|add|sub|mul)_)?([a-z]+\d+)x(\d+)$/.exec(name);
  const dtype = byShortName.get(made?.[2] ?? "");
  if (!made || !dtype) return undefined;
  const lanes = Number(made[3]);
  const type = vectorType(dtype, lanes);
  const element = cpuTypes.storage(dtype);
  switch (made[1]) {
    case "splat":
      // x - 0 is x for every x; x + 0 is not for -0.
      return { needs: [type], text: `${qualifier} ${type} ${name}(${element} x) { return x - (${type}){0}; }` };
    case "min":
    case "max": {
      const better = made[1] === "min" ? "<" : ">";
      return {
        needs: [type],
        text: `${qualifier} ${type} ${name}(${type} a, ${type} b) {
  ${type} v;
  for (int i = 0; i < ${lanes}; ++i) v[i] = a[i] ${better} b[i] ? a[i] : b[i];
  return v;
}`,
      };
    }
    case "add":
    case "sub":
    case "mul":
      // Signed overflow is undefined; unsigned arithmetic wraps.
      return {
        needs: [type],
        text: `${qualifier} ${type} ${name}(${type} a, ${type} b) {
  typedef unsigned ${element} words __attribute__((vector_size(${dtypeBytes(dtype, lanes)})));
  return (${type})((words)a ${operatorOf[made[1]]} (words)b);
}`,
      };
    default: {
      const align = dtypeBytes(dtype);
      return {
        text: `typedef ${element} ${type} __attribute__((vector_size(${dtypeBytes(dtype, lanes)}), aligned(${align}), may_alias));`,
      };
    }
  }
}

export const cpuHelper = (name: string): Helper | undefined =>
  conversions[name] ??
  float8Helper(name, float8) ??
  commonHelper(name, { qualifier, types: valueTypes, atomic }) ??
  vectorHelper(name);
