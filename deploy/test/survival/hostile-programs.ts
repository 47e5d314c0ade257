/**
 * Harmful programs of each kind: computations that crash or never end in every form, candidates that crash, never end, give wrong
 * answers or need too many resources, and endless compiles. All of them pass the client's and the tracker's checks. Variants
 * differ in shape or type, so that no build or verdict of one is reused for another. There is also one valid program, which each
 * client sends afterwards.
 */
import type { MeasureOptions, ProgramBytes } from "@warpfarm/common";
import {
  add,
  at,
  cast,
  compute,
  createSchedule,
  defaultSchedule,
  type Expr,
  encodeProgram,
  floorDiv,
  graphOf,
  mul,
  placeholder,
  reduceAxis,
  sqrt,
  sub,
  sum,
} from "@warpfarm/compiler";

export interface Hostile {
  readonly kind: HostileKind;
  readonly program: ProgramBytes;
  /** Absent = check none. */
  readonly reference?: ProgramBytes;
  readonly options: Partial<MeasureOptions>;
  /** What its client must be told: error number and rule. */
  readonly told: RegExp;
  /** Of the phases that it uses up. */
  readonly limitMs: (referenceMs: number) => number;
}

type Graph = Parameters<typeof defaultSchedule>[0];
const runMs = 1_000;
/** Of a compile without end. */
const buildMs = 4_000;

/** n elements, the next variant's others. */
const extent = (variant: number): number => 64 + 8 * variant;
const plain = (graph: Graph, target: string): ProgramBytes => encodeProgram(graph, defaultSchedule(graph, target).trace, target);

/** y = x + 1 over n floats: sound. */
export function sound(n: number, target: string): ProgramBytes {
  const x = placeholder("x", [n]);
  return plain(graphOf([x], [compute("y", [["i", n]], (i) => add(at(x, i), 1))]), target);
}

/** Zero is one of the numbers that integers are filled with. */
function divide(variant: number): Graph {
  const n = 4_096 + extent(variant);
  const [a, b] = [placeholder("a", [n], "int32"), placeholder("b", [n], "int32")];
  return graphOf([a, b], [compute("y", [["i", n]], (i) => floorDiv(at(a, i), at(b, i)))]);
}
/** Hours of additions. */
function endless(variant: number): Graph {
  const n = extent(variant);
  const x = placeholder("x", [n]);
  const [j, k] = [reduceAxis("j", 1 << 24), reduceAxis("k", 1 << 20)];
  return graphOf([x], [compute("y", [["i", n]], (i) => sum(mul(at(x, i), cast("float32", add(j.loopVar, k.loopVar))), [j, k]))]);
}
/** As sound(), but for another answer; of the last variant no number. */
function wrong(variant: number): Graph {
  const n = extent(variant);
  const x = placeholder("x", [n]);
  const value = variant % 2 === 0 ? (e: ReturnType<typeof at>) => add(e, 2) : (e: ReturnType<typeof at>) => sqrt(sub(e, 2));
  return graphOf([x], [compute("y", [["i", n]], (i) => value(at(x, i)))]);
}
/** Divides by an input times 0; tensors are those of sound(). */
function divideInput(variant: number): Graph {
  const n = extent(variant);
  const x = placeholder("x", [n]);
  const zero = (i: Expr) => cast("int32", mul(at(x, i), 0));
  return graphOf([x], [compute("y", [["i", n]], (i) => cast("float32", floorDiv(cast("int32", at(x, i)), zero(i))))]);
}
/** Tensors of 2^31-1 elements. */
function huge(variant: number): Graph {
  const n = 2 ** 31 - 1 - variant;
  const x = placeholder("x", [n]);
  return graphOf([x], [compute("y", [["i", n]], (i) => at(x, i))]);
}
/** An intermediate of 64 MiB and more, on the stack of one thread. */
function deep(variant: number, target: string): { readonly program: ProgramBytes; readonly reference: ProgramBytes } {
  const n = (1 << 24) + extent(variant);
  const x = placeholder("x", [n]);
  const t = compute("t", [["i", n]], (i) => mul(at(x, i), 2));
  const axes = [
    ["i", 2],
    ["j", 16],
  ] as const;
  const k = reduceAxis("k", n);
  const y = compute("y", axes, (i, j) => sum(add(at(t, k.loopVar), cast("float32", add(i, j))), [k]));
  const graph = graphOf([x], [y]);
  const schedule = createSchedule(graph);
  const [outer] = schedule.axes(schedule.stage("y"));
  if (outer === undefined) throw new Error("y has no axes");
  schedule.computeAt(schedule.stage("t"), schedule.stage("y"), outer);
  schedule.setScope(schedule.stage("t"), "local");
  return { program: encodeProgram(graph, schedule.trace, target), reference: plain(graph, target) };
}
/** Loops unrolled into a text that no compiler is done with in time, or at all. */
function bomb(variant: number, target: string): { readonly program: ProgramBytes; readonly reference: ProgramBytes } {
  const n = 4_096 + extent(variant);
  const x = placeholder("x", [n]);
  const k = reduceAxis("k", 64);
  const graph = graphOf([x], [compute("y", [["i", n]], (i) => sum(mul(at(x, i), cast("float32", k.loopVar)), [k]))]);
  const schedule = createSchedule(graph);
  const y = schedule.stage("y");
  for (const axis of [...schedule.axes(y), ...schedule.reduceAxes(y)]) schedule.unroll(axis);
  return { program: encodeProgram(graph, schedule.trace, target), reference: plain(graph, target) };
}

