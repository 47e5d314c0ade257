/** Elements of a tensor by an expression of their number `i`, as KTT's tuning scripts fill inputs. */
import { type DType, digestOf, err, ok, type Result, toDigest } from "@warpfarm/common";
import { evaluateEach, Fault, namesOf, parseExpression, plain } from "@warpfarm/compiler/language";
import type { TensorValues } from "./tensor-values.ts";

/** More elements than a script gives by an expression each. */
const most = 1 << 20;

const arrays = {
  float32: Float32Array,
  float64: Float64Array,
  int8: Int8Array,
  uint8: Uint8Array,
  int32: Int32Array,
} as const;

/** The error begins with the field. */
export function generatedValues(text: string, dtype: DType, size: number | string): Result<TensorValues, string> {
  const array = arrays[dtype as keyof typeof arrays];
  if (array === undefined) return err(`Type: a generator fills ${Object.keys(arrays).join(", ")}, and this is ${dtype}`);
  if (typeof size !== "number" || !Number.isInteger(size) || size < 1 || size > most)
    return err(`Size: ${size}; a generator fills 1 to ${most} elements, a number that is the same in every config`);
  const parsed = parseExpression(text);
  if (!parsed.ok) return err(`DataSource: ${parsed.error}`);
  const unknown = [...namesOf(parsed.value)].find((name) => name !== "i");
  if (unknown !== undefined) return err(`DataSource: ${JSON.stringify(text)} uses ${unknown}; an element's number is i`);
  const made = evaluateEach(
    parsed.value,
    "i",
    Array.from({ length: size }, (_, i) => i),
  );
  const numbers = made.map((value) => (value instanceof Fault ? Number.NaN : Number(plain(value))));
  const bad = numbers.findIndex((number) => !Number.isFinite(number));
  if (bad >= 0) {
    const why = made[bad] instanceof Fault ? made[bad].message : "is no number";
    return err(`DataSource: ${JSON.stringify(text)} ${why} where i is ${bad}`);
  }
  const elements = array.from(numbers);
  const bytes = new Uint8Array(elements.buffer);
  return ok({ type: dtype, dtypes: [dtype], shape: [size], bytes, word: text, digest: toDigest(digestOf(bytes)) });
}
