/** What the threads of a block share, and what the blocks of a cluster see of each other. */
import type { Buffer } from "../../ir/buffer.ts";
import type { Expr, Var } from "../../ir/expr.ts";
import { eachPart } from "../../ir/parts.ts";
import type { Barrier, Channel, Fold, Invoke, Stmt, StmtKind } from "../../ir/stmt.ts";
import type { Cluster, Ring } from "../channels.ts";
import { meets } from "../plan.ts";
import type { Access, Clock } from "./clock.ts";
import type { Agents, Gathering, World } from "./clocks.ts";
import type { Cells } from "./memory.ts";

export interface Block {
  readonly isLaunched: boolean;
  readonly agents: Agents;
  readonly world: World;
  /** By thread; the producer is the last. */
  readonly clocks: Clock[];
  /** Arrays of the block and of its warps, by name of owner and array: one for each time that the allocation was reached. */
  readonly arrays: Map<string, Cells[]>;
  readonly threads: number;
  /** Threads that threadIdx.x tells apart. */
  readonly row: number;
  readonly hasRoles: boolean;
  /** The number of folds over the cluster that it has come to. */
  folds: number;
  readonly rings: Map<Channel, DirectRing>;
  /** The channel of an array that has slots. */
  readonly slots: Map<Buffer, DirectRing>;
  readonly cluster: Cluster;
  readonly peers: readonly Block[];
  readonly rank: number;
}

/** A thread, for what it has the copy engine or its team do. */
export interface Actor {
  readonly id: number;
  readonly block: Block;
  readonly clock: Clock;
  readonly vars: ReadonlyMap<Var, number>;
  number(e: Expr): number;
  values(indices: readonly Expr[]): readonly number[];
  cells(buffer: Buffer): Cells;
  read(buffer: Buffer, place: number, by: Access): number;
  run(s: Stmt): Generator<Pause, void>;
}

export interface DirectRing {
  readonly ring: Ring;
  /** Boxes by turn. They arrive when the first thread has awaited the turn. */
  readonly onTheirWay: Map<number, (() => void)[]>;
  readonly lanes: Map<string, number>;
  /** By turn: what is in the past of its boxes, and of those who have released it. */
  readonly filled: Map<number, Gathering>;
  readonly released: Map<number, Gathering>;
}

/** A point at which a thread waits until others have come. */
export type Pause =
  | { readonly kind: "barrier"; readonly agent: Barrier["agent"] }
  | { readonly kind: "condition"; readonly value: boolean }
  | { readonly kind: "fold"; readonly stmt: Fold }
  /** `waits` says what it still waits for. */
  | { readonly kind: "channel"; readonly waits: () => string | undefined }
  | { readonly kind: "invoke"; readonly stmt: Invoke; readonly places: readonly number[] };

const pausing: ReadonlySet<StmtKind> = new Set(["Barrier", "Fold", "Invoke", "AllocChannel", "Fill", "Drain", "Await", "Roles"]);
const known = new WeakMap<Stmt, boolean>();

/** Whether a thread may pause in it, or it runs as on several processors. */
export function pauses(s: Stmt): boolean {
  let found = known.get(s);
  if (found === undefined) {
    found = pausing.has(s.kind) || (s.kind === "For" && s.forKind === "parallel") || (s.kind === "If" && meets(s.body));
    eachPart(
      s,
      (part) => {
        found ||= pauses(part);
      },
      () => {},
    );
    known.set(s, found);
  }
  return found;
}
