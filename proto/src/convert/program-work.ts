/**
 * What a program's graph makes every run of it do (Work of common/src/plausible-time.ts), from its document alone. Each count is
 * one that no schedule of the graph can go below:
 *
 *   outputs       every element is written
 *   inputs        elements at distinct places that some load reads for certain: its indices are sums of axes with factors, and it
 *                 is under no condition, of an op of which every element is needed
 *   operations    of a reduction: one for each element of its range, two where that is a product, for as many elements of the op
 *                 as its readers need for certain. Under a condition, for the share of the range where that holds
 *
 * Documents come from clients and are checked by the compiler only when they are built: what is not understood counts nothing,
 * and nothing here throws. What it costs is linear in the document, with a bound for evaluating conditions.
 */
import { type DType, dtypeBits, dtypes, type Json, type Work } from "@warpfarm/common";

type Fields = Readonly<Record<string, Json>>;
type Axes = ReadonlyMap<string, number>;

interface Tensor {
  readonly bits: number;
  readonly elements: number;
}
interface Op extends Tensor {
  readonly name: string;
  readonly axes: Axes;
  readonly reduce: Axes;
  readonly body: Json;
}
interface Load {
  readonly tensor: string;
  readonly indices: readonly Json[];
}

/** The most operators of conditions that are computed for one document. */
const mostEvaluated = 200_000;
const mostDimensions = 16;
const mostConditions = 16;

/** Undefined for a document without a graph, or one that is not understood. */
export function workOfProgram(document: Json): Work | undefined {
  const graph = fieldsOf(document)?.graph;
  const { inputs, ops, outputs } = fieldsOf(graph ?? null) ?? {};
  const read = listOf(ops).map(opOf);
  const given = listOf(inputs).map(inputOf);
  if (read.length === 0 || [...read, ...given].includes(undefined)) return undefined;
  const tensors = new Map<string, Tensor>();
  for (const t of [...given, ...read]) if (t) tensors.set(t.name, t);
  const needed = new Map<string, number>();
  for (const name of listOf(outputs)) if (typeof name === "string") needed.set(name, tensors.get(name)?.elements ?? 0);
  let bytes = bytesOf([...needed.keys()], tensors, needed);
  const budget = { left: mostEvaluated };
  const operations = new Map<number, number>();
  // Producers come first, so readers are seen before the tensors that they read.
  for (const op of (read as Op[]).toReversed()) {
    const elements = needed.get(op.name) ?? 0;
    if (elements === 0) continue;
    const { bits, count } = operationsOf(op, tensors, budget);
    if (count > 0) operations.set(bits, (operations.get(bits) ?? 0) + elements * count);
    if (elements < op.elements) continue; // which elements is not known, so neither is what they read
    const ranges = new Map([...op.axes, ...op.reduce]);
    for (const { tensor, indices } of certainLoads(op.body)) {
      const distinct = Math.min(distinctPlaces(indices, ranges), tensors.get(tensor)?.elements ?? 0);
      needed.set(tensor, Math.max(needed.get(tensor) ?? 0, distinct));
    }
  }
  bytes += bytesOf(
    given.flatMap((t) => t?.name ?? []),
    tensors,
    needed,
  );
  return { bytes, operations: [...operations].map(([bits, count]) => ({ bits, count })) };
}

const bytesOf = (names: readonly string[], tensors: ReadonlyMap<string, Tensor>, needed: ReadonlyMap<string, number>): number =>
  names.reduce((sum, name) => sum + ((needed.get(name) ?? 0) * (tensors.get(name)?.bits ?? 0)) / 8, 0);

const fieldsOf = (json: Json): Fields | undefined =>
  typeof json === "object" && json !== null && !Array.isArray(json) ? (json as Fields) : undefined;
const listOf = (json: Json | undefined): readonly Json[] => (Array.isArray(json) ? (json as readonly Json[]) : []);
const isExtent = (n: unknown): n is number => typeof n === "number" && Number.isSafeInteger(n) && n > 0;
const productOf = (extents: Iterable<number>): number => [...extents].reduce((a, b) => a * b, 1);
const bitsOf = (dtype: Json | undefined): number | undefined =>
  dtypes.includes(dtype as DType) ? dtypeBits(dtype as DType) : undefined;

function inputOf(json: Json): (Tensor & { readonly name: string }) | undefined {
  const { name, dtype, shape } = fieldsOf(json) ?? {};
  const bits = bitsOf(dtype);
  const extents = listOf(shape);
  if (typeof name !== "string" || bits === undefined || !extents.every(isExtent)) return undefined;
  return { name, bits, elements: productOf(extents) };
}

