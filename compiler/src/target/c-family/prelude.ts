/**
 * Typedefs and helper functions that a text needs, each once, in the order of first use, what they rest on before them. Texts include no
 * header, so everything they use stands in them.
 */
import { invariant } from "@warpfarm/common";

export interface Helper {
  readonly needs?: readonly string[];
  readonly text: string;
}
/** Knows every helper by name; undefined when there is none. */
export type HelperTable = (name: string) => Helper | undefined;

export class Prelude {
  readonly #table: HelperTable;
  readonly #used = new Map<string, string>();

  constructor(table: HelperTable) {
    this.#table = table;
  }
  /** The name, once its text is in. */
  use(name: string): string {
    if (!this.#used.has(name)) {
      const helper = this.#table(name);
      invariant(helper, `no helper ${name}`);
      for (const need of helper.needs ?? []) this.use(need);
      this.#used.set(name, helper.text);
    }
    return name;
  }
  call(name: string, argument: string): string {
    return `${this.use(name)}(${argument})`;
  }
  get text(): string {
    return [...this.#used.values()].join("\n");
  }
}

/** floor_div_*, floor_mod_*, min_*, max_*: the same in C and CUDA but for the qualifier. `types` maps short names to C types. */
export function commonHelper(name: string, qualifier: string, types: Readonly<Record<string, string>>): Helper | undefined {
  const parts = /^(floor_div|floor_mod|min|max)_([a-z]+\d+)$/.exec(name);
  const type = parts && types[parts[2] ?? ""];
  if (!parts || !type) return undefined;
  const head = `${qualifier} ${type} ${name}(${type} a, ${type} b)`;
  switch (parts[1]) {
    case "floor_div":
      return { text: `${head} { return a / b - (a % b != 0 && (a % b < 0) != (b < 0)); }` };
    case "floor_mod":
      return { text: `${head} { return a % b + (a % b != 0 && (a % b < 0) != (b < 0) ? b : 0); }` };
    case "min":
      return { text: `${head} { return a < b ? a : b; }` };
    default:
      return { text: `${head} { return a > b ? a : b; }` };
  }
}
