/**
 * A pass is a pure function between dialects. A pipeline is a list of passes whose dialects fit, which the type checker verifies.
 * A pass returns the identical object when it changes nothing.
 */
import type { Dialect, PrimFunc } from "../ir/prim-func.ts";

export interface Pass<A extends Dialect, B extends Dialect> {
  readonly name: string;
  readonly run: (func: PrimFunc<A>) => PrimFunc<B>;
}
export const definePass = <A extends Dialect, B extends Dialect>(
  name: string,
  run: (func: PrimFunc<A>) => PrimFunc<B>,
): Pass<A, B> => ({ name, run });

export interface PassHooks {
  readonly before?: (pass: string) => void;
  readonly after?: (pass: string, func: PrimFunc, changed: boolean) => void;
}

export class Pipeline<A extends Dialect, B extends Dialect> {
  readonly #passes: readonly Pass<Dialect, Dialect>[];
  private constructor(passes: readonly Pass<Dialect, Dialect>[]) {
    this.#passes = passes;
  }
  static start<D extends Dialect>(): Pipeline<D, D> {
    return new Pipeline<D, D>([]);
  }
  add<C extends Dialect>(pass: Pass<B, C>): Pipeline<A, C> {
    return new Pipeline<A, C>([...this.#passes, pass as unknown as Pass<Dialect, Dialect>]);
  }
  get passNames(): readonly string[] {
    return this.#passes.map((pass) => pass.name);
  }
  run(func: PrimFunc<A>, hooks: PassHooks = {}): PrimFunc<B> {
    // The chain of add() has checked every joint; the last pass left dialect B.
    return this.#run(func, hooks) as PrimFunc<B>;
  }
  /** Stops after the pass of that name; runs all if there is none. */
  runUntil(func: PrimFunc<A>, until: string, hooks: PassHooks = {}): PrimFunc {
    return this.#run(func, hooks, until);
  }
  #run(func: PrimFunc, hooks: PassHooks, until?: string): PrimFunc {
    let current: PrimFunc = func;
    for (const pass of this.#passes) {
      hooks.before?.(pass.name);
      const next = pass.run(current);
      hooks.after?.(pass.name, next, next !== current);
      current = next;
      if (pass.name === until) break;
    }
    return current;
  }
}
export const pipeline = <D extends Dialect>(): Pipeline<D, D> => Pipeline.start<D>();

export const withBody = <D extends Dialect>(func: PrimFunc<D>, body: PrimFunc["body"]): PrimFunc<D> =>
  body === func.body ? func : { ...func, body };
