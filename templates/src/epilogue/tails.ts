/**
 * The elementwise operations that may follow an operator in its own kernel (`--epilogue bias,relu`): their syntax, and what each
 * makes of an element. An element is computed in float32 (of float64 in float64, of whole numbers in int32), from the operator's
 * value before that is rounded to the type of its result. It is rounded once, at the end of the epilogue.
 */
import { type DType, didYouMean, isFloat } from "@warpfarm/common";
import {
  add,
  at,
  type Buffer,
  cast,
  div,
  type Expr,
  fills,
  gelu,
  geluTanh,
  hardSigmoid,
  hardSwish,
  maximum,
  minimum,
  mul,
  placeholder,
  relu6,
  saturated,
  sigmoid,
  silu,
  tanh,
} from "@warpfarm/compiler/language";

/** One operation of an epilogue. Its text is canonical: equal operations have equal texts. */
export interface Tail {
  readonly text: string;
  /** Those of the result that its text names. */
  readonly axes?: readonly number[];
  /** Throws TailFault where it cannot follow `element`. */
  readonly follow: (element: Element, place: Place) => Element;
}

/** An element, in the type in which epilogues compute, and the type of the result if it ended here. */
export interface Element {
  readonly value: Expr;
  readonly dtype: DType;
}

/** Where the element lies in the result, and what else its operations may read. */
export interface Place {
  readonly shape: readonly number[];
  readonly indices: readonly Expr[];
  /** Axes of the result along which it has channels (attach.ts). */
  readonly channels: readonly number[];
  /** A further input, under this name or, where that is taken, with a number behind it. */
  input(name: string, make: (name: string) => Buffer): Buffer;
}

/** What is wrong with an operation, as the end of a sentence. */
export class TailFault extends Error {}
const fault = (why: string): never => {
  throw new TailFault(why);
};

export const computedIn = (dtype: DType): DType => (dtype === "float64" ? dtype : isFloat(dtype) ? "float32" : "int32");

/** As a float: whole numbers become float32. */
const asFloat = ({ value, dtype }: Element): Element =>
  isFloat(value.dtype) ? { value, dtype } : { value: cast("float32", value), dtype: "float32" };

type Follow = Tail["follow"];

/** One row of the table: the arguments in words, and the operation of their texts; undefined for others. */
interface Form {
  readonly takes: string;
  readonly does: string;
  readonly read: (
    texts: readonly string[],
  ) => (Omit<Tail, "text"> & { readonly written: readonly (string | number)[] }) | undefined;
}

const number = (text: string): number => (/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text) ? Number(text) : Number.NaN);

const activation = (does: string, f: (x: Expr) => Expr, ofWhole = false): Form => ({
  takes: "",
  does,
  read: (texts) =>
    texts.length > 0
      ? undefined
      : {
          written: [],
          follow: ({ value, dtype }) =>
            ofWhole || isFloat(value.dtype)
              ? { value: f(value), dtype }
              : fault(`takes floats, and the value is ${dtype} there; put cast(float32), scale or channel_scale before it`),
        },
});

/** Reads a tensor that has one element for each place along some axes, by default those of the channels. */
const alongAxes = (does: string, follow: (element: Element, read: ReadAlong) => Element): Form => ({
  takes: "AXIS, ...",
  does,
  read: (texts) => {
    const axes = texts.map((text) => (/^\d{1,2}$/.test(text) ? Number(text) : Number.NaN));
    if (axes.some(Number.isNaN) || new Set(axes).size < axes.length) return undefined;
    return {
      written: axes,
      axes,
      follow(element, { shape, indices, channels, input }) {
        const along = axes.length > 0 ? axes : channels;
        const none = along.find((axis) => axis >= shape.length);
        if (none !== undefined) fault(`names axis ${none}; the result has the axes 0 to ${shape.length - 1}`);
        return follow(element, (name, dtype, fill) => {
          const extents = along.map((axis) => shape[axis] as number);
          const tensor = input(name, (free) => placeholder(free, extents, dtype, fill));
          return at(tensor, ...along.map((axis) => indices[axis] as Expr));
        });
      },
    };
  },
});
type ReadAlong = (name: string, dtype: DType, fill?: Parameters<typeof placeholder>[3]) => Expr;

const castable: readonly DType[] = ["float16", "bfloat16", "float32", "float64", "int8", "uint8", "int32"];
const isInt8 = (dtype: DType): boolean => dtype === "int8" || dtype === "uint8";

function castTo(target: DType): Follow {
  return ({ value, dtype }) => {
    if (isInt8(target) && isFloat(value.dtype))
      fault(`takes whole numbers, and the value is ${dtype} there; quantize(1,0,${target}) rounds and stays within the type`);
    const wrapped = isInt8(target) ? cast(target, value) : value;
    return { value: cast(computedIn(target), wrapped), dtype: target };
  };
}

