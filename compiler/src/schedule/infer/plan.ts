/** The facts that inference collects of each computed stage. */
import { Analyzer } from "../../arith/analyzer.ts";
import type { Linear, VarAtom } from "../../arith/linear.ts";
import type { Buffer, Scope } from "../../ir/buffer.ts";
import type { Expr, Load, Var } from "../../ir/expr.ts";
import { askedOf, type LoopRef, type Stage, type StageRef, type State } from "../state.ts";

export interface Drain {
  readonly loop: LoopRef;
  readonly step: number;
  readonly scope: Scope;
  readonly path: readonly LoopRef[];
  readonly below: readonly LoopRef[];
}

export interface StagePlan {
  readonly stage: Stage;
  readonly body: Expr;
  readonly decay: Expr | undefined;
  /** Those of body and decay. */
  readonly loads: readonly Load[];
  /** The computed range of each dimension: [base, base + extent). */
  readonly base: readonly Linear[];
  readonly extents: readonly number[];
  readonly buffer: Buffer;
  /** Whether the buffer is inside a nest; otherwise it is an argument. */
  readonly isInner: boolean;
  /** The tensor's element at the buffer's first. */
  readonly origin: readonly Linear[];
  /** Set for a stage that is computed after one of its producer's loops: it takes all that is computed there. */
  readonly drain: Drain | undefined;
  /** Of a scan that goes along with a loop around it: the element of the step before, for each element of the buffer. */
  readonly before: Buffer | undefined;
  /** The number of arrays of the buffer: the loop around fills one while it uses another. */
  readonly arrays: number;
  readonly scope: Scope;
  readonly path: readonly LoopRef[];
  readonly root: StageRef;
  readonly env: ReadonlyMap<Var, Linear>;
}

export const isCopiedByEngine = (stage: Stage): boolean => askedOf(stage).engine !== undefined;
/** Whether it lies in the slots of another stage, and has no memory of its own. */
export const isInRing = (stage: Stage): boolean => askedOf(stage).ring !== undefined;

export class Plan {
  readonly state: State;
  readonly analyzer = new Analyzer();
  readonly stages: (StagePlan | undefined)[];
  readonly extents: number[];
  readonly values: Linear[];
  /** Loops by atom id. Only this file declares variables. */
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
