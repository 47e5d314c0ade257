/**
 * The configs of a space that its constraints allow, numbered 0 to count-1 without being listed: a search draws one, walks them
 * or asks for one in time that does not grow with their number.
 *
 *   constrained   knob by knob, in an order that keeps few knobs open, each value narrows the constraints; partial configs that
 *                 leave equal constraints share one node (a multi-valued decision diagram), so a space of 10^9 configs is some
 *                 thousands of nodes, and its exact count is a sum over them. Made node by node when first asked. What is
 *                 left of a constraint when one knob is open is the list of that knob's allowed values, however it reads.
 *   listed        the configs themselves, for a space known by its records.
 */
import { FarmError, invariant, type Json } from "@warpfarm/common";
import type { Constraint, Left } from "./constraint.ts";
import type { Knob } from "./knob.ts";

export interface ValidConfigs {
  readonly count: number;
  /** The flat index of valid config number `rank`; requires 0 <= rank < count. */
  nth(rank: number): number;
  has(index: number): boolean;
}

export const allConfigs = (size: number): ValidConfigs => ({ count: size, nth: (rank) => rank, has: () => true });

/** Exactly these flat indices. */
export function listedConfigs(indices: Iterable<number>): ValidConfigs {
  const set = new Set(indices);
  const sorted = Float64Array.from(set).sort();
  return { count: sorted.length, nth: (rank) => sorted[rank] as number, has: (index) => set.has(index) };
}

/**
 * Counting takes at most so many checks of a value: some seconds. A space whose partial configs leave ever other constraints
 * would take as many as it has configs, and 10^12 take weeks.
 */
export const mostChecks = 10_000_000;

/** Counts checks. Throws INVALID_ARGUMENT when there are too many. */
type Spend = (checks: number) => void;
function budget(most: number, knobs: number): Spend {
  let spent = 0;
  return (checks) => {
    spent += checks;
    if (spent > most)
      throw new FarmError(
        "INVALID_ARGUMENT",
        `constraints: the configs that they allow were not counted within ${most} checks, the most that a space takes; ` +
          `write constraints of fewer of its ${knobs} tunables each, or give the tunables fewer values`,
      );
  };
}

interface Node {
  readonly count: number;
  readonly before: Float64Array;
  readonly children: readonly (Node | undefined)[];
}
const nowhere: Node = { count: 0, before: new Float64Array(1), children: [] };
const leaf: Node = { count: 1, before: new Float64Array(1), children: [] };

