/**
 * Element types in CUDA C++ without headers: float16, bfloat16 and floats of 8 bits are words, converted by PTX (float16) or by
 * bit arithmetic (bfloat16: cvt.rn.bf16 exists from sm_80 on only, those of 8 bits from sm_89), computed with as float. Vectors
 * are structs with the alignment of their size, so that the compiler moves them with one ld/st.v2 or .v4 (PTX ISA, "Vectors as
 * operands"). Those of elements narrower than a word hold words, or part of one: lanes of 8 or 16 bits would be registers of
 * their own, taken apart and packed again wherever one of two vectors is chosen (ADR 134).
 */
import { type DType, dtypeBits, isFloat8 } from "@warpfarm/common";
import { roundTo } from "../../ir/numeric.ts";
import { float8Helper } from "../c-family/float8.ts";
import { commonHelper, type Helper } from "../c-family/prelude.ts";
import {
  allDTypes,
  type CTypes,
  finiteLiteral,
  integerLiteral,
  integerTypes,
  mathFunction,
  shortName,
} from "../c-family/types.ts";
import { qualifier } from "./pieces.ts";
import { swizzleText } from "./swizzle.ts";

const isEmulated = (dtype: DType): boolean => dtype === "float16" || dtype === "bfloat16" || isFloat8(dtype);

function literal(dtype: DType, value: number): string {
  if (dtype === "float64" && !Number.isFinite(value)) {
    return `__longlong_as_double(0x${Number.isNaN(value) ? "7ff8" : value > 0 ? "7ff0" : "fff0"}000000000000LL)`;
  }
  if (dtype === "float64") return finiteLiteral(dtype, value);
  if (dtype !== "float32" && !isEmulated(dtype)) return integerLiteral(dtype, value);
  const rounded = roundTo(dtype)(value);
  if (Number.isFinite(rounded)) return finiteLiteral("float32", rounded);
  return `__int_as_float(0x${Number.isNaN(rounded) ? "7fc0" : rounded > 0 ? "7f80" : "ff80"}0000)`;
}

export const cudaTypes: CTypes = {
  constants: "__constant__",
  storage: (dtype) => {
    if (isEmulated(dtype)) return isFloat8(dtype) ? "unsigned char" : "unsigned short";
    return dtype === "float32" ? "float" : dtype === "float64" ? "double" : (integerTypes[dtype] ?? "int");
  },
  value: (dtype) => (isEmulated(dtype) ? "float" : cudaTypes.storage(dtype)),
  isEmulated,
  // cvt.rzi (PTX ISA): out of range gives the nearest value, NaN gives 0.
  castSaturates: (dtype) => dtype === "int32",
  literal,
  math: (name, dtype) => {
    if (name === "abs" && dtype !== "float32" && dtype !== "float64") return "abs";
    return mathFunction(name, dtype);
  },
};

export const cudaVectorBytes = 16;

const byShortName = new Map([...allDTypes].map((dtype) => [shortName[dtype], dtype]));
const valueTypes = Object.fromEntries([...allDTypes].map((dtype) => [shortName[dtype], cudaTypes.value(dtype)]));

const atomic = (operation: "and" | "or", value: string): string => `atomic${operation === "and" ? "And" : "Or"}(p, ${value});`;

const conversions: Readonly<Record<string, Helper>> = {
  f16_to_f32: {
    text: `${qualifier} float f16_to_f32(unsigned short x) { float y; asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x)); return y; }`,
  },
  f32_to_f16: {
    text: `${qualifier} unsigned short f32_to_f16(float x) { unsigned short y; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y) : "f"(x)); return y; }`,
  },
  round_f16: {
    needs: ["f16_to_f32", "f32_to_f16"],
    text: `${qualifier} float round_f16(float x) { return f16_to_f32(f32_to_f16(x)); }`,
  },
  bf16_to_f32: {
    text: `${qualifier} float bf16_to_f32(unsigned short x) { return __uint_as_float((unsigned int)x << 16); }`,
  },
  f32_to_bf16: {
    text: `${qualifier} unsigned short f32_to_bf16(float x) {
  unsigned int u = __float_as_uint(x);
  return x != x ? 0x7fc0 : (unsigned short)((u + 0x7fff + ((u >> 16) & 1)) >> 16);
}`,
  },
  f32_to_f16x2: joinedHalves("f16"),
  f32_to_bf16x2: joinedHalves("bf16"),
  // One instruction where a > b ? a : b takes two (PTX ISA, max). Of a NaN and a number it gives the number.
  max_f32: { text: `${qualifier} float max_f32(float a, float b) { return fmaxf(a, b); }` },
  min_f32: { text: `${qualifier} float min_f32(float a, float b) { return fminf(a, b); }` },
  round_tf32: {
    text: `${qualifier} float round_tf32(float x) { return x != x ? x : __uint_as_float((__float_as_uint(x) + 0x1000u) & 0xffffe000u); }`,
  },
  round_bf16: {
    needs: ["bf16_to_f32", "f32_to_bf16"],
    text: `${qualifier} float round_bf16(float x) { return bf16_to_f32(f32_to_bf16(x)); }`,
  },
};