const short = { runTimeoutMs: runMs, minRepeatMs: 1, repeat: 1 } as const;
const usual = () => runMs;
const task = (graph: Graph, target: string) => ({ program: plain(graph, target), reference: plain(graph, target) });

const kinds = {
  "a computation that divides by zero": (v: number, target: string) => ({
    ...task(divide(v), target),
    told: /^8 reference\.SIGFPE$/,
    limitMs: usual,
  }),
  "a computation that never ends": (v: number, target: string) => ({
    ...task(endless(v), target),
    told: /^8 reference\.run_timeout$/,
    limitMs: (referenceMs: number) => Math.max(referenceMs, 4 * runMs),
  }),
  "a computation over more memory than there is": (v: number, target: string) => ({
    ...task(huge(v), target),
    told: /^8 reference\.out_of_memory$/,
    limitMs: usual,
  }),
  "inputs of more memory than there is, unchecked": (v: number, target: string) => ({
    program: plain(huge(v), target),
    options: { check: "none" } as const,
    told: /^4 out_of_memory$/,
    limitMs: usual,
  }),
  "a candidate that never ends": (v: number, target: string) => ({
    program: plain(endless(v), target),
    reference: sound(extent(v), target),
    told: /^7 run_timeout$/,
    limitMs: usual,
  }),
  "a candidate that divides by zero": (v: number, target: string) => ({
    program: plain(divideInput(v), target),
    reference: sound(extent(v), target),
    told: /^4 SIGFPE$/,
    limitMs: usual,
  }),
  "a candidate that answers wrong": (v: number, target: string) => ({
    program: plain(wrong(v), target),
    reference: sound(extent(v), target),
    told: /^5 reference$/,
    limitMs: usual,
  }),
  "a candidate of other tensors than its reference": (v: number, target: string) => ({
    program: sound(extent(v) + 1, target),
    reference: sound(extent(v), target),
    told: /^4 tensors$/,
    limitMs: usual,
  }),
  "a candidate beyond its stack": (v: number, target: string) => ({
    ...deep(v, target),
    told: /^(2 device\.stack|4 SIG(SEGV|BUS))$/,
    limitMs: usual,
  }),
  "a compile without end": (v: number, target: string) => ({
    ...bomb(v, target),
    options: { buildTimeoutMs: buildMs },
    told: /^(2|3|6) /,
    limitMs: () => buildMs + runMs,
  }),
} as const;

export type HostileKind = keyof typeof kinds;
export const hostileKinds = Object.keys(kinds) as HostileKind[];

export function hostile(kind: HostileKind, variant: number, target: string): Hostile {
  const { options = {}, ...made }: { options?: Partial<MeasureOptions> } & Omit<Hostile, "kind" | "options"> = kinds[kind](
    variant,
    target,
  );
  return { kind, options: { ...short, check: "reference", ...options }, ...made };
}
