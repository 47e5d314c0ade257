/**
 * What inference knows of each stage that is computed somewhere (not inlined): filled in consumers first, read by the nest
 * builder. All sums belong to the plan's one Analyzer, whose variables are the leaf loops of all stages.
 */
import { Analyzer } from "../../arith/analyzer.ts";
import type { Linear, VarAtom } from "../../arith/linear.ts";
import type { Buffer, Scope } from "../../ir/buffer.ts";
import type { Expr, Load, Var } from "../../ir/expr.ts";
import type { LoopRef, Stage, StageRef, State } from "../state.ts";

export interface Drain {
  /** The leaf at whose end it is taken. */
  readonly loop: LoopRef;
  readonly step: number;
  readonly scope: Scope;
  /** Loops around the buffer, innermost first. */
  readonly path: readonly LoopRef[];
  /** Leaves inside that loop. */
  readonly below: readonly LoopRef[];
}

export interface StagePlan {
  readonly stage: Stage;
  /** The formula with inlined stages put in. */
  readonly body: Expr;
  readonly loads: readonly Load[];
  /** Per dimension, what is computed: [base, base + extent). */
  readonly base: readonly Linear[];
  readonly extents: readonly number[];
  /** What it writes: whole, or in the shape of what is kept at a time. */
  readonly buffer: Buffer;
  /** The buffer lives inside a nest; else it is an argument. */
  readonly isInner: boolean;
  /** The tensor's element at the buffer's first. */
  readonly origin: readonly Linear[];
  /** A stage computed after one of its loops takes all that it has computed there. */
  readonly drain: Drain | undefined;
  /** How many there are of the buffer; the loop around fills one while it uses another. */
  readonly arrays: number;
  readonly scope: Scope;
  /** Loops around the nest, innermost first; empty at the root. */
  readonly path: readonly LoopRef[];
  /** The root stage whose nest this one stands in. */
  readonly root: StageRef;
  /** Values of the formula's axes over the loops. */
  readonly env: ReadonlyMap<Var, Linear>;
}

/** Does the copy engine fill the stage, or write it? */
export const isCopiedByEngine = ({ annotations }: Stage): boolean =>
  annotations.remarks?.some(({ key }) => key === "copy_by") ?? false;

export class Plan {
  readonly state: State;
  readonly analyzer = new Analyzer();
  /** By stage. */
  readonly stages: (StagePlan | undefined)[];
  /** By loop: iterations in its place. */
  readonly extents: number[];
  /** By loop: its value over the leaves of its stage, from 0. */
  readonly values: Linear[];
  /** By atom id: variables are declared here only. */
  readonly #loops: LoopRef[] = [];

  constructor(state: State) {
    this.state = state;
    this.stages = new Array(state.stages.length).fill(undefined);
    this.extents = new Array(state.loops.length).fill(0);
    this.values = new Array(state.loops.length);
  }

  declare(ref: LoopRef, variable: Var, extent: number): void {
    this.#loops[this.analyzer.declare(variable, extent).id] = ref;
  }
  /** The leaf whose variable this is. */
  loopOfVariable(atom: VarAtom): LoopRef | undefined {
    return this.#loops[atom.id];
  }
  planOf(ref: StageRef): StagePlan | undefined {
    return this.stages[ref];
  }
}

/**
 * Stages at the head of a nest, in the order of the nests: each stands where the last of the stages computed after its loops
 * stands.
 */
export function rootsOf(plan: Plan): readonly StageRef[] {
  const places = new Map<StageRef, number>();
  plan.state.order.forEach((ref, i) => {
    const planned = plan.planOf(ref);
    if (planned && (planned.root === ref || planned.stage.placement.kind === "after")) places.set(planned.root, i);
  });
  return [...places].sort(([, i], [, j]) => i - j).map(([ref]) => ref);
}
