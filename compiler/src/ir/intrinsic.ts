/**
 * An intrinsic is data: what it computes (one op over tiles), where its operands live, and the PTX that does it. The meaning is what tensorize
 * compares with a loop nest and what the interpreter runs; the text is only printed. A warp executes it together.
 *
 * Fragments are registers of the 32 lanes. Which lane keeps which element is the layout's secret; two operands agree when their layouts
 * have one name, and only intrinsics touch a buffer in a fragment's scope (source-programs §6.8).
 */
import type { Buffer, Scope } from "./buffer.ts";
import type { Expr, Var } from "./expr.ts";

export const registerTypes = ["b32", "f32", "s32", "f64"] as const;
export type RegisterType = (typeof registerTypes)[number];

/** How a warp keeps one tile. */
export interface Fragment {
  readonly layout: string;
  readonly register: RegisterType;
  /** Registers of each lane. */
  readonly count: number;
}

export interface IntrinsicOperand {
  /** The tensor's in the semantics. */
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Elements between neighbours per dimension of the tile; null = any, the text's `{name.stride}`. */
  readonly strides: readonly (number | null)[];
  /** The first element stands at a multiple of so many elements, and free strides are multiples of `strideFactor`. */
  readonly offsetFactor: number;
  readonly strideFactor: number;
  /** Exactly when the scopes are fragments'. */
  readonly fragment: Fragment | undefined;
}

/** output[axes] = body, or combiner over `reduce` of body: as a graph's op, with each dimension of a tensor indexed by one axis. */
export interface TileOp {
  readonly inputs: readonly Buffer[];
  readonly output: Buffer;
  readonly axes: readonly { readonly loopVar: Var; readonly extent: number }[];
  readonly reduce: readonly { readonly loopVar: Var; readonly extent: number }[];
  readonly combiner?: "sum" | "max" | "min";
  readonly body: Expr;
}

/** The whole op; its output's start values; one more step of its reduction, added to what is there. */
export const invokeForms = ["body", "init", "update"] as const;
export type InvokeForm = (typeof invokeForms)[number];

export interface Intrinsic {
  readonly name: string;
  readonly op: TileOp;
  /** Inputs in order, then the output. */
  readonly operands: readonly IntrinsicOperand[];
  /** Compute capability times ten. */
  readonly minCapability: number;
  /** PTX of each form there is, with holes for operands (target/cuda/intrinsic-text.ts). */
  readonly text: Readonly<Partial<Record<InvokeForm, string>>>;
}

export const isFragmentScope = (scope: Scope): boolean => scope.startsWith("wmma.");

/** The operands that a form touches: the start values need no inputs. */
export const operandsOf = (intrinsic: Intrinsic, form: InvokeForm): readonly IntrinsicOperand[] =>
  form === "init" ? intrinsic.operands.slice(-1) : intrinsic.operands;

/** The tensor an operand stands for. */
export function tensorOf({ op }: Intrinsic, operand: IntrinsicOperand): Buffer {
  return op.inputs.find((tensor) => tensor.name === operand.name) ?? op.output;
}
