/**
 * The configs of a space that its constraints allow, numbered 0 to count-1 without being listed: a search draws one, walks them
 * or asks for one in time that does not grow with their number.
 *
 *   constrained   knob by knob, in an order that keeps few knobs open, each value narrows the constraints; partial configs that
 *                 leave equal constraints share one node (a multi-valued decision diagram), so a space of 10^9 configs is some
 *                 thousands of nodes, and its exact count is a sum over them. Made node by node when first asked.
 *   listed        the configs themselves, for a space known by its records.
 */
import { invariant, type Json } from "@warpfarm/common";
import type { Constraint } from "./constraint.ts";
import type { Knob } from "./knob.ts";

export interface ValidConfigs {
  readonly count: number;
  /** The flat index of valid config number `rank`; requires 0 <= rank < count. */
  nth(rank: number): number;
  has(index: number): boolean;
}

export const allConfigs = (size: number): ValidConfigs => ({ count: size, nth: (rank) => rank, has: () => true });

/** These flat indices and no others. */
export function listedConfigs(indices: Iterable<number>): ValidConfigs {
  const set = new Set(indices);
  const sorted = Float64Array.from(set).sort();
  return { count: sorted.length, nth: (rank) => sorted[rank] as number, has: (index) => set.has(index) };
}

interface Node {
  readonly count: number;
  /** By digit of the level's knob: configs below the earlier digits, and one past the last. */
  readonly before: Float64Array;
  readonly children: readonly (Node | undefined)[];
}
const leaf: Node = { count: 1, before: new Float64Array(1), children: [] };

export function constrainedConfigs(knobs: readonly Knob[], constraints: readonly Constraint[]): ValidConfigs {
  const order = levelOrder(knobs, constraints);
  const strides = stridesOf(knobs);
  const values = knobs.map((knob) => Array.from({ length: knob.size }, (_, digit) => knob.decode(digit) as Json));
  const made = order.map(() => new Map<string, Node>());
  /** By level and constraint: the rest of it after each value. */
  const narrowings = order.map(() => new Map<string, readonly (Constraint | boolean)[]>());

  const nodeAt = (level: number, open: readonly Constraint[]): Node => {
    if (level === order.length) return leaf;
    const nodes = made[level] as Map<string, Node>;
    const key = keyOf(open);
    const known = nodes.get(key);
    if (known) return known;
    const at = order[level] as number;
    const { name, size } = knobs[at] as Knob;
    const touched = open.filter((c) => c.knobs.has(name));
    const rest = open.filter((c) => !c.knobs.has(name));
    const before = new Float64Array(size + 1);
    const children: (Node | undefined)[] = [];
    const narrowed = touched.map((c) => narrowedAt(level, c));
    for (let digit = 0; digit < size; digit++) {
      const left = leftAfter(rest, narrowed, digit);
      const child = left && nodeAt(level + 1, left);
      children.push(child && child.count > 0 ? child : undefined);
      before[digit + 1] = (before[digit] as number) + (child?.count ?? 0);
    }
    const node = { count: before[size] as number, before, children };
    nodes.set(key, node);
    return node;
  };
  const narrowedAt = (level: number, constraint: Constraint): readonly (Constraint | boolean)[] => {
    const known = narrowings[level]?.get(constraint.key);
    if (known) return known;
    const at = order[level] as number;
    const made = (values[at] as readonly Json[]).map((value) => constraint.assign((knobs[at] as Knob).name, value));
    narrowings[level]?.set(constraint.key, made);
    return made;
  };
  let root: Node | undefined;
  const rooted = (): Node => {
    root ??= nodeAt(0, constraints);
    return root;
  };

  return {
    get count() {
      return rooted().count;
    },
    nth(rank) {
      let node = rooted();
      invariant(rank >= 0 && rank < node.count, `valid config ${rank} of ${node.count}`);
      let index = 0;
      let left = rank;
      for (const at of order) {
        const digit = digitOf(node.before, left);
        left -= node.before[digit] as number;
        index += digit * (strides[at] as number);
        node = node.children[digit] as Node;
      }
      return index;
    },
    has(index) {
      let node: Node | undefined = rooted();
      for (const at of order) {
        node = node.children[Math.floor(index / (strides[at] as number)) % (knobs[at] as Knob).size];
        if (node === undefined) return false;
      }
      return true;
    },
  };
}

/** The last digit that has configs, with at most `rank` configs before it. */
function digitOf(before: Float64Array, rank: number): number {
  let low = 0;
  let high = before.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if ((before[middle] as number) <= rank) low = middle;
    else high = middle;
  }
  return low;
}

function stridesOf(knobs: readonly Knob[]): readonly number[] {
  const strides: number[] = [];
  for (let i = 0, stride = 1; i < knobs.length; i++) {
    strides.push(stride);
    stride *= (knobs[i] as Knob).size;
  }
  return strides;
}

const keyOf = (open: readonly Constraint[]): string =>
  open.length < 2
    ? (open[0]?.key ?? "")
    : open
        .map((c) => c.key)
        .sort()
        .join("\n");

/** The constraints that are undecided after this digit; undefined when one fails. */
function leftAfter(
  rest: readonly Constraint[],
  narrowed: readonly (readonly (Constraint | boolean)[])[],
  digit: number,
): readonly Constraint[] | undefined {
  const left = [...rest];
  for (const results of narrowed) {
    const result = results[digit];
    if (result === false) return undefined;
    if (typeof result === "object") left.push(result);
  }
  return left;
}

/**
 * The next knob is the one after which the number of different partial configs is smallest: the product of the sizes of knobs
 * with a value and an undecided constraint.
 */
function levelOrder(knobs: readonly Knob[], constraints: readonly Constraint[]): readonly number[] {
  const chosen: number[] = [];
  const left = new Set(knobs.keys());
  const frontier = (next: number): number => {
    const given = new Set([...chosen, next].map((i) => (knobs[i] as Knob).name));
    const open = constraints.filter((c) => [...c.knobs].some((name) => !given.has(name)));
    const live = [...given].filter((name) => open.some((c) => c.knobs.has(name)));
    return live.reduce((sum, name) => sum + Math.log2(knobs.find((k) => k.name === name)?.size ?? 1), 0);
  };
  while (left.size > 0) {
    const ranked = [...left].map((i) => ({ i, cost: frontier(i) })).sort((a, b) => a.cost - b.cost || a.i - b.i);
    const { i } = ranked[0] as (typeof ranked)[number];
    chosen.push(i);
    left.delete(i);
  }
  return chosen;
}
