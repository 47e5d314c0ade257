/**
 * What inference knows of each stage that is computed somewhere (not inlined): filled in consumers first, read by the nest builder.
 * All sums belong to the plan's one Analyzer, whose variables are the leaf loops of all stages.
 */
import { Analyzer } from "../../arith/analyzer.ts";
import type { Linear, VarAtom } from "../../arith/linear.ts";
import type { Buffer, Scope } from "../../ir/buffer.ts";
import type { Expr, Load, Var } from "../../ir/expr.ts";
import type { LoopRef, Stage, StageRef, State } from "../state.ts";

export interface StagePlan {
  readonly stage: Stage;
  /** The formula with inlined stages put in. */
  readonly body: Expr;
  readonly loads: readonly Load[];
  /** Per dimension, what is computed: [base, base + extent). */
  readonly base: readonly Linear[];
  readonly extents: readonly number[];
  /** What it writes, in the shape of the region. */
  readonly buffer: Buffer;
  readonly scope: Scope;
  /** Loops around the nest, innermost first; empty at the root. */
  readonly path: readonly LoopRef[];
  /** The root stage whose nest this one stands in. */
  readonly root: StageRef;
  /** Values of the formula's axes over the loops. */
  readonly env: ReadonlyMap<Var, Linear>;
}

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
