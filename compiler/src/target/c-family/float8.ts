/**
 * Conversions of the floats of 8 bits (common/dtype.ts) by bit arithmetic. A float of 8 bits has the bits of a float32 of another
 * exponent: multiplied by a power of two it is the value, and the smallest ones come out right with it. The other way the
 * fraction is rounded to even; below the least exponent an addition does that.
 */
import type { Helper } from "./prelude.ts";

interface Form {
  readonly fraction: number;
  readonly bias: number;
  readonly largest: string;
  /** From these bits on there are no numbers. */
  readonly beyond: string;
}
const forms: Readonly<Record<string, Form>> = {
  f8: { fraction: 3, bias: 7, largest: "448.0f", beyond: "0x7f" },
  bf8: { fraction: 2, bias: 15, largest: "57344.0f", beyond: "0x7c" },
};

export interface Bits {
  readonly qualifier: string;
  /** Functions of a float's bits as an unsigned int, and of the float that has some. */
  readonly bitsOf: string;
  readonly floatOf: string;
  readonly needs?: readonly string[];
}

/** f8_to_f32, f32_to_bf8, round_f8 and the like. */
export function float8Helper(name: string, { qualifier, bitsOf, floatOf, needs = [] }: Bits): Helper | undefined {
  const [, kind = "", other = ""] = /^(round_|f32_to_)?(b?f8)(?:_to_f32)?$/.exec(name) ?? [];
  const form = forms[other];
  if (!form) return undefined;
  const { fraction, bias, largest, beyond } = form;
  const shift = 23 - fraction;
  if (kind === "round_")
    return {
      needs: [`${other}_to_f32`, `f32_to_${other}`],
      text: `${qualifier} float ${name}(float x) { return ${other}_to_f32(f32_to_${other}(x)); }`,
    };
  if (kind === "f32_to_")
    return {
      needs,
      text: `${qualifier} unsigned char ${name}(float x) {
  const unsigned int u = ${bitsOf}(x), sign = u >> 24 & 0x80;
  if (x != x) return 0x7f;
  const float size = x < 0.0f ? -x : x, m = size > ${largest} ? ${largest} : size;
  if (m < ${2 ** (1 - bias)}f) return (unsigned char)(sign | (${bitsOf}(m + ${2 ** (24 - bias - fraction)}.0f) & 0xff));
  const unsigned int v = ${bitsOf}(m);
  return (unsigned char)(sign | (v - ${(127 - bias) << 23}u + ${2 ** (shift - 1) - 1}u + (v >> ${shift} & 1)) >> ${shift});
}`,
    };
  if (name !== `${other}_to_f32`) return undefined;
  const infinite = other === "bf8" ? `(x & 3) == 0 ? ${floatOf}((x & 0x80u) << 24 | 0x7f800000u) : ` : "";
  return {
    needs,
    text: `${qualifier} float ${name}(unsigned char x) {
  if ((x & 0x7f) >= ${beyond}) return ${infinite}${floatOf}(0x7fc00000u);
  const float m = ${floatOf}((x & 0x7fu) << ${shift}) * ${floatOf}(${(127 + 127 - bias) << 23}u);
  return x & 0x80 ? -m : m;
}`,
  };
}
