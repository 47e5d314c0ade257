/**
 * An intrinsic is data: what it computes (one op over tiles), where its operands live, and the PTX that does it. tensorize
 * compares the op with a loop nest, and the interpreter runs it; the text is only printed. A team of threads executes it
 * together.
 *
 * Fragments are registers of the team's lanes. Two operands agree when their layouts have one name. If the layout says which lane
 * keeps which element (`places`), a lane's own code may read its elements; otherwise only intrinsics touch the buffer.
 */
import type { TargetNeed } from "@warpfarm/common";
import type { Team } from "./agent.ts";
import type { Buffer, Scope } from "./buffer.ts";
import type { Expr, Var } from "./expr.ts";
import type { Combiner } from "./stmt.ts";

export const registerTypes = ["b32", "f32", "s32", "f64"] as const;
export type RegisterType = (typeof registerTypes)[number];

/**
 * The lane that keeps an element of a tile, and its slot there: register times elements per register, plus the element's
 * position. One to one.
 */
export interface Places {
  readonly axes: readonly Var[];
  readonly lane: Expr;
  readonly slot: Expr;
}

export interface Fragment {
  readonly layout: string;
  readonly register: RegisterType;
  readonly count: number;
  /** Absent: the layout is opaque. */
  readonly places?: Places;
}

/** An operand in memory; each lane gets the address of its own element. */
export interface LaneAddress {
  readonly lane: Var;
  readonly indices: readonly Expr[];
}

/**
 * An operand in shared memory that the hardware reads by itself from a 64-bit descriptor of the tile's place and layout: rows of
 * `swizzle` bytes, swizzled as the copy engine does for rows of that length, eight rows per block.
 */
export interface Descriptor {
  /** Neighbours in memory are neighbours of the reduction (k), or of the other dimension (mn). */
  readonly major: "k" | "mn";
  readonly swizzle: DescriptorSwizzle;
}
export const descriptorSwizzles = [32, 64, 128] as const;
export type DescriptorSwizzle = (typeof descriptorSwizzles)[number];

export interface IntrinsicOperand {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Elements between neighbours per dimension of the tile; null = any, the text's `{name.stride}`. */
  readonly strides: readonly (number | null)[];
  /** The first element is at a multiple of this number of elements; free strides are multiples of `strideFactor`. */
  readonly offsetFactor: number;
  readonly strideFactor: number;
  readonly fragment: Fragment | undefined;
  /** Absent (like `descriptor`): all lanes get the first element's address. */
  readonly address?: LaneAddress;
  readonly descriptor?: Descriptor;
}

/**
 * output[axes] = body, or combiner over `reduce` of body: as a graph's op, with each dimension of a tensor indexed by one axis.
 */
export interface TileOp {
  readonly inputs: readonly Buffer[];
  readonly output: Buffer;
  readonly axes: readonly { readonly loopVar: Var; readonly extent: number }[];
  readonly reduce: readonly { readonly loopVar: Var; readonly extent: number }[];
  readonly combiner?: Combiner;
  readonly body: Expr;
}

/** The whole op; its output's start values; one more step of its reduction. */
export const invokeForms = ["body", "init", "update"] as const;
export type InvokeForm = (typeof invokeForms)[number];

export interface Intrinsic {
  readonly name: string;
  readonly op: TileOp;
  readonly operands: readonly IntrinsicOperand[];
  readonly agent: Team;
  readonly needs: TargetNeed;
  /** The engine that continues after the team has started it, until a Wait for its group. Absent: none. */
  readonly engine?: "wgmma";
  /** PTX of each existing form, with holes for operands (target/cuda/intrinsic-text.ts). */
  readonly text: Readonly<Partial<Record<InvokeForm, string>>>;
}

/** The operands of a form. Start values need no inputs. */
export const operandsOf = (intrinsic: Intrinsic, form: InvokeForm): readonly IntrinsicOperand[] =>
  form === "init" ? intrinsic.operands.slice(-1) : intrinsic.operands;

export function tensorOf({ op }: Intrinsic, operand: IntrinsicOperand): Buffer {
  return op.inputs.find((tensor) => tensor.name === operand.name) ?? op.output;
}