/** Throws FarmError INVALID_ARGUMENT at the first use, and at every later one. */
export function constrainedConfigs(
  knobs: readonly Knob[],
  constraints: readonly Constraint[],
  most: number = mostChecks,
): ValidConfigs {
  const order = levelOrder(knobs, constraints);
  const strides = stridesOf(knobs);
  const spend = budget(most, knobs.length);
  const { settled, narrowedBy } = narrowings(knobs, spend);
  const made = order.map(() => new Map<string, Node>());
  const nameOf = setNames();

  const nodeAt = (level: number, open: readonly Constraint[]): Node => {
    if (level === order.length) {
      const [undecided] = open;
      if (undecided) throw new FarmError("INVALID_ARGUMENT", undecided.fault ?? undecided.key);
      return leaf;
    }
    const nodes = made[level] as Map<string, Node>;
    const key = nameOf(open);
    const known = nodes.get(key);
    if (known) return known;
    const at = order[level] as number;
    const { name, size } = knobs[at] as Knob;
    spend(size);
    const touched = open.filter((c) => c.knobs.has(name));
    const rest = open.filter((c) => !c.knobs.has(name));
    const before = new Float64Array(size + 1);
    const children: (Node | undefined)[] = [];
    const narrowed = touched.map((c) => narrowedBy(at, c));
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
  let root: Node | undefined;
  const rooted = (): Node => {
    if (root) return root;
    const open = constraints.map(settled);
    root = open.includes(false)
      ? nowhere
      : nodeAt(
          0,
          open.filter((c) => typeof c === "object"),
        );
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

/** What values leave of constraints, each found once; where one knob stays open, the list of the values that it may have. */
function narrowings(knobs: readonly Knob[], spend: Spend) {
  const values = knobs.map((knob) => Array.from({ length: knob.size }, (_, digit) => knob.decode(digit) as Json));
  const valuesOf = (name: string) => values[knobs.findIndex((knob) => knob.name === name)] as readonly Json[];
  const known = knobs.map(() => new Map<string, readonly Left[]>());
  const lists = new Map<string, Constraint>();

  const allowing = (name: string, allowed: readonly Left[]): Left => {
    if (allowed.every((left) => left === true)) return true;
    if (allowed.every((left) => left === false)) return false;
    const text = `${name} ${allowed.map((left) => (typeof left === "object" ? left.key : Number(left))).join("")}`;
    const there = lists.get(text);
    if (there) return there;
    const list = { knobs: new Set([name]), key: text, narrowed: () => allowed, holds: () => allowed };
    lists.set(text, list);
    return list;
  };
  const settled = (constraint: Left): Left => {
    if (typeof constraint === "boolean" || constraint.knobs.size !== 1) return constraint;
    const [name = ""] = constraint.knobs;
    spend(valuesOf(name).length);
    return allowing(name, constraint.narrowed(name, valuesOf(name)));
  };
  const narrowed = (at: number, constraint: Constraint): readonly Left[] => {
    const { name } = knobs[at] as Knob;
    const each = values[at] as readonly Json[];
    const [other] = constraint.knobs.size === 2 ? [...constraint.knobs].filter((knob) => knob !== name) : [];
    spend(each.length * (other === undefined ? 1 : valuesOf(other).length));
    if (other === undefined) return constraint.narrowed(name, each).map(settled);
    return each.map((value) => allowing(other, constraint.holds(name, value, other, valuesOf(other))));
  };
  const narrowedBy = (at: number, constraint: Constraint): readonly Left[] => {
    const made = known[at]?.get(constraint.key) ?? narrowed(at, constraint);
    known[at]?.set(constraint.key, made);
    return made;
  };
  return { settled, narrowedBy };
}

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

/** A short name of equal sets of constraints: texts are long, and sets are compared at every digit. */
function setNames(): (open: readonly Constraint[]) => string {
  const byText = new Map<string, number>();
  const byConstraint = new WeakMap<Constraint, number>();
  const numberOf = (constraint: Constraint): number => {
    const known = byConstraint.get(constraint);
    if (known !== undefined) return known;
    const number = byText.get(constraint.key) ?? byText.size;
    byText.set(constraint.key, number);
    byConstraint.set(constraint, number);
    return number;
  };
  return (open) =>
    open
      .map(numberOf)
      .sort((a, b) => a - b)
      .join();
}

function leftAfter(
  rest: readonly Constraint[],
  narrowed: readonly (readonly Left[])[],
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
  const places = new Map(knobs.map(({ name }, i) => [name, i]));
  const bits = knobs.map(({ size }) => Math.log2(size));
  const rules = constraints.map(({ knobs: names }) => ({
    of: [...names].map((name) => places.get(name) as number),
    open: names.size,
  }));
  const asking = bits.map((_, i) => rules.filter(({ of }) => of.includes(i)));
  const chosen: number[] = [];
  const left = new Set(bits.keys());
  const isLive = (i: number, next: number) =>
    (asking[i] as typeof rules).some(({ of, open }) => open > 1 || (open === 1 && !of.includes(next)));
  while (left.size > 0) {
    const costs = [...left].map((next) => {
      const live = [...chosen, next].filter((i) => isLive(i, next));
      return { next, cost: live.reduce((sum, i) => sum + (bits[i] as number), 0) };
    });
    const { next } = costs.reduce((best, each) => (each.cost < best.cost ? each : best));
    chosen.push(next);
    left.delete(next);
    for (const rule of asking[next] as typeof rules) rule.open--;
  }
  return chosen;
}
