/**
 * A primitive is one value: its name, the types of its arguments, what it refuses and what it changes. The method of Schedule,
 * the trace entry, the JSON codec and the printer are derived from it.
 *
 * In a trace, references come first, in the order of the arguments, as words: `s3` a stage, `l7` a loop, `i0` an input of the
 * graph; the other arguments are named. A list of references takes all that are left, so at most the last one is a list.
 */
import type { Json, Random, Refusal } from "@warpfarm/common";
import { type Buffer, type Scope, scopes } from "../ir/buffer.ts";
import { floorDiv, floorModulo, int } from "../ir/build.ts";
import type { Expr } from "../ir/expr.ts";
import type { Intrinsic } from "../ir/intrinsic.ts";
import { type PragmaKey, pragmaKeys, type ThreadTag, threadTags } from "../ir/stmt.ts";
import { type IndexMap, indexMap, readIndexMap } from "../json/index-map.ts";
import type { LoopRef, Stage, StageRef, State } from "./state.ts";

/** A tensor to be cached: the result of a stage, or input number `input` of the graph. */
export type TensorRef = StageRef | { readonly input: number };

export interface Draws {
  readonly random: Random;
  readonly state: State;
  readonly intrinsics: readonly Intrinsic[];
}

interface RefType<T, Given = T> {
  readonly isRef: true;
  readonly allowed: string;
  draw(from: Draws): Given | undefined;
  accept(given: Given, state: State): T | undefined;
  write(value: T): readonly string[];
  read(words: readonly string[], at: number): { readonly value: T; readonly next: number } | undefined;
  print(value: T): string;
}
export interface ValueType<T, Given = T> {
  readonly isRef: false;
  readonly allowed: string;
  draw(from: Draws): Given | undefined;
  write(value: T): Json;
  read(json: Json): Given | undefined;
  resolve?(given: Given, known: readonly Intrinsic[]): T | undefined;
}
export interface Arg<Name extends string = string, T = unknown, Given = T> {
  readonly name: Name;
  readonly type: RefType<T, Given> | ValueType<T, Given>;
}
export const arg = <Name extends string, T, Given = T>(
  name: Name,
  type: RefType<T, Given> | ValueType<T, Given>,
): Arg<Name, T, Given> => ({
  name,
  type,
});

const drawn = <T>(random: Random, items: readonly T[]): T | undefined => (items.length > 0 ? random.pick(items) : undefined);

function wordRef<Ref extends number>(
  letter: string,
  allowed: string,
  known: (ref: number, state: State) => boolean,
  all: (state: State) => readonly Ref[],
): RefType<Ref> {
  const pattern = new RegExp(`^${letter}(0|[1-9]\\d{0,8})$`);
  return {
    isRef: true,
    allowed,
    draw: ({ random, state }) => drawn(random, all(state)),
    accept: (given, state) => (known(given, state) ? given : undefined),
    write: (ref) => [`${letter}${ref}`],
    read: (words, at) => {
      const match = pattern.exec(words[at] ?? "");
      return match ? { value: Number(match[1]) as Ref, next: at + 1 } : undefined;
    },
    print: (ref) => `${letter}${ref}`,
  };
}
/** Stages that are computed somewhere. A step on an inlined stage changes nothing. */
const standing = ({ stages }: State): readonly Stage[] => stages.filter(({ placement }) => placement.kind !== "inline");

export const loopRef = wordRef<LoopRef>(
  "l",
  "a loop of this schedule",
  (ref, s) => s.loops[ref] !== undefined,
  (s) => standing(s).flatMap(({ leaves }) => leaves),
);
export const stageRef = wordRef<StageRef>(
  "s",
  "a stage of this schedule",
  (ref, s) => s.stages[ref] !== undefined,
  (s) => standing(s).map(({ ref }) => ref),
);
const inputRef = wordRef<number>(
  "i",
  "an input of this graph",
  (ref, s) => s.graph.inputs[ref] !== undefined,
  (s) => [...s.graph.inputs.keys()],
);

export const tensorRef: RefType<TensorRef, Buffer | TensorRef> = {
  isRef: true,
  allowed: "an input or a stage of this schedule",
  draw: ({ random, state }) =>
    drawn<TensorRef>(random, [...state.graph.inputs.map((_, input) => ({ input })), ...standing(state).map(({ ref }) => ref)]),
  accept: (given, state) => {
    if (typeof given === "number") return stageRef.accept(given, state);
    if ("input" in given) return inputRef.accept(given.input, state) === undefined ? undefined : given;
    const input = state.graph.inputs.indexOf(given);
    if (input >= 0) return { input };
    // A tensor with another layout is still computed by the stage of its op.
    return (state.stages.find((s) => s.buffer === given) ?? state.stages[state.graph.ops.findIndex((op) => op.output === given)])
      ?.ref;
  },
  write: (ref) => (typeof ref === "number" ? stageRef.write(ref) : inputRef.write(ref.input)),
  read: (words, at) => {
    const input = inputRef.read(words, at);
    return input ? { value: { input: input.value }, next: input.next } : stageRef.read(words, at);
  },
  print: (ref) => (typeof ref === "number" ? stageRef.print(ref) : `graph.inputs[${ref.input}]`),
};

