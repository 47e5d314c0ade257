/**
 * The text of an intrinsic: PTX with named holes. For an operand x in
 *   registers   {x} the list {r0, r1, ...}        {x.3} the fourth register
 *   memory      {x} the address                   {x.stride} its free stride       {x.space} .shared or .global, for the instruction's name
 * Braces of PTX itself are doubled. The compiler binds registers and addresses; a text cannot name anything of the kernel around
 * it. Of a memory operand with a descriptor {x} is that 64-bit number.
 */
import type { Intrinsic, IntrinsicOperand } from "../ir/intrinsic.ts";

type HoleKind = "whole" | "stride" | "space" | number;
type TextPart = string | { readonly operand: IntrinsicOperand; readonly hole: HoleKind };

/** Never throws: returns the parts, or why the text cannot be read, as the end of a sentence. */
export function parseText(text: string, operands: readonly IntrinsicOperand[]): readonly TextPart[] | { readonly wrong: string } {
  const parts: TextPart[] = [];
  let plain = "";
  for (let i = 0; i < text.length; i++) {
    const c = text[i] as string;
    if ((c === "{" || c === "}") && text[i + 1] === c) {
      plain += c;
      i++;
      continue;
    }
    if (c === "}") return { wrong: `a "}" at ${i} closes no hole; write a brace of PTX twice` };
    if (c !== "{") {
      plain += c;
      continue;
    }
    const end = text.indexOf("}", i);
    if (end < 0) return { wrong: `the hole at ${i} is not closed` };
    const [name = "", field, ...rest] = text.slice(i + 1, end).split(".");
    const operand = operands.find((o) => o.name === name);
    const hole = operand && rest.length === 0 ? holeOf(operand, field) : undefined;
    if (!operand || hole === undefined)
      return {
        wrong: `the hole {${text.slice(i + 1, end)}} names no operand; operands are ${operands.map((o) => o.name).join(", ")}`,
      };
    if (plain !== "") parts.push(plain);
    plain = "";
    parts.push({ operand, hole });
    i = end;
  }
  if (plain !== "") parts.push(plain);
  return parts;
}

function holeOf(operand: IntrinsicOperand, field: string | undefined): HoleKind | undefined {
  if (field === undefined) return "whole";
  if (operand.fragment) return /^\d{1,3}$/.test(field) && Number(field) < operand.fragment.count ? Number(field) : undefined;
  if (field === "space") return "space";
  return field === "stride" && operand.strides.includes(null) ? "stride" : undefined;
}

export function textParts(intrinsic: Intrinsic, text: string, operands: readonly IntrinsicOperand[]): readonly TextPart[] {
  const parts = parseText(text, operands);
  if ("wrong" in parts) throw new TypeError(`${intrinsic.name}: ${parts.wrong}`);
  return parts;
}
