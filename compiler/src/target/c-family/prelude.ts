/**
 * Typedefs and helper functions that a text needs, each once, in the order of first use, after those on which they depend. Texts
 * include no header, so they contain everything that they use.
 */
import { invariant } from "@warpfarm/common";

export interface Helper {
  readonly needs?: readonly string[];
  readonly text: string;
}
type HelperTable = (name: string) => Helper | undefined;

export class Prelude {
  readonly #table: HelperTable;
  readonly #used = new Map<string, string>();

  constructor(table: HelperTable) {
    this.#table = table;
  }
  use(name: string): string {
    if (!this.#used.has(name)) {
      const helper = this.#table(name);
      invariant(helper, `no helper ${name}`);
      for (const need of helper.needs ?? []) this.use(need);
      this.#used.set(name, helper.text);
    }
    return name;
  }
  /** Defines a helper for this text. Returns its name: the wanted one, with a number behind it if that has another meaning. */
  define(wanted: string, textOf: (name: string) => string): string {
    for (let i = 0; ; i++) {
      const name = i === 0 ? wanted : `${wanted}_${i}`;
      const text = textOf(name);
      const known = this.#used.get(name);
      if (known === undefined) this.#used.set(name, text);
      if (known === undefined || known === text) return name;
    }
  }
  call(name: string, argument: string): string {
    return `${this.use(name)}(${argument})`;
  }
  get text(): string {
    return [...this.#used.values()].join("\n");
  }
}

/** Range to which a float is clamped before it becomes an integer: CUDA saturates, and C leaves it undefined. */
const integerRanges: Readonly<Record<string, readonly [string, string]>> = {
  i1: ["0", "1"],
  i4: ["-8", "7"],
  i8: ["-128", "127"],
  u8: ["0", "255"],
  i32: ["(-2147483647 - 1)", "2147483647"],
  i64: ["(-9223372036854775807LL - 1)", "9223372036854775807LL"],
};

/** Rounds towards zero and saturates; 0 for NaN. The greatest int32 is not a float32, so floats from it on are too large. */
function saturating(name: string, qualifier: string, types: Readonly<Record<string, string>>): Helper | undefined {
  const parts = /^(f32|f64)_to_([iu]\d+)$/.exec(name);
  const range = integerRanges[parts?.[2] ?? ""];
  const [from, to] = [types[parts?.[1] ?? ""], types[parts?.[2] ?? ""]];
  if (!range || !from || !to) return undefined;
  const [least, most] = range;
  const body = `x != x ? 0 : x >= (${from})${most} ? ${most} : x <= (${from})${least} ? ${least} : (${to})x`;
  return { text: `${qualifier} ${to} ${name}(${from} x) { return ${body}; }` };
}

/**
 * Wraps to the range of a packed type, and accesses its elements in words. `atomic` makes a statement that applies an operation
 * to a word.
 */
function packed(name: string, qualifier: string, atomic: (operation: "and" | "or", value: string) => string): Helper | undefined {
  switch (name) {
    case "wrap_i4":
      return { text: `${qualifier} int wrap_i4(int x) { return (int)((unsigned int)x << 28) >> 28; }` };
    case "wrap_i1":
      return { text: `${qualifier} int wrap_i1(int x) { return x & 1; }` };
    case "load_i4":
      return { text: `${qualifier} int load_i4(const unsigned int *p, int i) { return (int)(p[i >> 3] << (i & 7) * 4) >> 28; }` };
    case "load_i1":
      return {
        text: `${qualifier} int load_i1(const unsigned int *p, int i) { return (int)(p[i >> 5] >> (31 - (i & 31)) & 1); }`,
      };
    case "store_i4":
      return { text: storeText("store_i4", "i >> 3", "28 - (i & 7) * 4", 15) };
    case "store_i1":
      return { text: storeText("store_i1", "i >> 5", "31 - (i & 31)", 1) };
    default:
      return undefined;
  }
  // Another thread may be storing another element of the word.
  function storeText(helper: string, word: string, shift: string, mask: number): string {
    return `${qualifier} void ${helper}(unsigned int *p, int i, int x) {
  const int shift = ${shift};
  p += ${word};
  ${atomic("and", `~(${mask}u << shift)`)}
  ${atomic("or", `((unsigned int)x & ${mask}u) << shift`)}
}`;
  }
}

export const operatorOf = { add: "+", sub: "-", mul: "*" } as const;

interface CommonHelpers {
  readonly qualifier: string;
  readonly types: Readonly<Record<string, string>>;
  /** Changes the word *p while other threads may do so too. */
  readonly atomic: (operation: "and" | "or", value: string) => string;
}

/** floor_div_*, floor_mod_*, min_*, max_*, add_i32, f32_to_i8 and the like: equal in C and CUDA but for qualifier and atomics. */
export function commonHelper(name: string, { qualifier, types, atomic }: CommonHelpers): Helper | undefined {
  const other = saturating(name, qualifier, types) ?? packed(name, qualifier, atomic);
  if (other) return other;
  const parts = /^(floor_div|floor_mod|min|max|add|sub|mul)_([a-z]+\d+)$/.exec(name);
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
    case "add":
    case "sub":
    case "mul":
      // Signed overflow is undefined; unsigned arithmetic wraps.
      return { text: `${head} { return (${type})((unsigned ${type})a ${operatorOf[parts[1]]} (unsigned ${type})b); }` };
    default:
      return { text: `${head} { return a > b ? a : b; }` };
  }
}
