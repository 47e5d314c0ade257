/**
 * Vector clocks: which accesses are in the past of which. The source of the method is C. Flanagan and S. N. Freund, "FastTrack:
 * Efficient and Precise Dynamic Race Detection", PLDI 2009: an access is an epoch, an agent and the agent's clock, and another
 * one comes after it if that one's vector has the agent at this clock or later.
 *
 * Agents of a block, in the order of their entries in a vector:
 *   threads    one each, the producer last
 *   copies     one for each thread: its groups of asynchronous copies, which are complete when it has waited for them
 *   products   one for each warp: its groups of matrix products. A product is one of all warps of its team
 *   reads      one for each warpgroup, whose first thread may have the engine store: what the engine reads of shared memory
 *   stores     the same: what it writes to global memory, not before the kernel's end
 *   slots      one for each slot of a channel: the boxes of its turns
 * The vector of a cluster has those of all its blocks. Every kernel, and every iteration of a parallel loop, has new agents.
 *
 * Vectors never change, so all threads that met at a barrier share one. Edges between agents are Gatherings: some give what they
 * have in their past, and others take it.
 */
import { teamSize } from "../../ir/agent.ts";
import { channelsOf } from "../../ir/bulk.ts";
import { isProduct } from "../../ir/parts.ts";
import type { Channel, Stmt } from "../../ir/stmt.ts";
import { holds, walkStmt } from "../../ir/visit.ts";

export type Past = Int32Array;

/** The entries of a block's agents, and their number. */
export interface Entries {
  readonly copies: number;
  readonly products: number;
  readonly reads: number;
  readonly stores: number;
  readonly slots: ReadonlyMap<Channel, number>;
  readonly size: number;
}

export function entriesOf(body: Stmt, threads: number): Entries {
  let hasProducts = false;
  walkStmt(body, (s) => {
    hasProducts ||= isProduct(s);
  });
  const storing = Math.ceil(threads / teamSize.warpgroup);
  const copies = threads + 1;
  const products = copies + (holds(body, "Async") ? threads : 0);
  // A warpgroup that is not full counts as whole.
  const reads = products + (hasProducts ? Math.ceil(threads / teamSize.warpgroup) * warpsOfGroup : 0);
  const stores = reads + storing;
  const slots = new Map<Channel, number>();
  let size = stores + storing;
  for (const channel of channelsOf(body)) {
    slots.set(channel, size);
    size += channel.slots;
  }
  return { copies, products, reads, stores, slots, size };
}

export const warpsOfGroup = teamSize.warpgroup / teamSize.warp;

/** What runs together: a cluster of blocks, or an iteration of a parallel loop. */
export interface World {
  /** The number of its first agent. Agents with smaller numbers are of others. */
  readonly base: number;
  /** Agents with smaller numbers are of earlier kernels. */
  readonly kernel: number;
  readonly entries: Entries;
  readonly size: number;
  /** Names for messages, by block. */
  readonly names: readonly string[];
  readonly meetings: Gathering[];
}

/** Numbers of agents, which are never used again. */
export class Agents {
  #free = 1;
  get next(): number {
    return this.#free;
  }
  take(count: number): number {
    const first = this.#free;
    this.#free += count;
    return first;
  }
}

export function worldOf(agents: Agents, kernel: number, entries: Entries, names: readonly string[]): World {
  const size = entries.size * names.length;
  return { base: agents.take(size), kernel, entries, size, names, meetings: [] };
}

// Loops, not calls for each entry: vectors are long, and tests of races spend a third of their time here.
function covers(a: Past, b: Past): boolean {
  for (let i = 0; i < b.length; i++) if ((b[i] as number) > (a[i] as number)) return false;
  return true;
}

function union(a: Past, b: Past): Past {
  if (a === b || covers(a, b)) return a;
  if (covers(b, a)) return b;
  const both = a.slice();
  raise(both, b);
  return both;
}

/** What all of them have. */
export function common(pasts: readonly Past[]): Past {
  const [first, ...others] = [...new Set(pasts)] as [Past, ...Past[]];
  if (others.length === 0) return first;
  const all = first.slice();
  for (const other of others)
    for (let i = 0; i < all.length; i++) if ((other[i] as number) < (all[i] as number)) all[i] = other[i] as number;
  return all;
}

/** A union with one vector for many, who mostly have the same. */
class Shared {
  readonly #own: Past;
  #from: Past | undefined;
  #to: Past | undefined;
  constructor(own: Past) {
    this.#own = own;
  }
  with(past: Past): Past {
    if (past !== this.#from || !this.#to) {
      this.#from = past;
      this.#to = union(past, this.#own);
    }
    return this.#to;
  }
}

/** Collects what some have in their past and what they have fenced, for others. */
export class Gathering {
  readonly past: Past;
  readonly fenced: Past;
  #lastPast: Past | undefined;
  #lastFenced: Past | undefined;
  #edge: { readonly past: Shared; readonly fenced: Shared } | undefined;

  constructor({ size }: World) {
    this.past = new Int32Array(size);
    this.fenced = new Int32Array(size);
  }
  add(past: Past, fenced: Past): void {
    if (past !== this.#lastPast) raise(this.past, past);
    if (fenced !== this.#lastFenced) raise(this.fenced, fenced);
    this.#lastPast = past;
    this.#lastFenced = fenced;
  }
  /** What is taken, when all have given. */
  get edge(): { readonly past: Shared; readonly fenced: Shared } {
    this.#edge ??= { past: new Shared(this.past), fenced: new Shared(this.fenced) };
    return this.#edge;
  }
}

function raise(all: Past, by: Past): void {
  for (let i = 0; i < all.length; i++) if ((by[i] as number) > (all[i] as number)) all[i] = by[i] as number;
}
