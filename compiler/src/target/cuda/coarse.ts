/**
 * Exponentials and quotients in kernels whose results are float16 or bfloat16. `expf` and the division of IEEE 754 take 8 and 15
 * instructions an element, some of them behind a branch; the machine's own take 2 and 3. Their errors are below the thousandth
 * part of the results' rounding: ex2.approx.ftz.f32 has 2 ulp, and the product before it adds |x| ulp, as the rounding of x
 * itself does; a quotient by the reciprocal has 2 ulp (PTX ISA, "ex2", "div"), and is infinite where 1 / b is, or NaN of 0.
 * PyTorch's compiled kernels do the same.
 *
 * A kernel that decides by a computed float (floor, a comparison, a conversion to an integer) keeps the exact ones: a neighbour
 * of the right value would decide otherwise.
 */
import { isFloat } from "@warpfarm/common";
import type { Expr } from "../../ir/expr.ts";
import { touches } from "../../ir/parts.ts";
import type { Stmt } from "../../ir/stmt.ts";
import { walkExpr, walkStmt } from "../../ir/visit.ts";
import type { Helper } from "../c-family/prelude.ts";
import type { CPrinter } from "../c-family/printer.ts";
import { cudaTypes } from "./dtype.ts";
import { qualifier } from "./pieces.ts";

const helpers: Readonly<Record<string, Helper>> = {
  coarse_exp: {
    text: `${qualifier} float coarse_exp(float x) { float y; asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x * 1.442695f)); return y; }`,
  },
  coarse_exp2: {
    text: `${qualifier} float coarse_exp2(float x) { float y; asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); return y; }`,
  },
  // The scale keeps 1 / b from underflow. Calls of one divisor share all but the last product, which those of an asm would not.
  coarse_div: {
    text: `${qualifier} float coarse_div(float a, float b) {
  const float scale = fabsf(b) > 8.507059e37f ? 0.25f : 1.0f;
  return a * (__fdividef(1.0f, b * scale) * scale);
}`,
  },
};

export const coarseHelper = (name: string): Helper | undefined => helpers[name];

const steps: readonly string[] = ["floor", "ceil", "round"];

/** Whether neighbouring values of floats may give results far apart. */
function decides(e: Expr): boolean {
  switch (e.kind) {
    case "Call":
      return steps.includes(e.name);
    case "Cast":
      return isFloat(e.value.dtype) && !isFloat(e.dtype);
    case "EQ":
    case "NE":
    case "LT":
    case "LE":
    case "GT":
    case "GE":
      return isFloat(e.a.dtype);
    default:
      return false;
  }
}

/** Whether all that the kernel leaves in memory are floats of 16 bits, which no decision by a float has shaped. */
export function isCoarse(body: Stmt): boolean {
  let isOf16Bits = true;
  let isDecided = false;
  walkStmt(
    body,
    (s) => {
      for (const { buffer, how } of touches(s))
        if (how === "write" && buffer.scope === "global") isOf16Bits &&= cudaTypes.isEmulated(buffer.dtype);
    },
    (e) =>
      walkExpr(e, (part) => {
        isDecided ||= decides(part);
      }),
  );
  return isOf16Bits && !isDecided;
}

/** The text of an exponential or quotient of float32; undefined of other arithmetic. */
export function coarseText(printer: CPrinter, e: Expr): string | undefined {
  if (e.dtype !== "float32") return undefined;
  if (e.kind === "Call" && e.name === "exp") return printer.prelude.call("coarse_exp", printer.expr(e.args[0] as Expr));
  if (e.kind === "Call" && e.name === "exp2") return printer.prelude.call("coarse_exp2", printer.expr(e.args[0] as Expr));
  if (e.kind === "Div") return printer.prelude.call("coarse_div", `${printer.expr(e.a)}, ${printer.expr(e.b)}`);
  return undefined;
}
