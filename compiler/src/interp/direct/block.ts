/** What the threads of a block share, and what the blocks of a cluster see of each other. */
import type { Team } from "../../ir/agent.ts";
import type { Barrier, Channel, Fold, Invoke } from "../../ir/stmt.ts";
import type { Cluster, Ring } from "../channels.ts";
import type { Flights } from "./flights.ts";
import type { Cells } from "./memory.ts";

export class Numbers {
  #last = 0;
  next(): number {
    return ++this.#last;
  }
}

export interface Block {
  readonly numbers: Numbers;
  kernel: number;
  unit: number;
  phase: number | undefined;
  periods: Record<Team, number> | undefined;
  arrived: number;
  /** Arrays of the block and of its warps, by name of owner and array: one for each time that the allocation was reached. */
  readonly arrays: Map<string, Cells[]>;
  readonly threads: number;
  /** Threads that threadIdx.x tells apart. */
  readonly row: number;
  /** The number of folds over the cluster that it has come to. */
  folds: number;
  readonly rings: Map<Channel, DirectRing>;
  readonly flights: Flights;
  readonly cluster: Cluster;
  readonly peers: readonly Block[];
  readonly rank: number;
  /** Fences before the last barrier of the block and of a warpgroup, by thread. */
  fenced: Readonly<Record<"block" | "warpgroup", readonly number[]>>;
}

export interface DirectRing {
  readonly ring: Ring;
  /** Boxes by turn. They arrive when the first thread has awaited the turn. */
  readonly onTheirWay: Map<number, (() => void)[]>;
  readonly lanes: Map<string, number>;
}

/** A point at which a thread waits until others have come. */
export type Pause =
  /** `arrived`: the last group of copies for which the thread has waited since the previous barrier. */
  | { readonly kind: "barrier"; readonly agent: Barrier["agent"]; readonly arrived: number | undefined }
  | { readonly kind: "condition"; readonly value: boolean }
  | { readonly kind: "fold"; readonly stmt: Fold }
  /** `waits` says what it still waits for. */
  | { readonly kind: "channel"; readonly waits: () => string | undefined }
  | { readonly kind: "invoke"; readonly stmt: Invoke; readonly places: readonly number[] };
