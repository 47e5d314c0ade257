/**
 * Owns child processes that answer requests, and replaces them when they die. The code in a child (a compiler, foreign native
 * code) may hang, crash or write what it likes into the channel, and only the child suffers. With `spare` a second child waits
 * ready, so a death costs no start-up time. With `reserve` a third child has loaded its code, so the next spare is ready soon.
 *
 *   FRESH   has run nothing for anybody   --call({ owner })--> KEPT for this owner, one child each
 *   KEPT    serves its owner only         --killed, dies, garbles, is not as it was before (child-look.ts), or `owners` others
 *                                           were served since--> gone
 *
 * A call without an owner is answered by a fresh child, which stays fresh: what is asked then is the host's own. A child that the
 * host kills is replaced at once: the next spare starts while it dies. When a child is ended, its whole process group is
 * (process-group.ts).
 */

import { systemClock } from "../clock.ts";
import { outOfFilesWords } from "../farm-error.ts";
import { invariant } from "../invariant.ts";
import { type NewId, randomId } from "../new-id.ts";
import { abortable } from "../signals.ts";
import { type ChildLook, leftBehind, lookAt } from "./child-look.ts";
import { FrameError } from "./frames.ts";
import { Child, type ChildOptions, type Ending } from "./hosted-child.ts";
import type { RequestMessage } from "./protocol.ts";

export interface Schema {
  safeParse(
    value: unknown,
  ):
    | { readonly success: true; readonly data: unknown }
    | { readonly success: false; readonly error: { readonly message: string } };
}

export interface ChildHostOptions extends ChildOptions {
  readonly name: string;
  readonly spare?: boolean;
  /** With `spare`: keep one more child that has called untilWanted() (serve.ts). It continues when it becomes the spare. */
  readonly reserve?: boolean;
  /** The form of answers and progress. A child that sends anything else is killed. */
  readonly speaks: { readonly answer: Schema; readonly progress: Schema };
  /** Owners for whom a child is kept at a time. Unset: 1. */
  readonly owners?: number;
  /** Whether a child is kept only while it is as it was before its owner's first request. */
  readonly watched?: boolean;
  /** Names requests, so that nobody can guess the name. */
  readonly newId?: NewId;
}

export type CallOutcome<A> =
  | { readonly kind: "answered"; readonly value: A }
  /** The handler in the child threw, which is a bug in our code; `message` and `stack` are the error's. */
  | { readonly kind: "threw"; readonly message: string; readonly stack: string }
  /** It wrote something else than an answer into its channel, and was killed. */
  | { readonly kind: "garbled"; readonly message: string }
  | { readonly kind: "killed"; readonly deadlineMs: number }
  | { readonly kind: "cancelled" }
  | { readonly kind: "exited"; readonly code: number; readonly output: string }
  | { readonly kind: "signalled"; readonly signal: string; readonly output: string }
  /** It never became ready. */
  | { readonly kind: "unstartable"; readonly message: string };

export interface CallOptions {
  readonly owner?: string;
  /** The child is killed after this many milliseconds in which this process ran; absent: none until onProgress sets one. */
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
  /** How long a child may still answer after the signal aborted, before it is killed. Unset: it is killed at once. */
  readonly graceMs?: number;
  /** The form of this answer. Unset: that of the host's options. */
  readonly answer?: Schema;
  /** Why the child may not send this progress now; it is killed then. */
  readonly refusalOf?: (value: unknown) => string | undefined;
  readonly onProgress?: (value: unknown, setDeadline: (ms: number | undefined) => void) => void;
}

const deadlineParts = 8;
/** Pauses between looks at a child in which something is not yet as before. */
const looksMs = [1, 2, 4, 8, 16, 32, 64, 128] as const;

export class ChildHost<Q, A> implements AsyncDisposable {
  readonly #options: ChildHostOptions;
  #fresh: Child[] = [];
  /** By owner; the one used last is the last. */
  readonly #kept = new Map<string, Child>();
  #reserve: Child | undefined;
  #last: Child | undefined;
  readonly #all = new Set<Child>();
  #looked: Promise<void> = Promise.resolve();
  #busy = false;
  #disposed = false;

  constructor(options: ChildHostOptions) {
    this.#options = options;
  }

  get pid(): number | undefined {
    const child = this.#last ?? this.#fresh[0];
    return child?.isUsable === true ? child.pid : undefined;
  }

