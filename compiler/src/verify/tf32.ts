/**
 * Tensor cores take float32 as tf32, and what they make of the last 13 bits is not defined. So every value that a product reads
 * as `tf32(x)` must have been rounded by `tf32` where it was written, in this kernel or in one before it.
 */
import type { Refusal } from "@warpfarm/common";
import type { Buffer } from "../ir/buffer.ts";
import type { Expr } from "../ir/expr.ts";
import { type IntrinsicOperand, operandsOf, tensorOf } from "../ir/intrinsic.ts";
import { tf32 } from "../ir/math.ts";
import { touches } from "../ir/parts.ts";
import type { Kernel } from "../ir/prim-func.ts";
import type { Invoke, Stmt } from "../ir/stmt.ts";
import { walkExpr, walkStmt } from "../ir/visit.ts";

/** What is written to an array: a value, the elements of another array, or what nothing is known of. */
type Written = Expr | Buffer | "unknown";

function writesIn(s: Stmt): readonly (readonly [Buffer, Written])[] {
  if (s.kind === "Store") return [[s.buffer, s.value]];
  if (s.kind === "BulkCopy") return [s.direction === "in" ? [s.shared, s.tensor.buffer] : [s.tensor.buffer, s.shared]];
  return touches(s).flatMap(({ buffer, how }): readonly (readonly [Buffer, Written])[] =>
    how === "write" ? [[buffer, "unknown"]] : [],
  );
}

class Roundings {
  readonly #written = new Map<Buffer, Written[]>();
  readonly #known = new Map<Buffer, boolean>();

  constructor(kernels: readonly Kernel[]) {
    for (const { func } of kernels)
      walkStmt(func.body, (s) => {
        for (const [buffer, value] of writesIn(s)) this.#written.set(buffer, [...(this.#written.get(buffer) ?? []), value]);
      });
  }

  /** Arrays that only copy each other are taken as rounded; what they hold was written by something else. */
  isRounded(buffer: Buffer): boolean {
    const known = this.#known.get(buffer);
    if (known !== undefined) return known;
    this.#known.set(buffer, true);
    const written = this.#written.get(buffer) ?? ["unknown"];
    const rounded = written.every((one) => one !== "unknown" && ("shape" in one ? this.isRounded(one) : this.#isValue(one)));
    this.#known.set(buffer, rounded);
    return rounded;
  }

  #isValue(e: Expr): boolean {
    switch (e.kind) {
      case "Call":
        return e.name === "tf32";
      case "FloatImm":
        return tf32(e.value) === e.value;
      case "Select":
        return this.#isValue(e.whenTrue) && this.#isValue(e.whenFalse);
      case "Broadcast":
        return this.#isValue(e.value);
      case "Load":
        return this.isRounded(e.buffer);
      default:
        return false;
    }
  }
}

/** The operands of which the intrinsic's body takes `tf32`. */
function roundedOperands({ intrinsic, form }: Invoke): readonly IntrinsicOperand[] {
  const tensors = new Set<Buffer>();
  walkExpr(intrinsic.op.body, (e) => {
    const [of] = e.kind === "Call" && e.name === "tf32" ? e.args : [];
    if (of?.kind === "Load") tensors.add(of.buffer);
  });
  return operandsOf(intrinsic, form).filter((operand) => tensors.has(tensorOf(intrinsic, operand)));
}

export function verifyRoundings(kernels: readonly Kernel[]): readonly Refusal[] {
  const found = new Map<Buffer, Refusal>();
  let roundings: Roundings | undefined;
  for (const { func } of kernels)
    walkStmt(func.body, (s) => {
      if (s.kind !== "Invoke") return;
      for (const operand of roundedOperands(s)) {
        roundings ??= new Roundings(kernels);
        const buffer = s.tiles[operandsOf(s.intrinsic, s.form).indexOf(operand)]?.buffer;
        if (buffer && !roundings.isRounded(buffer))
          found.set(buffer, {
            rule: "wgmma.tf32",
            message: `${s.intrinsic.name} takes ${buffer.name} as "${operand.name}", but not all that is written there was rounded by tf32 before`,
          });
      }
    });
  return [...found.values()];
}