function opOf(json: Json): Op | undefined {
  const { name, dtype, axes: spatial, reduce: reduced, body } = fieldsOf(json) ?? {};
  const bits = bitsOf(dtype);
  const [axes, reduce] = [axesOf(spatial), axesOf(reduced)];
  if (typeof name !== "string" || bits === undefined || !axes || !reduce || body === undefined) return undefined;
  const elements = productOf(axes.values());
  // The body of a reduction has its combiner before it.
  return { name, bits, elements, axes, reduce, body: reduce.size === 0 ? body : (listOf(body)[1] ?? null) };
}

function axesOf(json: Json | undefined): Axes | undefined {
  const axes = new Map<string, number>();
  for (const item of listOf(json)) {
    const { name, extent } = fieldsOf(item) ?? {};
    if (typeof name !== "string" || !isExtent(extent) || axes.has(name)) return undefined;
    axes.set(name, extent);
  }
  return axes;
}

/** Operations for one element of the op, and the bits of the narrowest of their operands. */
function operationsOf(op: Op, tensors: ReadonlyMap<string, Tensor>, budget: Budget) {
  const none = { bits: op.bits, count: 0 };
  if (op.reduce.size === 0) return none;
  let body = op.body;
  let share = 1;
  const [word, condition, chosen] = listOf(body);
  if (word === "select" && condition !== undefined && chosen !== undefined) {
    share = shareOf(condition, new Map([...op.axes, ...op.reduce]), budget);
    body = chosen;
  }
  const loads = allLoads(body);
  const isProduct =
    listOf(body)[0] === "mul" &&
    listOf(body)
      .slice(1)
      .every((side) => allLoads(side).some(readsOver(op.reduce)));
  const bits = loads.reduce((least, { tensor }) => Math.min(least, tensors.get(tensor)?.bits ?? least), op.bits);
  if (!loads.some(readsOver(op.reduce))) return none;
  return { bits, count: share * productOf(op.reduce.values()) * (isProduct ? 2 : 1) };
}

const readsOver =
  (axes: Axes) =>
  ({ indices }: Load): boolean =>
    indices.some((index) => [...namesIn(index)].some((name) => axes.has(name)));

function* namesIn(e: Json): Iterable<string> {
  if (typeof e === "string") yield e;
  const [word, ...operands] = listOf(e);
  for (const operand of word === "load" ? listOf(operands[1]) : operands) yield* namesIn(operand);
}

function allLoads(e: Json): readonly Load[] {
  const [word, ...operands] = listOf(e);
  if (word !== "load") return operands.flatMap(allLoads);
  const loads = loadOf(e);
  return [...loads, ...loads.flatMap(({ indices }) => indices.flatMap(allLoads))];
}

/**
 * Loads that are made whatever the values are. A load in an index, after `and` or `or`, or in a case of a `select` may not be
 * made.
 */
function certainLoads(e: Json): readonly Load[] {
  const [word, ...operands] = listOf(e);
  if (word === "load") return loadOf(e);
  return (word === "select" || word === "and" || word === "or" ? operands.slice(0, 1) : operands).flatMap(certainLoads);
}

function loadOf(e: Json): readonly Load[] {
  const [, tensor, indices] = listOf(e);
  return typeof tensor === "string" ? [{ tensor, indices: listOf(indices) }] : [];
}

/**
 * A number of distinct places that indices take while the axes take all their values; the true one may be greater. An axis that
 * occurs in several indices is left at 0, since two indices may move together. In one index an axis counts when its step is
 * greater than all that the axes before it reach together, as digits do.
 */
function distinctPlaces(indices: readonly Json[], ranges: Axes): number {
  if (indices.length > mostDimensions) return 0;
  const sums = indices.map((index) => sumOf(index, ranges));
  let places = 1;
  for (const [at, sum] of sums.entries()) {
    if (sum === undefined) continue; // it may have one value
    const others = new Set(indices.flatMap((index, i) => (i === at ? [] : [...namesIn(index)])));
    let reach = 0;
    for (const [name, factor] of [...sum].sort(([, a], [, b]) => Math.abs(a) - Math.abs(b))) {
      const step = Math.abs(factor);
      const extent = ranges.get(name) ?? 1;
      if (step <= reach || others.has(name)) continue;
      places *= extent;
      reach += step * (extent - 1);
    }
  }
  return places;
}

