/**
 * A schema of zod as a function that says whether a value is already what the schema would make of it. Most values are, and zod
 * takes ten times as long. So a reader asks this first, and zod only to say what is wrong. True means: the schema accepts the
 * value and its result equals it. False means nothing: a kind of schema that is not known here, an unknown field, or a wrong
 * value. Values are those of JSON.parse.
 */
import type { z } from "zod";

type Check = (value: unknown) => boolean;
/** The parts of zod's definitions that are read here; all are optional because each kind has its own. */
interface Def {
  readonly type: string;
  readonly checks?: readonly { readonly _zod: { readonly def: Limit } }[];
  readonly shape?: { readonly [name: string]: z.ZodType };
  readonly catchall?: z.ZodType;
  readonly innerType?: z.ZodType;
  readonly element?: z.ZodType;
  readonly items?: readonly z.ZodType[];
  readonly rest?: z.ZodType | null;
  readonly entries?: { readonly [name: string]: string };
  readonly values?: readonly unknown[];
  readonly options?: readonly z.ZodType[];
  readonly discriminator?: string;
  readonly keyType?: z.ZodType;
  readonly valueType?: z.ZodType;
}
interface Limit {
  readonly check: string;
  readonly format?: string;
  readonly value?: number;
  readonly inclusive?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly fn?: (value: unknown) => unknown;
}

const never: Check = () => false;
const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function wellFormed(schema: z.ZodType): Check {
  const def = schema._zod.def as unknown as Def;
  const base = kinds[def.type]?.(def) ?? never;
  // A number's own format is a limit too, which z.int() has in place of a check.
  const limits = [...(def.checks ?? []).map((check) => check._zod.def), ...("check" in def ? [def as unknown as Limit] : [])];
  const checks = limits.map((limit) => limitOf(limit) ?? never);
  return checks.length === 0 ? base : (value) => base(value) && checks.every((check) => check(value));
}

const kinds: { readonly [type: string]: (def: Def) => Check } = {
  unknown: () => () => true,
  string: () => (value) => typeof value === "string",
  boolean: () => (value) => typeof value === "boolean",
  number: () => Number.isFinite as Check,
  literal: ({ values = [] }) => {
    const allowed = new Set(values);
    return (value) => allowed.has(value);
  },
  enum: ({ entries = {} }) => {
    const allowed = new Set<unknown>(Object.values(entries));
    return (value) => allowed.has(value);
  },
  optional: ({ innerType }) => inner(innerType),
  nullable: ({ innerType }) => {
    const check = inner(innerType);
    return (value) => value === null || check(value);
  },
  array: ({ element }) => {
    const check = inner(element);
    return (value) => Array.isArray(value) && value.every((each) => check(each));
  },
  tuple({ items = [], rest }) {
    if (rest) return never;
    const checks = items.map(wellFormed);
    return (value) => Array.isArray(value) && value.length === checks.length && checks.every((check, i) => check(value[i]));
  },
  record({ keyType, valueType }) {
    const [key, check] = [inner(keyType), inner(valueType)];
    return (value) => isObject(value) && Object.keys(value).every((k) => k !== "__proto__" && key(k) && check(value[k]));
  },
  object: objectOf,
  union({ options = [], discriminator }) {
    if (discriminator === undefined) return never;
    const forms = new Map(options.flatMap((option) => valuesOf(option, discriminator).map((v) => [v, wellFormed(option)])));
    return (value) => isObject(value) && (forms.get(value[discriminator]) ?? never)(value);
  },
};

const inner = (schema: z.ZodType | undefined): Check => (schema === undefined ? never : wellFormed(schema));

const valuesOf = (option: z.ZodType, field: string): readonly unknown[] =>
  (((option._zod.def as unknown as Def).shape?.[field]?._zod.def as unknown as Def)?.values ?? []) as readonly unknown[];

function objectOf({ shape = {}, catchall }: Def): Check {
  const other = catchall && inner(catchall);
  const fields = new Map(Object.entries(shape).map(([name, schema]) => [name, wellFormed(schema)]));
  const needed = new Set(Object.keys(shape).filter((name) => (shape[name]?._zod.def as unknown as Def).type !== "optional"));
  return (value) => {
    if (!isObject(value)) return false;
    let found = 0;
    for (const name of Object.keys(value)) {
      const check = fields.get(name) ?? (name === "__proto__" ? undefined : other);
      if (check === undefined || !check(value[name])) return false;
      if (needed.has(name)) found++;
    }
    return found === needed.size;
  };
}

function limitOf({ check, format, value, inclusive, minimum, maximum, fn }: Limit): Check | undefined {
  switch (check) {
    case "min_length":
      return (v) => (v as string | readonly unknown[]).length >= (minimum ?? 0);
    case "max_length":
      return (v) => (v as string | readonly unknown[]).length <= (maximum ?? 0);
    case "custom":
      return fn && ((v) => fn(v) === true);
    case "number_format":
      return format === "safeint" ? (Number.isSafeInteger as Check) : undefined;
    case "greater_than":
      return value === undefined ? undefined : (v) => (inclusive ? (v as number) >= value : (v as number) > value);
    case "less_than":
      return value === undefined ? undefined : (v) => (inclusive ? (v as number) <= value : (v as number) < value);
    default:
      return undefined;
  }
}
