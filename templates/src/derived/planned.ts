/** What a target's rules make of a computation. */
import type { Graph } from "@warpfarm/compiler/language";
import type { Group } from "./groups.ts";
import type { Part } from "./part.ts";

export interface Nest {
  readonly group: Group;
  readonly part: Part;
  /** Where the part's steps are refused. */
  readonly direct: Part;
  /** Stages that a knob of this nest stores or inlines. */
  readonly before?: readonly string[];
  /** Why the group has no better rule, as `space --explain` says it. */
  readonly why?: string;
}

export interface Planned {
  /** The computation that is scheduled: the given one, or one with the same result whose products are written as matrices. */
  readonly graph: Graph;
  readonly nests: readonly Nest[];
  /** Names of stages that are inlined into their readers. */
  readonly inlined: readonly string[];
}