const forms: Readonly<Record<string, Form>> = {
  bias: alongAxes("adds the tensor bias, an element for each channel or each place along AXIS", ({ value, dtype }, read) => ({
    value: add(value, cast(value.dtype, read("bias", dtype))),
    dtype,
  })),
  channel_scale: alongAxes(
    "multiplies by the tensor scale, an element for each channel or each place along AXIS",
    (element, read) => {
      const { value, dtype } = asFloat(element);
      return { value: mul(value, read("scale", value.dtype, fills.positive)), dtype };
    },
  ),
  residual: {
    takes: "",
    does: "adds the tensor residual, of the result's shape",
    read: (texts) =>
      texts.length > 0
        ? undefined
        : {
            written: [],
            follow: ({ value, dtype }, { shape, indices, input }) => {
              const tensor = input("residual", (name) => placeholder(name, shape, dtype));
              return { value: add(value, cast(value.dtype, at(tensor, ...indices))), dtype };
            },
          },
  },
  scale: {
    takes: "X",
    does: "multiplies by the number X",
    read([text = "", ...rest]) {
      const x = number(text);
      if (rest.length > 0 || !Number.isFinite(x)) return undefined;
      const follow: Follow = (element) => {
        const { value, dtype } = asFloat(element);
        return { value: mul(value, x), dtype };
      };
      return { written: [x], follow };
    },
  },
  clamp: {
    takes: "LOW, HIGH",
    does: "at least LOW and at most HIGH",
    read(texts) {
      const [low = Number.NaN, high = Number.NaN, ...rest] = texts.map(number);
      if (rest.length > 0 || !(low <= high)) return undefined;
      const follow: Follow = ({ value, dtype }) => {
        const odd = isFloat(value.dtype) ? undefined : [low, high].find((bound) => !Number.isInteger(bound));
        if (odd !== undefined) fault(`has the bound ${odd}; the value is ${dtype} there`);
        return { value: minimum(maximum(value, low), high), dtype };
      };
      return { written: [low, high], follow };
    },
  },
  cast: {
    takes: "DTYPE",
    does: `converts; DTYPE is ${castable.join(", ")}`,
    read([text, ...rest]) {
      const dtype = castable.find((each) => each === text);
      return dtype === undefined || rest.length > 0 ? undefined : { written: [dtype], follow: castTo(dtype) };
    },
  },
  quantize: {
    takes: "SCALE, ZERO=0, DTYPE=int8",
    does: "round(x / SCALE) + ZERO, within DTYPE, which is int8 or uint8",
    read([first = "", second = "0", third = "int8", ...rest]) {
      const [scale, zero] = [number(first), number(second)];
      const dtype = castable.filter(isInt8).find((each) => each === third);
      if (rest.length > 0 || !(scale > 0 && scale < Number.POSITIVE_INFINITY) || !Number.isInteger(zero) || !dtype)
        return undefined;
      const follow: Follow = (element) => {
        const { value } = asFloat(element);
        return { value: cast("int32", saturated(div(value, scale), zero, dtype)), dtype };
      };
      return {
        written: [scale, ...(zero !== 0 || dtype !== "int8" ? [zero] : []), ...(dtype === "int8" ? [] : [dtype])],
        follow,
      };
    },
  },
  relu: activation("max(x, 0)", (x) => maximum(x, 0), true),
  relu6: activation("min(max(x, 0), 6)", relu6, true),
  gelu: activation("x (1 + erf(x / sqrt(2))) / 2", gelu),
  gelu_tanh: activation("gelu by tanh", geluTanh),
  silu: activation("x / (1 + e^-x)", silu),
  sigmoid: activation("1 / (1 + e^-x)", sigmoid),
  tanh: activation("tanh(x)", tanh),
  hard_sigmoid: activation("min(max(x + 3, 0), 6) / 6", hardSigmoid),
  hard_swish: activation("x min(max(x + 3, 0), 6) / 6", hardSwish),
};

const isOptional = (name: string): boolean => name === "bias" || name === "channel_scale";
const shown = (name: string, { takes }: Form): string =>
  takes === "" ? name : isOptional(name) ? `${name} or ${name}(${takes})` : `${name}(${takes})`;

/** Every operation, as it is written, and what it does. */
export const tailWords: readonly (readonly [written: string, does: string])[] = Object.entries(forms).map(([name, form]) => [
  shown(name, form),
  form.does,
]);
const known = (): string =>
  Object.entries(forms)
    .map(([name, form]) => shown(name, form))
    .join(", ");

/** The operation of one text, such as `clamp(0, 6)`. Throws TailFault that lists the operations. */
export function readTail(text: string): Tail {
  const [, name = "", , inside] = /^\s*(\w+)\s*(\(([^()]*)\))?\s*$/.exec(text) ?? [];
  const form = Object.hasOwn(forms, name) ? forms[name] : undefined;
  if (/^[^()]*\([^()]*$/.test(text))
    return fault(`${JSON.stringify(text)} has no ")"; in a list of YAML an operation with a comma is in quotes, as "clamp(0,6)"`);
  if (!form) return fault(`${JSON.stringify(text)} is none${didYouMean(name, Object.keys(forms))}; there are ${known()}`);
  const texts = inside === undefined || inside.trim() === "" ? [] : inside.split(",").map((each) => each.trim());
  const read = form.read(texts);
  if (!read) return fault(`${JSON.stringify(text)} is not ${shown(name, form)}`);
  const { written, ...tail } = read;
  return { text: written.length > 0 ? `${name}(${written.join(",")})` : name, ...tail };
}

/** The texts of a list such as `bias,clamp(0,6)`; commas within parentheses belong to an operation. */
export const splitTails = (list: string): readonly string[] => list.split(/,(?![^()]*\))/).map((text) => text.trim());