  /**
   * Forks the missing children and waits until they are ready. With an owner the next call of this owner will find its child and
   * its spare. Throws with the child's message when one does not start.
   */
  async start({ owner }: Pick<CallOptions, "owner"> = {}): Promise<void> {
    await this.#looked;
    if (owner !== undefined) await this.#take(owner);
    this.#ensure(this.#needed());
    const kept = owner === undefined ? undefined : this.#kept.get(owner);
    for (const child of [...this.#fresh, ...(kept === undefined ? [] : [kept])])
      if (!(await child.ready)) throw new Error(this.#whyNotStarted(await child.ended, child));
  }

  /** Sends the request and waits for its outcome. Requires that no other call is in flight. Never rejects. */
  async call(request: Q, options: CallOptions = {}): Promise<CallOutcome<A>> {
    invariant(!this.#busy, `${this.#options.name}: one request at a time`);
    invariant(!this.#disposed, `${this.#options.name}: used after disposal`);
    this.#busy = true;
    try {
      await this.#looked;
      const isGivenUp = () => options.signal?.aborted === true;
      if (isGivenUp()) return { kind: "cancelled" };
      const child = await this.#take(options.owner);
      this.#ensure(this.#needed());
      const { ready } = child;
      // A caller that gives up while the child starts leaves it to the next call.
      const isReady = await (options.signal ? abortable(ready, options.signal).catch(() => false) : ready);
      if (isGivenUp()) return { kind: "cancelled" };
      if (!isReady) return { kind: "unstartable", message: this.#whyNotStarted(await child.ended, child) };
      const isWatched = this.#options.watched === true && options.owner !== undefined;
      if (isWatched && child.before === undefined) child.before = await firstLook(child);
      if (isGivenUp()) return { kind: "cancelled" };
      const outcome = await this.#exchange(child, request, options);
      if (isWatched && outcome.kind === "answered") this.#looked = this.#lookAgain(child);
      return outcome;
    } finally {
      this.#busy = false;
    }
  }

  /**
   * Ends the child that served last, when its state is no longer trusted. The next call gets another one. Requires that no call
   * is in flight.
   */
  async recycle(): Promise<void> {
    const child = this.#last;
    if (child === undefined) return;
    this.#end(child);
    await child.ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    for (const child of this.#all) child.kill();
    await Promise.all([...this.#all].map((child) => child.ended));
  }

  async #exchange(child: Child, request: Q, options: CallOptions): Promise<CallOutcome<A>> {
    const { newId = randomId, speaks } = this.#options;
    const id = newId();
    let given: CallOutcome<A> | undefined;
    let timer: NodeJS.Timeout | undefined;
    const giveUp = (outcome: CallOutcome<A>): void => {
      given ??= outcome;
      this.#end(child);
    };
    // The deadline is counted in parts. When this process stood still (a machine asleep, or overloaded), at most one part counts,
    // and the child's messages are read before the next part.
    const setDeadline = (ms: number | undefined, parts = deadlineParts): void => {
      clearTimeout(timer);
      if (ms === undefined) return;
      const next = () => (parts === 0 ? giveUp({ kind: "killed", deadlineMs: ms }) : setDeadline(ms, parts - 1));
      timer = setTimeout(next, parts === 0 ? 0 : ms / deadlineParts);
    };
    let grace: NodeJS.Timeout | undefined;
    const onAbort = (): void => {
      const end = () => giveUp({ kind: "cancelled" });
      if (options.graceMs === undefined) end();
      else grace = setTimeout(end, options.graceMs);
    };
    const answered = new Promise<CallOutcome<A>>((resolve) => {
      child.onMessage = (message) => {
        if (given !== undefined || message.kind === "ready") return;
        if (message.id !== id) throw new FrameError(`a message (${message.kind}) about another request came`);
        if (message.kind === "progress") {
          const value = checked("progress", speaks.progress, message.value);
          const refusal = options.refusalOf?.(value);
          if (refusal !== undefined) throw new FrameError(refusal);
          options.onProgress?.(value, (ms) => setDeadline(ms));
          return;
        }
        const outcome: CallOutcome<A> =
          message.kind === "answer"
            ? { kind: "answered", value: checked("answer", options.answer ?? speaks.answer, message.value) as A }
            : { kind: "threw", message: message.message, stack: message.stack };
        // It has nothing more to say.
        child.onMessage = undefined;
        child.onBroken = (why) => this.#broke(child, why);
        resolve(outcome);
      };
    });
    child.onBroken = (message) => giveUp({ kind: "garbled", message });
    const died = child.ended.then(
      (ending): CallOutcome<A> => given ?? (ending.kind === "unstartable" ? ending : { ...ending, output: child.tail }),
    );
    setDeadline(options.deadlineMs);
    options.signal?.addEventListener("abort", onAbort, { once: true });
    try {
      const message: RequestMessage = { id, request };
      child.send(message);
      const outcome = await Promise.race([answered, died]);
      if (outcome.kind === "threw") await this.recycle();
      return outcome;
    } finally {
      clearTimeout(timer);
      clearTimeout(grace);
      options.signal?.removeEventListener("abort", onAbort);
      child.onMessage = undefined;
      child.onBroken = (why) => this.#broke(child, why);
    }
  }

  #broke(child: Child, why: string): void {
    this.#options.onLine?.(`${this.#options.name}: ${why}; it is ended`);
    this.#end(child);
  }

  /** Kills a child. The next spare starts while it dies, which can take a while with a GPU. */
  #end(child: Child): void {
    child.kill();
    this.#forget(child);
    if (this.#options.spare === true && !this.#disposed) this.#ensure(2);
  }

  #forget(child: Child): void {
    this.#fresh = this.#fresh.filter((other) => other !== child);
    for (const [owner, other] of this.#kept) if (other === child) this.#kept.delete(owner);
  }

  /** Ends the child unless it returns to its earlier state. */
  async #lookAgain(child: Child): Promise<void> {
    let left = "something that cannot be seen: the system does not show its threads and mappings";
    for (const ms of [...looksMs, 0]) {
      if (!child.isUsable || this.#disposed) return;
      const now = lookAt(child.pid ?? 0);
      const found = child.before && now ? leftBehind(child.before, now) : { what: left, passing: false };
      if (found === undefined) return;
      left = found.what;
      if (!found.passing) break;
      await systemClock.sleep(ms);
    }
    if (!child.isUsable || this.#disposed) return;
    this.#options.onLine?.(`${this.#options.name}: a job left behind ${left}; the next one gets another process`);
    this.#end(child);
    await child.ended;
  }

  /** The owner's child: the one that is kept, otherwise a fresh one. */
  async #take(owner: string | undefined): Promise<Child> {
    this.#dropUnusable();
    if (owner === undefined) {
      if (this.#fresh[0] === undefined) this.#ensure(1);
      return this.#serves(this.#fresh[0] as Child);
    }
    const child = this.#kept.get(owner) ?? this.#fresh.shift() ?? this.#fork();
    this.#kept.delete(owner);
    this.#kept.set(owner, child);
    const displaced = [...this.#kept.values()].slice(0, -(this.#options.owners ?? 1));
    for (const other of displaced) {
      other.kill();
      this.#forget(other);
    }
    await Promise.all(displaced.map((other) => other.ended));
    return this.#serves(child);
  }

  #serves(child: Child): Child {
    this.#last = child;
    return child;
  }

  #needed(): number {
    const serving = this.#kept.size > 0 ? 0 : 1;
    return this.#options.spare === true ? serving + 1 : serving;
  }

  #ensure(count: number): void {
    this.#dropUnusable();
    const { reserve, spare } = this.#options;
    while (this.#fresh.length < count) {
      const child = this.#reserve ?? this.#fork();
      if (child === this.#reserve) child.release();
      this.#reserve = undefined;
      this.#fresh.push(child);
    }
    if (reserve === true && spare === true && count > 0) this.#reserve ??= this.#fork({ held: true });
  }

  /** Forgets dead children, and ends those that may open the wrong files. */
  #dropUnusable(): void {
    const stamp = this.#options.sandbox?.().stamp;
    for (const child of this.#all) {
      if (child.stamp !== stamp) child.kill();
      if (child.isUsable && child.stamp === stamp) continue;
      this.#forget(child);
      if (this.#reserve === child) this.#reserve = undefined;
    }
  }

  #fork({ held = false } = {}): Child {
    const child = new Child(this.#options, held);
    child.onBroken = (why) => this.#broke(child, why);
    this.#all.add(child);
    void child.ended.then(() => {
      this.#all.delete(child);
      this.#forget(child);
    });
    return child;
  }

  #whyNotStarted(ending: Ending, child: Child): string {
    const how =
      ending.kind === "exited"
        ? `exited with code ${ending.code}`
        : ending.kind === "signalled"
          ? `was ended by ${ending.signal}`
          : ending.message;
    if (/\bE[MN]FILE\b/.test(`${how} ${child.tail}`)) return `${this.#options.name} did not start: ${outOfFilesWords}`;
    return `${this.#options.name} did not start: it ${how}${child.tail === "" ? "" : `; it said: ${child.tail.trim()}`}`;
  }
}

async function firstLook(child: Child): Promise<ChildLook | undefined> {
  let before: ChildLook | undefined;
  for (const ms of looksMs) {
    const now = lookAt(child.pid ?? 0);
    if (now === undefined || (before !== undefined && leftBehind(before, now) === undefined)) return now;
    before = now;
    await systemClock.sleep(ms);
  }
  return undefined;
}

/** Throws FrameError. */
function checked(what: string, schema: Schema, value: unknown): unknown {
  const read = schema.safeParse(value);
  if (!read.success) throw new FrameError(`its ${what} has not the form that it must have: ${oneLine(read.error.message)}`);
  return read.data;
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").slice(0, 300);
