/** The clock of a thread, and the moments of what it does and starts. */
import { teamSize } from "../../ir/agent.ts";
import type { Stmt, Wait } from "../../ir/stmt.ts";
import { common, type Gathering, type Past, type World, warpsOfGroup } from "./clocks.ts";

/** Who accesses: a thread, or something that a thread or team started and that goes on by itself. */
export type Kind = "thread" | "copy" | "product" | "box" | "store";

/** When somebody accesses memory, and what came before. */
export interface Moment {
  readonly kind: Kind;
  readonly agent: number;
  readonly at: number;
  readonly past: Past;
  /** What the copy engine and products may read of what threads wrote. */
  readonly fenced: Past;
  /** Of something that a thread started: the thread, and its clock then. */
  readonly by: number;
  readonly byAt: number;
  /** Everything by agents with smaller numbers came before. */
  readonly since: number;
  /** The last group of products that the thread's warp, or all warps of the team, have waited for. */
  readonly waited: number;
  readonly world: World;
  readonly rank: number;
  readonly thread: number;
}

export interface Access {
  readonly moment: Moment;
  readonly site: Stmt;
  readonly isWrite: boolean;
}

/** Whether the access is in the past of the moment. */
export function isBefore({ moment: { kind, agent, at } }: Access, m: Moment): boolean {
  if (agent < m.since || agent === m.agent) return true;
  if (agent === m.by) return at <= m.byAt;
  const entry = agent - m.world.base;
  if (entry < 0) return false;
  if (kind !== "product") return (m.past[entry] as number) >= at;
  for (let i = 0; i < warpsOfGroup; i++) if ((m.past[entry + i] as number) < at) return false;
  return true;
}

/** Whether the copy engine or a product may read what a thread wrote: between them are a fence of the thread and a barrier. */
export function isFenced({ moment: { agent, at } }: Access, m: Moment): boolean {
  return agent < m.since || (m.fenced[agent - m.world.base] ?? 0) >= at;
}

/** For registers, which only their own warp and its products touch. */
export const isWaitedFor = ({ moment: { at } }: Access, m: Moment): boolean => m.waited >= at;

export class Clock {
  world: World;
  /** Everything by agents with smaller numbers came before. */
  since: number;
  readonly rank: number;
  readonly thread: number;
  /** Groups of copies that it has begun, and those that it has waited for. */
  readonly copies = { begun: 0, waited: 0 };
  /** Groups of products: begun, the open one (0 = none), the last with a product in it, and that one's name. */
  readonly products = { begun: 0, open: 0, last: 0, name: "" };
  #stores = 0;
  readonly #fence = { own: 0, copies: 0 };
  #now = 1;
  #past: Past;
  #fenced: Past;
  #moment: Moment | undefined;

  constructor(world: World, since: number, rank = 0, thread = 0) {
    this.world = world;
    this.since = since;
    this.rank = rank;
    this.thread = thread;
    this.#past = new Int32Array(world.size);
    this.#fenced = new Int32Array(world.size);
  }

