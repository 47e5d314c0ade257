/**
 * A computation: the definition of every element of every tensor, without order or place. A tensor is its Buffer (scope
 * `global`). Bodies read other tensors with Load.
 */
import type { StatedTolerance } from "@warpfarm/common";
import type { Buffer } from "../ir/buffer.ts";
import type { Expr, Var } from "../ir/expr.ts";
import type { Combiner } from "../ir/stmt.ts";

export interface Axis {
  readonly loopVar: Var;
  readonly extent: number;
}

export type { Combiner };

/**
 * output[axes] = body, or = combiner over `reduce` of body when there is a combiner. `reduce` is empty exactly when it is absent.
 */
export interface ComputeOp {
  readonly output: Buffer;
  readonly axes: readonly Axis[];
  readonly reduce: readonly Axis[];
  readonly combiner?: Combiner;
  readonly body: Expr;
}

export interface Graph {
  /** The graph's inputs in the order of the caller's arguments. */
  readonly inputs: readonly Buffer[];
  /** Producers before consumers; names are unique over inputs and ops. */
  readonly ops: readonly ComputeOp[];
  /** Outputs of some ops, in argument order, after the inputs. */
  readonly outputs: readonly Buffer[];
  /** Tolerances of outputs that state one. Never empty. */
  readonly tolerances?: { readonly [output: string]: StatedTolerance };
}
