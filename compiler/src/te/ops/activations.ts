/**
 * Activations: functions of one element, for formulas and for the tails of operators. Those of floats say so when given another.
 */
import type { Expr } from "../../ir/expr.ts";
import { add, div, erf, maximum, minimum, mul, sigmoid, tanh } from "../expr.ts";

/** x times the standard normal distribution's share below x (Hendrycks and Gimpel, 2016): x (1 + erf(x / sqrt(2))) / 2 */
export const gelu = (x: Expr): Expr => mul(mul(x, 0.5), add(1, erf(mul(x, Math.SQRT1_2))));

/** The same by x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2, which differs by 5e-4 at most. */
export const geluTanh = (x: Expr): Expr =>
  mul(mul(x, 0.5), add(1, tanh(mul(Math.sqrt(2 / Math.PI), add(x, mul(mul(mul(x, x), x), 0.044715))))));

/** x / (1 + e^-x) */
export const silu = (x: Expr): Expr => mul(x, sigmoid(x));

/** min(max(x, 0), 6) */
export const relu6 = (x: Expr): Expr => minimum(maximum(x, 0), 6);

/** min(max(x + 3, 0), 6) / 6 */
export const hardSigmoid = (x: Expr): Expr => div(relu6(add(x, 3)), 6);

/** x min(max(x + 3, 0), 6) / 6 */
export const hardSwish = (x: Expr): Expr => mul(x, hardSigmoid(x));