  #entry(of: number): number {
    return this.rank * this.world.entries.size + of;
  }
  get #own(): number {
    return this.#entry(this.thread);
  }
  get #ownCopies(): number {
    return this.#entry(this.world.entries.copies + this.thread);
  }
  /** Entry of its warp's products. */
  get #ownProducts(): number {
    return this.#entry(this.world.entries.products + Math.floor(this.thread / teamSize.warp));
  }
  /** Its place among those who have the engine store: the first of each warpgroup. */
  get #storing(): number {
    return Math.ceil(this.thread / teamSize.warpgroup);
  }
  get waited(): number {
    return this.#past[this.#ownProducts] as number;
  }

  get moment(): Moment {
    this.#moment ??= this.#started("thread", this.#own, this.#now);
    return this.#moment;
  }
  #started(kind: Kind, entry: number, at: number): Moment {
    const { world, rank, thread, since } = this;
    const common = { past: this.#past, fenced: this.#fenced, since, waited: this.waited, world, rank, thread };
    return { kind, agent: world.base + entry, at, by: world.base + this.#own, byAt: this.#now, ...common };
  }
  #tick(): void {
    this.#now++;
    this.#moment = undefined;
  }

  /** A thread without a launch comes to a part of the program that has its own agents. */
  enter(world: World, since: number): void {
    this.world = world;
    this.since = since;
    this.#moment = undefined;
  }
  /** Earlier kernels have ended. */
  takeEarlierKernels(): void {
    this.since = this.world.kernel;
    this.#moment = undefined;
  }

  give(to: Gathering): void {
    to.add(this.#past, this.#fenced);
    to.past[this.#own] = this.#now;
    to.fenced[this.#own] = this.#fence.own;
    if (this.copies.begun > 0) {
      to.past[this.#ownCopies] = this.copies.waited;
      to.fenced[this.#ownCopies] = this.#fence.copies;
    }
    this.#tick();
  }
  take({ edge }: Gathering): void {
    this.#past = edge.past.with(this.#past);
    this.#fenced = edge.fenced.with(this.#fenced);
    this.#moment = undefined;
  }

  /** After the next barrier the engine may read what it wrote so far. */
  fence(): void {
    this.#fence.own = this.#now;
    this.#fence.copies = this.copies.waited;
    this.#tick();
  }

  beginCopies(): Moment {
    const started = this.#started("copy", this.#ownCopies, ++this.copies.begun);
    this.#tick();
    return started;
  }
  /** Of copies it learns itself, like the others, by the next edge. */
  wait({ engine, pending }: Wait): void {
    const { copies, products } = this;
    if (engine === "wgmma") this.#set(this.#ownProducts, products.begun - pending);
    else copies.waited = Math.max(copies.waited, copies.begun - pending);
  }
  #set(entry: number, at: number): void {
    if ((this.#past[entry] as number) >= at) return;
    this.#past = withEntry(this.#past, entry, at);
    this.#moment = undefined;
  }

  /** A box for a slot of a block of the cluster. */
  box(slot: number, turn: number, rank: number): Moment {
    return this.#started("box", rank * this.world.entries.size + slot, turn + 1);
  }
  beginStores(): { readonly reads: Moment; readonly writes: Moment } {
    const { reads, stores } = this.world.entries;
    const at = ++this.#stores;
    const started = {
      reads: this.#started("store", this.#entry(reads + this.#storing), at),
      writes: this.#started("store", this.#entry(stores + this.#storing), at),
    };
    this.#tick();
    return started;
  }
  /** The engine has read what the thread asked it to store. */
  storesAreRead(): void {
    if (this.#stores > 0) this.#set(this.#entry(this.world.entries.reads + this.#storing), this.#stores);
  }

  /** What a team does together: after what all of them have in their past. A product goes on until all have waited for it. */
  static together(team: readonly Clock[], product: { readonly group: number } | undefined): Moment {
    const [first] = team as [Clock];
    const own = first.moment;
    const past = common(team.map((clock) => clock.#past));
    const fenced = common(team.map((clock) => clock.#fenced));
    if (!product) return { ...own, past, fenced, waited: Math.min(...team.map(({ waited }) => waited)) };
    const agent = first.world.base + first.#ownProducts;
    for (const clock of team) clock.#tick();
    return { ...own, kind: "product", agent, at: product.group, past, fenced, by: agent, waited: Number.POSITIVE_INFINITY };
  }
}

let known: { readonly from: Past; readonly entry: number; readonly at: number; readonly to: Past } | undefined;

/** The lanes of a warp wait one after another, and then have one vector. */
function withEntry(from: Past, entry: number, at: number): Past {
  if (known?.from !== from || known.entry !== entry || known.at !== at) {
    const to = from.slice();
    to[entry] = at;
    known = { from, entry, at, to };
  }
  return known.to;
}

/** All of them give, and then all take what the others gave. */
export function meetAt(clocks: readonly Clock[], gathering: Gathering): void {
  for (const clock of clocks) clock.give(gathering);
  for (const clock of clocks) clock.take(gathering);
}
