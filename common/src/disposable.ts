/** Node 20 has Symbol.asyncDispose but no AsyncDisposableStack. This is the part of it that Warpfarm uses. */
export class AsyncStack implements AsyncDisposable {
  #undo: (() => unknown)[] = [];
  /** Registers a clean-up; they run in reverse order, each exactly once. */
  defer(undo: () => unknown): void {
    this.#undo.push(undo);
  }
  use<T extends AsyncDisposable>(resource: T): T {
    this.defer(() => resource[Symbol.asyncDispose]());
    return resource;
  }
  /** Idempotent. Runs every clean-up even if one throws; the first error is thrown at the end. */
  async [Symbol.asyncDispose](): Promise<void> {
    const undo = this.#undo.reverse();
    this.#undo = [];
    const errors: unknown[] = [];
    for (const f of undo) {
      try {
        await f();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}
