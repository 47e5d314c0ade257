/** Random programs whose reductions are shared out over the threads of a row, as people write softmax, norms and sums of rows. */
import type { Random } from "@warpfarm/common";
import type { Scope } from "../../src/ir/buffer.ts";
import type { Var } from "../../src/ir/expr.ts";
import { ScheduleError } from "../../src/schedule/error.ts";
import { infer } from "../../src/schedule/infer.ts";
import { createSchedule, type Schedule } from "../../src/schedule/schedule.ts";
import { type LoopRef, loopOf, type StageRef } from "../../src/schedule/state.ts";
import { compute, maxOf, placeholder, reduceAxis, sum } from "../../src/te/compute.ts";
import { add, at, mul, sub } from "../../src/te/expr.ts";
import type { Graph } from "../../src/te/graph.ts";
import { graphOf } from "../../src/te/graph-of.ts";

const rowCount = 5;

/** Columns that no number of threads divides, and that most do: then rows lie apart for each warp. */
export const columnsOfRows = [37, 64] as const;

/**
 * Of each row the largest element, the sum of what is below it, and both again in every element. `along`: the same of each
 * column, in whose loops threads of a row have different elements.
 */
export function rowsGraph(columns: number, along: "rows" | "columns" = "rows"): Graph {
  const shape = [
    ["i", rowCount],
    ["j", columns],
  ] as const;
  const [[own, count], [, terms]] = along === "rows" ? shape : ([shape[1], shape[0]] as const);
  const a = placeholder("a", [rowCount, columns]);
  const read = (x: Var, y: Var) => (along === "rows" ? at(a, x, y) : at(a, y, x));
  const [k, l] = [reduceAxis("k", terms), reduceAxis("l", terms)];
  const m = compute("m", [[own, count]], (x) => maxOf(read(x, k.loopVar), [k]));
  const s = compute("s", [[own, count]], (x) => sum(sub(read(x, l.loopVar), at(m, x)), [l]));
  const out = compute("out", shape, (i, j) => {
    const x = along === "rows" ? i : j;
    return add(mul(at(a, i, j), at(m, x)), at(s, x));
  });
  return graphOf([a], [out]);
}

const threadsOf = [2, 4, 8, 16, 32, 32, 64, 96, 128];

class Rows {
  readonly sch: Schedule;
  readonly #random: Random;
  readonly #threads: number;

  constructor(graph: Graph, random: Random) {
    this.sch = createSchedule(graph);
    this.#random = random;
    this.#threads = random.pick(threadsOf);
  }

  #chance(of: number): boolean {
    return this.#random.below(of) === 0;
  }

  /** Shares out a reduction; what it does besides, chance says. */
  #share(stage: StageRef): void {
    const { sch } = this;
    if (this.#chance(6))
      sch.rfactor(sch.split(sch.reduceAxes(stage)[0] as LoopRef, [null, 2])[1] as LoopRef, this.#random.below(2));
    const [axis] = sch.reduceAxes(stage) as [LoopRef];
    const loops = sch.split(
      axis,
      this.#chance(3) ? [null, 2, this.#threads] : this.#chance(3) ? [this.#threads, null] : [null, this.#threads],
    );
    const lane =
      (loops.length === 3 ? loops[2] : loops.find((l) => loopOf(sch.state, l).extent === this.#threads)) ?? (loops[0] as LoopRef);
    sch.bind(lane, "threadIdx.x");
    if (this.#chance(2)) sch.reorder(this.#random.shuffle(loops));
    const spatial = sch.leaves(stage).filter((l) => loopOf(sch.state, l).kind === "spatial");
    if (this.#chance(3) && spatial.length > 0) {
      const [, inner] = sch.split(spatial.at(-1) as LoopRef, [null, 1 + this.#random.below(3)]) as [LoopRef, LoopRef];
      const rest = sch.leaves(stage).filter((l) => l !== inner);
      sch.reorder([...rest.slice(0, 1 + this.#random.below(rest.length)), inner]);
      if (this.#chance(3)) sch.bind(inner, this.#random.pick(["vthread", "threadIdx.y"] as const));
      else if (this.#chance(2)) sch.unroll(inner);
    }
    if (this.#chance(4)) sch.decomposeReduction(stage, this.#random.pick(sch.leaves(stage)));
  }

  run(): void {
    const { sch } = this;
    const out = sch.stage("out");
    const [i, j] = sch.axes(out) as [LoopRef, LoopRef];
    const [block, row] = sch.split(i, [null, 1 + this.#random.below(3)]) as [LoopRef, LoopRef];
    const [turn, lane] = sch.split(j, [null, this.#chance(4) ? 4 : this.#threads]) as [LoopRef, LoopRef];
    sch.bind(block, "blockIdx.x");
    if (!this.#chance(4)) sch.bind(row, this.#chance(5) ? "vthread" : "threadIdx.y");
    if (!this.#chance(4)) sch.bind(lane, "threadIdx.x");
    for (const name of ["m", "s"]) {
      const stage = sch.stage(name);
      const at = this.#random.pick([block, row, row, turn, lane]);
      if (!this.#chance(5)) sch.computeAt(stage, out, at);
      if (this.#chance(2)) sch.setScope(stage, this.#random.pick<Scope>(["shared", "local"]));
      if (this.#chance(6)) continue;
      if (this.#chance(4)) {
        const cache = sch.cacheWrite(stage, this.#random.pick<Scope>(["shared", "local"]));
        sch.computeAt(cache, stage, sch.axes(stage)[0] as LoopRef);
        this.#share(cache);
      } else this.#share(stage);
    }
    if (this.#chance(2)) this.#stage(this.sch.stage(this.#random.pick(["m", "s"])));
  }

  /** A copy of what a reduction reads; often in shared memory, row by row, each thread a piece of its row. */
  #stage(reader: StageRef): void {
    const { sch } = this;
    const scope = this.#random.pick<Scope>(["shared", "shared", "local"]);
    const copy = sch.cacheRead(sch.graph.inputs[0] as Graph["inputs"][number], scope, [reader]);
    sch.computeAt(copy, reader, this.#chance(2) ? (sch.leaves(reader)[0] as LoopRef) : this.#random.pick(sch.leaves(reader)));
    const [row, column] = sch.axes(copy) as [LoopRef, LoopRef];
    if (this.#chance(3)) return;
    sch.bind(this.#chance(2) ? column : (sch.split(column, [this.#threads, null])[0] as LoopRef), "threadIdx.x");
    if (!this.#chance(3)) sch.bind(row, "threadIdx.y");
  }
}

/** Of the programs that chance draws the first that is not refused: about one in five. */
export function sharedRows(graph: Graph, random: Random): Schedule {
  for (;;) {
    const rows = new Rows(graph, random);
    try {
      rows.run();
      if (infer(rows.sch.state).ok) return rows.sch;
    } catch (error) {
      if (!(error instanceof ScheduleError)) throw error;
    }
  }
}