export function refList<T extends number>(item: RefType<T>): RefType<readonly T[]> {
  return {
    isRef: true,
    allowed: `a list, each ${item.allowed}`,
    draw: (from) => {
      const found = Array.from({ length: 1 + from.random.below(3) }, () => item.draw(from));
      return [...new Set(found.filter((ref) => ref !== undefined))];
    },
    accept: (given, state) => (given.every((ref) => item.accept(ref, state) !== undefined) ? given : undefined),
    write: (refs) => refs.flatMap((ref) => item.write(ref)),
    read: (words, at) => {
      const value: T[] = [];
      let next = at;
      for (let found = item.read(words, next); found; found = item.read(words, next)) {
        value.push(found.value);
        next = found.next;
      }
      return { value, next };
    },
    print: (refs) => `[${refs.map((ref) => item.print(ref)).join(", ")}]`,
  };
}

const isPositive = (json: Json): json is number =>
  typeof json === "number" && Number.isSafeInteger(json) && json >= 1 && json < 2 ** 31;

/** Numbers from 1; null = as many as needed. */
export const factorList: ValueType<readonly (number | null)[]> = {
  isRef: false,
  allowed: "a list of whole numbers from 1, at most one of them null",
  draw: ({ random }) => {
    const factors: (number | null)[] = Array.from({ length: 2 + random.below(2) }, () => 1 + random.below(5));
    if (random.below(8) > 0) factors[random.below(factors.length)] = null;
    return factors;
  },
  write: (factors) => factors,
  read: (json) =>
    Array.isArray(json) && json.every((f) => f === null || isPositive(f)) ? (json as (number | null)[]) : undefined,
};
export const positiveNumber: ValueType<number> = {
  isRef: false,
  allowed: "a whole number from 1",
  draw: ({ random }) => 1 + random.below(4),
  write: (value) => value,
  read: (json) => (isPositive(json) ? json : undefined),
};
export const wholeNumber: ValueType<number> = {
  isRef: false,
  allowed: "a whole number from 0",
  draw: ({ random }) => random.below(4),
  write: (value) => value,
  read: (json) => (json === 0 || isPositive(json) ? (json as number) : undefined),
};

function drawIndexMap({ random }: Draws): IndexMap {
  const names = Array.from({ length: 1 + random.below(3) }, (_, d) => `d${d}`);
  const cut = random.below(2 * names.length);
  const by = int(2 + random.below(3));
  return indexMap(names, (...axes) =>
    random.shuffle(axes.flatMap((axis, d): Expr[] => (d === cut ? [floorDiv(axis, by), floorModulo(axis, by)] : [axis]))),
  );
}
export const indexMapValue: ValueType<IndexMap> = {
  isRef: false,
  allowed: "an index map: names of the axes and int32 expressions over them, as indexMap makes it",
  draw: drawIndexMap,
  write: (map) => map,
  read: (json) => (readIndexMap(json) ? (json as IndexMap) : undefined),
};

export function wordOf<T extends string>(words: readonly T[]): ValueType<T> {
  const is = (text: string): text is T => (words as readonly string[]).includes(text);
  return {
    isRef: false,
    allowed: `one of ${words.join(", ")}`,
    draw: ({ random }) => drawn(random, words),
    write: (value) => value,
    read: (json) => (typeof json === "string" && is(json) ? json : undefined),
  };
}
/** An intrinsic, or the name of one that the schedule was created with. In a trace it is its name. */
export const intrinsicValue: ValueType<Intrinsic, Intrinsic | string> = {
  isRef: false,
  allowed: "what defineIntrinsic made, or the name of one that the schedule was created with; a name means one intrinsic",
  draw: ({ random, intrinsics }) => drawn(random, intrinsics),
  write: ({ name }) => name,
  read: (json) => (typeof json === "string" ? json : undefined),
  resolve: (given, known) => {
    const same = known.find((intrinsic) => intrinsic.name === (typeof given === "string" ? given : given.name));
    return typeof given === "string" ? same : same && same !== given ? undefined : given;
  },
};
export const scopeWord: ValueType<Scope> = wordOf(scopes);
export const threadTagWord: ValueType<ThreadTag> = wordOf(threadTags);
export const pragmaWord: ValueType<PragmaKey> = wordOf(pragmaKeys);

/**
 * What the method of Schedule returns of a step's new refs. `parts`: a loop per factor; `tiles`: four loops; `loops`: any number.
 */
export type Returns = "parts" | "tiles" | "loops" | "loop" | "stage" | "nothing";
export interface Made {
  readonly state: State;
  readonly stages?: readonly StageRef[];
  readonly loops?: readonly LoopRef[];
}

export type Values<Args extends readonly Arg[]> = {
  readonly [A in Args[number] as A["name"]]: A extends Arg<string, infer T, infer _> ? T : never;
};

export interface Primitive<
  Name extends string = string,
  Args extends readonly Arg[] = readonly Arg[],
  R extends Returns = Returns,
> {
  readonly name: Name;
  readonly args: Args;
  readonly returns: R;
  /** A picture: before -> after. */
  readonly doc: string;
  /** Local checks: never throws or changes anything. Refs exist, and values have their types. */
  check(state: State, values: Values<Args>): Refusal | undefined;
  apply(state: State, values: Values<Args>): Made;
}

export const definePrimitive = <const Name extends string, const Args extends readonly Arg[], R extends Returns>(
  primitive: Primitive<Name, Args, R>,
): Primitive<Name, Args, R> => primitive;
