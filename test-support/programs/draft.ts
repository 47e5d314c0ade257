/** A schedule that grows at random, and the state from which its moves draw. */
import type { Random } from "@warpfarm/common";
import type { Scope } from "../../compiler/src/ir/buffer.ts";
import { walkExpr } from "../../compiler/src/ir/visit.ts";
import { createSchedule, type Schedule } from "../../compiler/src/schedule/schedule.ts";
import { type LoopRef, loopOf, type Stage, type State } from "../../compiler/src/schedule/state.ts";
import type { Graph } from "../../compiler/src/te/graph.ts";

/** A move that has nothing to act on in this state. */
export class NoPlace extends Error {}

export type Flavour = "cuda" | "cpu";

export class Draft {
  sch: Schedule;
  readonly graph: Graph;
  readonly random: Random;
  readonly flavour: Flavour;

  constructor(graph: Graph, random: Random, flavour: Flavour) {
    this.graph = graph;
    this.random = random;
    this.flavour = flavour;
    this.sch = createSchedule(graph);
  }

  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new NoPlace();
    return this.random.pick(items);
  }
  get state(): State {
    return this.sch.state;
  }
  get stages(): readonly Stage[] {
    return this.state.stages.filter((s) => s.placement.kind !== "inline");
  }
  stage(): Stage {
    return this.pick(this.stages);
  }
  leaf(): LoopRef {
    return this.pick(this.stage().leaves);
  }
  spatialLeaves(stage: Stage): LoopRef[] {
    return stage.leaves.filter((l) => loopOf(this.state, l).kind === "spatial");
  }
  readersOf(name: string): Stage[] {
    return this.stages.filter((s) => {
      let found = false;
      walkExpr(s.body, (e) => {
        found ||= e.kind === "Load" && e.buffer.name === name;
      });
      return found;
    });
  }
  scope(): Scope {
    return this.pick<Scope>(this.flavour === "cuda" ? ["shared", "shared", "local", "local", "global"] : ["local", "global"]);
  }
  factors(): (number | null)[] {
    const parts = this.random.below(4) === 0 ? 3 : 2;
    const factors: (number | null)[] = Array.from({ length: parts }, () => 1 + this.random.below(5));
    if (this.random.below(8) > 0) factors[this.random.below(parts)] = null;
    return factors;
  }
}
