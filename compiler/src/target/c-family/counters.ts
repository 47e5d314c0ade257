/**
 * Remainders of a loop's variable kept by counters, where a step to the next is cheaper than a division:
 *
 *   for k: S[(k + 2) % 3]   ->   int k_mod_3 = 2;  for k: { S[k_mod_3]; k_mod_3 = k_mod_3 == 2 ? 0 : k_mod_3 + 1; }
 *
 * A loop's counters are made as its body is printed, and declared before it afterwards. A power of two needs none: its remainder
 * is a mask.
 */
import type { Binary, Var } from "../../ir/expr.ts";
import type { Names } from "./names.ts";

interface Counter {
  readonly of: number;
  readonly from: number;
}

export class Counters {
  readonly #names: Names;
  readonly #loops = new Map<Var, Counter[]>();

  constructor(names: Names) {
    this.#names = names;
  }

  open(loopVar: Var): void {
    this.#loops.set(loopVar, []);
  }

  nameOf({ a, b: by }: Binary): string | undefined {
    const [variable, from] = a.kind === "Add" && a.b.kind === "IntImm" ? [a.a, Number(a.b.value)] : [a, 0];
    if (variable.kind !== "Var" || by.kind !== "IntImm" || from < 0) return undefined;
    const counters = this.#loops.get(variable);
    const of = Number(by.value);
    if (!counters || Number.isInteger(Math.log2(of))) return undefined;
    const known = counters.find((counter) => counter.of === of && counter.from === from);
    if (known) return this.#names.get(known);
    const counter = { of, from };
    counters.push(counter);
    return this.#names.declare(counter, `${variable.name}_mod_${of}`);
  }

  steps(loopVar: Var): readonly string[] {
    return this.#of(loopVar).map(({ name, of }) => `${name} = ${name} == ${of - 1} ? 0 : ${name} + 1;`);
  }

  /** The statements before the loop; names that they declare are taken as long as the braces around are open. */
  close(loopVar: Var): { readonly declarations: readonly string[]; readonly declared: readonly object[] } {
    const declarations = this.#of(loopVar).map(({ name, of, from }) => `int ${name} = ${from % of};`);
    const declared = this.#loops.get(loopVar) ?? [];
    this.#loops.delete(loopVar);
    return { declarations, declared };
  }

  #of(loopVar: Var): readonly (Counter & { readonly name: string })[] {
    return (this.#loops.get(loopVar) ?? []).map((counter) => ({ ...counter, name: this.#names.get(counter) }));
  }
}