/** The low half of a word is the first lane. */
function joinedHalves(name: string): Helper {
  const one = `f32_to_${name}`;
  const body = `return (unsigned int)${one}(low) | (unsigned int)${one}(high) << 16;`;
  return { needs: [one], text: `${qualifier} unsigned int ${one}x2(float low, float high) { ${body} }` };
}

/** Two at once. The first source becomes the upper half (PTX ISA, cvt, "cvt.frnd.f16x2.f32 d, a, b"). */
const convertedHalves = (name: string): Helper => ({
  text: `${qualifier} unsigned int f32_to_${name}x2(float low, float high) { unsigned int y; asm("cvt.rn.${name}x2.f32 %0, %1, %2;" : "=r"(y) : "f"(high), "f"(low)); return y; }`,
});

/** By one instruction where bit arithmetic takes six (PTX ISA, cvt). */
export const hopperConversions: Readonly<Record<string, Helper>> = {
  f32_to_bf16: {
    text: `${qualifier} unsigned short f32_to_bf16(float x) { unsigned short y; asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y) : "f"(x)); return y; }`,
  },
  f32_to_f16x2: convertedHalves("f16"),
  f32_to_bf16x2: convertedHalves("bf16"),
  round_tf32: {
    text: `${qualifier} float round_tf32(float x) { unsigned int y; asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(y) : "f"(x)); return __uint_as_float(y); }`,
  },
  ...float8Conversions("f8", "e4m3"),
  ...float8Conversions("bf8", "e5m2"),
};

/** Two at a time; the other one is 0. */
function float8Conversions(name: string, word: string): Readonly<Record<string, Helper>> {
  return {
    [`f32_to_${name}`]: {
      text: `${qualifier} unsigned char f32_to_${name}(float x) { unsigned short y; asm("cvt.rn.satfinite.${word}x2.f32 %0, 0f00000000, %1;" : "=h"(y) : "f"(x)); return (unsigned char)y; }`,
    },
    [`${name}_to_f32`]: {
      needs: ["f16_to_f32"],
      text: `${qualifier} float ${name}_to_f32(unsigned char x) { unsigned int y; asm("cvt.rn.f16x2.${word}x2 %0, %1;" : "=r"(y) : "h"((unsigned short)x)); return f16_to_f32((unsigned short)y); }`,
    },
  };
}
const float8 = { qualifier, bitsOf: "__float_as_uint", floatOf: "__uint_as_float" };

/** float32 with 4 lanes -> f32x4 */
export const vectorType = (dtype: DType, lanes: number): string => `${shortName[dtype]}x${lanes}`;

interface VectorWords {
  readonly type: "int" | "short" | "char";
  readonly count: number;
  readonly lanesEach: number;
}
/** The words, or the part of one, that a vector of elements narrower than a word holds. The first lane is in the lowest bits. */
export function vectorWords(dtype: DType, lanes: number): VectorWords | undefined {
  const bits = dtypeBits(dtype);
  if (bits >= 32) return undefined;
  const whole = bits * lanes;
  if (whole >= 32) return { type: "int", count: whole / 32, lanesEach: 32 / bits };
  return { type: whole === 16 ? "short" : "char", count: 1, lanesEach: lanes };
}

function vectorHelper(name: string): Helper | undefined {
  const splat = /^splat_([a-z]+\d+)x(\d+)$/.exec(name);
  const parts = /^([a-z]+\d+)x(\d+)$/.exec(splat ? name.slice("splat_".length) : name);
  const dtype = byShortName.get(parts?.[1] ?? "");
  const lanes = Number(parts?.[2]);
  if (!dtype || !parts) return undefined;
  const type = vectorType(dtype, lanes);
  const bits = dtypeBits(dtype);
  const words = vectorWords(dtype, lanes);
  if (!splat) {
    const member = words ? `unsigned ${words.type} word[${words.count}]` : `${cudaTypes.storage(dtype)} lane[${lanes}]`;
    return { text: `struct __align__(${(bits * lanes) / 8}) ${type} { ${member}; };` };
  }
  if (words) {
    const mask = 2 ** bits - 1;
    const all = new Array(words.count).fill(`(unsigned ${words.type})w`).join(", ");
    const repeated = `((unsigned int)x & ${mask}) * 0x${(0xffff_ffff / mask).toString(16)}u`;
    const body = `const unsigned int w = ${repeated}; const ${type} v = {{${all}}}; return v;`;
    return { needs: [type], text: `${qualifier} ${type} ${name}(int x) { ${body} }` };
  }
  const all = new Array(lanes).fill("x").join(", ");
  const head = `${qualifier} ${type} ${name}(${cudaTypes.storage(dtype)} x)`;
  return { needs: [type], text: `${head} { ${type} v = {{${all}}}; return v; }` };
}

function swizzle(name: string): Helper | undefined {
  const text = swizzleText(name);
  return text === undefined ? undefined : { text };
}

export const cudaHelper = (name: string): Helper | undefined =>
  conversions[name] ??
  float8Helper(name, float8) ??
  swizzle(name) ??
  commonHelper(name, { qualifier, types: valueTypes, atomic }) ??
  vectorHelper(name);
