/**
 * Values by name, in one table for each package and subject. An unknown name is an error that lists the known ones, so no name
 * gets another's value.
 */
import { badInput, FarmError } from "./farm-error.ts";

export class Registry<T> {
  readonly #what: string;
  readonly #entries: Map<string, T>;

  constructor(what: string, entries: Readonly<Record<string, T>>) {
    this.#what = what;
    this.#entries = new Map(Object.entries(entries));
  }

  get names(): readonly string[] {
    return [...this.#entries.keys()];
  }
  get all(): readonly T[] {
    return [...this.#entries.values()];
  }
  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /** Throws FarmError INVALID_ARGUMENT that lists the known names. */
  of(name: string): T {
    const found = this.#entries.get(name);
    if (found !== undefined) return found;
    throw badInput(`${this.#what} ${JSON.stringify(name)} is not known; known are ${this.names.join(", ")}`);
  }

  /** Adds the value until the result is disposed. Throws FarmError ALREADY_EXISTS for a name that is taken. */
  add(name: string, value: T): Disposable {
    if (this.#entries.has(name)) throw new FarmError("ALREADY_EXISTS", `${this.#what} ${JSON.stringify(name)} is there already`);
    this.#entries.set(name, value);
    return { [Symbol.dispose]: () => void this.#entries.delete(name) };
  }
}
