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
 * Two kinds of ops are recurrences, whose steps along one axis are done in order: a scan, and a sum with a decay.
 */
export interface ComputeOp {
  readonly output: Buffer;
  readonly axes: readonly Axis[];
  readonly reduce: readonly Axis[];
  readonly combiner?: Combiner;
  /** Of a sum: at each step of its first reduce axis, the sum so far is multiplied by this, before the step's terms are added. */
  readonly decay?: Expr;
  /** One of `axes`: the body reads the op's own element before along it, guarded where there is none. */
  readonly scan?: Axis;
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
