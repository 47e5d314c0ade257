/**
 * A template's arguments: named, ordered, each with a default. A task is given AutoTVM's positional array, an object of names, or
 * nothing. It always keeps the full positional array, because AutoTVM's logs compare that. With an epilogue the array ends with
 * `{"epilogue": ["bias", "relu"]}`, and the object has the field `epilogue`.
 */
import { canonicalJson, type Json, strangeKey } from "@warpfarm/common";
import { readTail, type Tail, TailFault } from "./epilogue/tails.ts";
import { TemplateRefusal } from "./template-refusal.ts";

export interface ArgSpec<T = unknown> {
  readonly default: T;
  read(json: Json): T | undefined;
  write(value: T): Json;
  readonly allowed: string;
  /** A list may end before it: then it and all after it have their defaults. Lists are written so. */
  readonly isOptional?: true;
}
export type ArgSpecs = Readonly<Record<string, ArgSpec>>;
export type ArgValues<Specs extends ArgSpecs> = { readonly [K in keyof Specs]: Specs[K] extends ArgSpec<infer T> ? T : never };

const isWhole = (json: Json | undefined, from: number): json is number =>
  typeof json === "number" && Number.isSafeInteger(json) && json >= from && json < 2 ** 31;

/** A whole number from `from`. */
export const whole = (value: number, from = 1): ArgSpec<number> => ({
  default: value,
  read: (json) => (isWhole(json, from) ? json : undefined),
  write: (v) => v,
  allowed: `a whole number from ${from}`,
});

/** Two numbers, height then width; one number stands for both. */
export const pair = (value: number, from: number): ArgSpec<readonly [number, number]> => ({
  default: [value, value],
  read: (json) => {
    if (isWhole(json, from)) return [json, json];
    if (!Array.isArray(json) || json.length !== 2) return undefined;
    const [h, w] = json as readonly Json[];
    return isWhole(h, from) && isWhole(w, from) ? [h, w] : undefined;
  },
  write: (v) => v,
  allowed: `a whole number from ${from}, or a pair of them`,
});

/** Four numbers: top, left, bottom, right, as TVM and ONNX order paddings; two: height and width; one: all. */
export const sides = (value: number, from: number): ArgSpec<readonly [number, number, number, number]> => ({
  default: [value, value, value, value],
  read: (json) => {
    if (isWhole(json, from)) return [json, json, json, json];
    if (!Array.isArray(json) || !json.every((one) => isWhole(one, from))) return undefined;
    const [top, left, bottom, right] = json as number[] as [number, number, number, number];
    if (json.length === 2) return [top, left, top, left];
    return json.length === 4 ? [top, left, bottom, right] : undefined;
  },
  write: ([top, left, bottom, right]) => (top === bottom && left === right ? [top, left] : [top, left, bottom, right]),
  allowed: `a whole number from ${from}, a pair of them (height, width), or four (top, left, bottom, right)`,
});

export const optional = <T>(spec: ArgSpec<T>): ArgSpec<T> => ({ ...spec, isOptional: true });

export const real = (value: number): ArgSpec<number> => ({
  default: value,
  read: (json) => (typeof json === "number" && Number.isFinite(json) ? json : undefined),
  write: (v) => v,
  allowed: "a finite number",
});

export const word = <const W extends string>(value: W, words: readonly W[]): ArgSpec<W> => ({
  default: value,
  read: (json) => words.find((w) => w === json),
  write: (v) => v,
  allowed: `one of ${words.join(", ")}`,
});

/** A list of any JSON, which the template checks itself. */
export const list = (value: readonly Json[]): ArgSpec<readonly Json[]> => ({
  default: value,
  read: (json) => (Array.isArray(json) ? (json as readonly Json[]) : undefined),
  write: (v) => v,
  allowed: "a list",
});

/** `argument`: the one that is refused. */
const refuse = (template: string, why: string | { readonly it: string }, argument?: string): never => {
  throw new TemplateRefusal(template, why, argument === undefined ? {} : { rule: argumentRule + argument });
};
/** Followed by the name of an argument: the rule of the error that refuses it. */
export const argumentRule = "argument.";

