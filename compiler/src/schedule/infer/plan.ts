/**
 * What inference knows of each stage that is computed (not inlined). It is filled in consumers first and read by the nest
 * builder. All sums belong to the plan's one Analyzer, whose variables are the leaf loops of all stages.
 */
import { Analyzer } from "../../arith/analyzer.ts";
import type { Linear, VarAtom } from "../../arith/linear.ts";
import type { Buffer, Scope } from "../../ir/buffer.ts";
import type { Expr, Load, Var } from "../../ir/expr.ts";
import { askedOf, type LoopRef, type Stage, type StageRef, type State } from "../state.ts";

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
  /** The computed range of each dimension: [base, base + extent). */
  readonly base: readonly Linear[];
  readonly extents: readonly number[];
  /** What it writes: the whole tensor, or an array in the shape of the kept region. */
  readonly buffer: Buffer;
  /** The buffer is inside a nest; otherwise it is an argument. */
  readonly isInner: boolean;
  /** The tensor's element at the buffer's first. */
  readonly origin: readonly Linear[];
  /** Set for a stage that is computed after one of its producer's loops: it takes all that is computed there. */
  readonly drain: Drain | undefined;
  /** Number of arrays of the buffer: the loop around fills one while it uses another. */
  readonly arrays: number;
  readonly scope: Scope;
  /** Loops around the nest, innermost first; empty at the root. */
  readonly path: readonly LoopRef[];
  /** The root stage whose nest contains this one. */
  readonly root: StageRef;
  /** Values of the formula's axes over the loops. */
  readonly env: ReadonlyMap<Var, Linear>;
}

/** Does the copy engine fill the stage, or write it? */
export const isCopiedByEngine = (stage: Stage): boolean => askedOf(stage).engine !== undefined;

export class Plan {
  readonly state: State;
  readonly analyzer = new Analyzer();
  /** Plans by stage. */
  readonly stages: (StagePlan | undefined)[];
  /** Number of iterations of each loop in its place. */
  readonly extents: number[];
  /** Value of each loop over the leaves of its stage, from 0. */
  readonly values: Linear[];
  /** By atom id. Only this file declares variables. */
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
 * Stages at the head of a nest, in the order of the nests. A nest comes at the place of the last stage that is computed after its
 * loops.
 */
export function rootsOf(plan: Plan): readonly StageRef[] {
  const places = new Map<StageRef, number>();
  plan.state.order.forEach((ref, i) => {
    const planned = plan.planOf(ref);
    if (planned && (planned.root === ref || planned.stage.placement.kind === "after")) places.set(planned.root, i);
  });
  return [...places].sort(([, i], [, j]) => i - j).map(([ref]) => ref);
}