/** The factor of each axis where the index is a sum of axes with factors and a constant; otherwise undefined. */
function sumOf(e: Json, ranges: Axes): Map<string, number> | undefined {
  if (typeof e === "number") return new Map();
  if (typeof e === "string") return ranges.has(e) ? new Map([[e, 1]]) : undefined;
  const [word, left, right] = listOf(e);
  if (left === undefined || right === undefined) return undefined;
  if (word === "mul") {
    const [sum, factor] = typeof right === "number" ? [left, right] : [right, left];
    if (typeof factor !== "number") return undefined;
    return scaled(sumOf(sum, ranges), factor);
  }
  if (word !== "add" && word !== "sub") return undefined;
  const [a, b] = [sumOf(left, ranges), scaled(sumOf(right, ranges), word === "add" ? 1 : -1)];
  if (!a || !b) return undefined;
  for (const [name, factor] of b) a.set(name, (a.get(name) ?? 0) + factor);
  return a;
}

const scaled = (sum: Map<string, number> | undefined, by: number) =>
  sum && new Map([...sum].map(([name, factor]) => [name, factor * by] as const));

interface Budget {
  left: number;
}

/**
 * The share of all points of the axes where the condition holds. Parts of a conjunction that have no axis in common are counted
 * by themselves. 0 where that takes too long, or where the condition reads anything but axes.
 */
function shareOf(condition: Json, ranges: Axes, budget: Budget): number {
  const conditions = conjuncts(condition);
  if (conditions.length > mostConditions) return 0;
  let share = 1;
  for (const part of apart(conditions)) {
    const names = [...new Set(part.flatMap((e) => [...namesIn(e)]))];
    const extents = names.map((name) => ranges.get(name) ?? Number.POSITIVE_INFINITY);
    const points = productOf(extents);
    budget.left -= points * part.reduce<number>((n, e) => n + sizeOf(e), 0);
    if (!(budget.left >= 0)) return 0;
    const at = new Map<string, number>();
    let holds = 0;
    for (let point = 0; point < points; point++) {
      let rest = point;
      for (const [i, name] of names.entries()) {
        at.set(name, rest % (extents[i] as number));
        rest = Math.floor(rest / (extents[i] as number));
      }
      if (part.every((e) => valueAt(e, at) === 1)) holds++;
    }
    share *= holds / points;
  }
  return share;
}

const conjuncts = (e: Json): readonly Json[] => (listOf(e)[0] === "and" ? listOf(e).slice(1).flatMap(conjuncts) : [e]);
const sizeOf = (e: Json): number =>
  1 +
  listOf(e)
    .map(sizeOf)
    .reduce((a, b) => a + b, 0);

/** Groups of conditions, of which no two groups name the same axis. */
function apart(conditions: readonly Json[]): readonly (readonly Json[])[] {
  let groups: { readonly names: ReadonlySet<string>; readonly of: readonly Json[] }[] = [];
  for (const e of conditions) {
    const names = new Set(namesIn(e));
    const shares = (g: (typeof groups)[number]) => [...names].some((name) => g.names.has(name));
    const joined = groups.filter(shares);
    groups = [
      ...groups.filter((g) => !shares(g)),
      { names: new Set([...names, ...joined.flatMap((g) => [...g.names])]), of: [...joined.flatMap((g) => g.of), e] },
    ];
  }
  return groups.map(({ of }) => of);
}

const comparisons: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
  lt: (a, b) => a < b,
  le: (a, b) => a <= b,
  gt: (a, b) => a > b,
  ge: (a, b) => a >= b,
  and: (a, b) => a === 1 && b === 1,
  or: (a, b) => a === 1 || b === 1,
};
const arithmetic: Readonly<Record<string, (a: number, b: number) => number>> = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  floor_div: (a, b) => Math.floor(a / b),
  floor_mod: (a, b) => a - b * Math.floor(a / b),
};

/** An integer; 1 and 0 for true and false; NaN for what is not understood, which no comparison but `ne` makes true. */
function valueAt(e: Json, at: ReadonlyMap<string, number>): number {
  if (typeof e === "number") return e;
  if (typeof e === "string") return at.get(e) ?? Number.NaN;
  const [word, left, right] = listOf(e);
  if (typeof word !== "string" || left === undefined || right === undefined) return Number.NaN;
  const [a, b] = [valueAt(left, at), valueAt(right, at)];
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.NaN;
  if (Object.hasOwn(comparisons, word)) return comparisons[word]?.(a, b) ? 1 : 0;
  return Object.hasOwn(arithmetic, word) ? (arithmetic[word]?.(a, b) ?? Number.NaN) : Number.NaN;
}
