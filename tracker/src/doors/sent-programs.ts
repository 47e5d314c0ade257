/**
 * A program's digest alone names only programs that the principal has sent. Shared records show digests to everybody, and a
 * program's digest would otherwise give its code and text. What was sent to this tracker is remembered. For the rest the store
 * knows who sent and measured a program first. Without named principals all programs belong to everybody.
 */
import type { Queryable } from "../store/database.ts";
import { type NewInput, type ProgramInput, programsOf } from "../store/sql/new-input.ts";
import { sentBefore } from "../store/sql/sent-before.ts";

const keepAtMost = 50_000;

const nameOf = (principal: string, digest: string): string => `${principal} ${digest}`;

export class SentPrograms {
  readonly #db: Queryable;
  readonly #known = new Set<string>();

  constructor(db: Queryable) {
    this.#db = db;
  }

  /** Marks each program that an input names by its digest and that the principal never sent. */
  async marked(inputs: readonly NewInput[]): Promise<readonly NewInput[]> {
    const asked = new Map<string, { readonly principal: string; readonly digest: string }>();
    for (const input of inputs) {
      const { principal = "local" } = input;
      if (principal === "local") continue;
      for (const { digest, sent } of programsOf(input)) {
        const name = nameOf(principal, digest);
        if (sent) this.#keep(name);
        else if (!this.#known.has(name)) asked.set(name, { principal, digest });
      }
    }
    if (asked.size === 0) return inputs;
    for (const { principal, digest } of await sentBefore(this.#db, [...asked.values()])) {
      const name = nameOf(principal, digest);
      if (asked.delete(name)) this.#keep(name);
    }
    // A program whose bytes come in this batch may be named before them.
    for (const name of asked.keys()) if (this.#known.has(name)) asked.delete(name);
    return asked.size === 0 ? inputs : inputs.map((input) => withMarks(input, asked));
  }

  #keep(name: string): void {
    if (this.#known.size >= keepAtMost) this.#known.clear();
    this.#known.add(name);
  }
}

function withMarks(input: NewInput, strange: ReadonlyMap<string, unknown>): NewInput {
  const { principal = "local", program, reference, others } = input;
  const mark = (p: ProgramInput): ProgramInput =>
    !p.sent && strange.has(nameOf(principal, p.digest)) ? { ...p, isAnothers: true } : p;
  return {
    ...input,
    program: mark(program),
    ...(reference ? { reference: mark(reference) } : {}),
    ...(others ? { others: others.map(mark) } : {}),
  };
}