/** Throws FarmError INVALID_ARGUMENT with one sentence that names the argument. Absent and `{}` mean the defaults. */
export function readArgs<Specs extends ArgSpecs>(template: string, specs: Specs, json: Json | undefined): ArgValues<Specs> {
  const names = Object.keys(specs);
  const given = namedArgs(template, specs, json);
  const strange = strangeKey("argument", given, names);
  if (strange) refuse(template, { it: strange.words }, strange.key);
  const values: Record<string, unknown> = {};
  for (const [name, spec] of Object.entries(specs)) {
    const text = Object.hasOwn(given, name) ? given[name] : undefined;
    const value = text === undefined ? spec.default : spec.read(text);
    if (value === undefined) refuse(template, `argument ${name} is ${JSON.stringify(text)}; it takes ${spec.allowed}`, name);
    values[name] = value;
  }
  return values as ArgValues<Specs>;
}

export const epilogueField = "epilogue";

/** The arguments of a task: the template's own, and the operations that follow it. */
interface TaskArgs<Specs extends ArgSpecs> {
  readonly values: ArgValues<Specs>;
  readonly epilogue: readonly Tail[];
}

/** As readArgs, of arguments that may have an epilogue. */
export function readTaskArgs<Specs extends ArgSpecs>(template: string, specs: Specs, json: Json | undefined): TaskArgs<Specs> {
  const isObject = (value: Json | undefined): value is Readonly<Record<string, Json>> =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  const list = Array.isArray(json) ? (json as readonly Json[]) : undefined;
  const last = list?.at(-1);
  const isLast = isObject(last) && Object.keys(last).join() === epilogueField;
  const { [epilogueField]: given, ...rest } = isObject(json) ? json : isLast ? last : {};
  const own = isObject(json) ? rest : isLast ? list?.slice(0, -1) : json;
  return { values: readArgs(template, specs, own), epilogue: readEpilogue(template, given) };
}

function readEpilogue(template: string, given: Json | undefined): readonly Tail[] {
  if (given === undefined) return [];
  if (!Array.isArray(given) || !given.every((text) => typeof text === "string"))
    return refuse(
      template,
      `${epilogueField} is ${JSON.stringify(given)}; it is a list of operations such as ["bias", "relu"]`,
      epilogueField,
    );
  return given.map((text) => {
    try {
      return readTail(text);
    } catch (error) {
      if (error instanceof TailFault) return refuse(template, `${epilogueField}: ${error.message}`, epilogueField);
      throw error;
    }
  });
}

/** Arguments of a task, as a list or by name, with an epilogue. */
export function withEpilogue(args: Json | undefined, epilogue: readonly (Tail | string)[]): Json | undefined {
  if (epilogue.length === 0) return args;
  const field = { [epilogueField]: epilogue.map((tail) => (typeof tail === "string" ? tail : tail.text)) };
  return Array.isArray(args) ? [...args, field] : { ...(args as Readonly<Record<string, Json>> | undefined), ...field };
}

export const writeTaskArgs = <Specs extends ArgSpecs>(specs: Specs, { values, epilogue }: TaskArgs<Specs>): readonly Json[] =>
  withEpilogue(writeArgs(specs, values), epilogue) as readonly Json[];

function namedArgs(template: string, specs: ArgSpecs, json: Json | undefined): Readonly<Record<string, Json>> {
  if (json === undefined) return {};
  const names = Object.keys(specs);
  if (Array.isArray(json)) {
    const list = json as readonly Json[];
    const least = names.filter((name) => !specs[name]?.isOptional).length;
    if (list.length < least || list.length > names.length) {
      const counts = least < names.length ? `${least} to ${names.length}` : least;
      refuse(template, {
        it: `takes ${names.length === 0 ? "no arguments" : `${counts} arguments, ${names.join(", ")}`}; the list has ${list.length}`,
      });
    }
    return Object.fromEntries(names.slice(0, list.length).map((name, i) => [name, list[i] as Json]));
  }
  if (typeof json === "object" && json !== null) return json as Readonly<Record<string, Json>>;
  return refuse(
    template,
    `arguments are ${JSON.stringify(json)}; they are a list in the order ${names.join(", ")}, or an object of these names`,
  );
}

export function writeArgs<Specs extends ArgSpecs>(specs: Specs, values: ArgValues<Specs>): readonly Json[] {
  const all = Object.entries(specs);
  const isSaid = ([name, spec]: (typeof all)[number]) =>
    !spec.isOptional || canonicalJson(spec.write(values[name])) !== canonicalJson(spec.write(spec.default));
  return all.slice(0, all.findLastIndex(isSaid) + 1).map(([name, spec]) => spec.write(values[name]));
}
