/**
 * Vectors in CUDA text: structs moved whole to and from memory, and computed with lane by lane; results narrower than a word are
 * joined to words. Arrays in registers are read and written by element.
 */
import { type DType, dtypeBits, InternalError } from "@warpfarm/common";
import type { FragmentStorage } from "../../intrinsic/fragment-place.ts";
import { type Buffer, isFragmentScope } from "../../ir/buffer.ts";
import * as b from "../../ir/build.ts";
import type { Expr } from "../../ir/expr.ts";
import { lanesOf, someExpr } from "../../ir/visit.ts";
import { isMove } from "../../lower/passes/vectorize.ts";
import { level } from "../c-family/operators.ts";
import type { CPrinter, Store } from "../c-family/printer.ts";
import { shortName } from "../c-family/types.ts";
import { cudaTypes, vectorType, vectorWords } from "./dtype.ts";
import { fragmentRegister } from "./invoke.ts";
import { pointer } from "./place.ts";

/** Texts of a vector's lanes. */
interface Lane {
  readonly stored: (k: number, outer?: number) => string;
  /** The float of which it is the nearest value; absent where it is not computed. */
  readonly unrounded?: (k: number) => string;
}

class LaneText {
  readonly #printer: CPrinter;
  readonly #lanes: number;
  #count = 0;

  constructor(printer: CPrinter, lanes: number) {
    this.#printer = printer;
    this.#lanes = lanes;
  }

  of(e: Expr): Lane {
    const parts = new Map<Expr, (k: number) => string>();
    if (e.kind === "Load" && lanesOf(e) > 1)
      return { stored: readsLocal(e) ? (k) => this.#printer.stored(laneLoad(e, k)) : this.#lanesOf(e) };
    const scalar = this.#scalarOf(e, parts, false);
    const at = (k: number): void => {
      for (const [part, text] of parts) this.#printer.names.setText(part, text(k));
    };
    const stored = (k: number, outer?: number): string => {
      at(k);
      return this.#printer.stored(scalar, outer);
    };
    const unrounded = (k: number): string => {
      at(k);
      return this.#printer.unrounded(scalar);
    };
    return cudaTypes.isEmulated(e.dtype) && isComputed(scalar) ? { stored, unrounded } : { stored };
  }

  #scalarOf(e: Expr, parts: Map<Expr, (k: number) => string>, guarded: boolean): Expr {
    if (lanesOf(e) === 1) return e;
    const standIn = b.variable("lane", e.dtype);
    switch (e.kind) {
      case "Broadcast":
        return e.value;
      case "Cast":
        return b.cast(e.dtype, this.#scalarOf(e.value, parts, guarded));
      case "Add":
      case "Sub":
      case "Mul":
      case "Div":
      case "Min":
      case "Max":
        return b.binary(e.kind, this.#scalarOf(e.a, parts, guarded), this.#scalarOf(e.b, parts, guarded));
      case "Call":
        return b.call(e.name, ...e.args.map((arg) => this.#scalarOf(arg, parts, guarded)));
      case "Load":
        // Registers are not memory, and a guarded load must not run before its guard.
        parts.set(standIn, guarded || readsLocal(e) ? (k) => this.#printer.expr(laneLoad(e, k), level.postfix) : this.#moved(e));
        return standIn;
      default:
        if (e.kind !== "Select") throw new InternalError(`a vector of ${e.kind}`);
        if (isMove(e) && !readsLocal(e)) {
          parts.set(standIn, this.#moved(e));
          return standIn;
        }
        return b.select(e.cond, this.#scalarOf(e.whenTrue, parts, true), this.#scalarOf(e.whenFalse, parts, true));
    }
  }

  /** Of a vector in memory, as values. */
  #moved(e: Expr): (k: number) => string {
    const lane = this.#lanesOf(e);
    if (!cudaTypes.isEmulated(e.dtype)) return lane;
    return (k) => this.#printer.prelude.call(`${shortName[e.dtype]}_to_f32`, lane(k));
  }

  /** The same as they are stored. */
  #lanesOf(e: Expr): (k: number) => string {
    const { prelude } = this.#printer;
    const name = `v${this.#count++}`;
    this.#printer.line(
      `const ${prelude.use(vectorType(e.dtype, this.#lanes))} ${name} = ${wholeVector(this.#printer, e, this.#lanes)};`,
    );
    const words = vectorWords(e.dtype, this.#lanes);
    if (!words) return (k) => `${name}.lane[${k}]`;
    return (k) => {
      const shift = (k % words.lanesEach) * dtypeBits(e.dtype);
      const word = `${name}.word[${Math.floor(k / words.lanesEach)}]`;
      return `(${cudaTypes.storage(e.dtype)})${shift === 0 ? word : `(${word} >> ${shift})`}`;
    };
  }
}

const isComputed = (e: Expr): boolean =>
  e.kind === "Select" ? isComputed(e.whenTrue) && isComputed(e.whenFalse) : e.kind !== "Load";

const laneLoad = (e: Extract<Expr, { kind: "Load" }>, k: number): Expr => {
  const index = e.indices[0] as Expr;
  return index.kind === "Ramp" ? b.load(e.buffer, [b.add(index.base, b.int(k))]) : e;
};

function wholeVector(printer: CPrinter, e: Expr, lanes: number, outer = 0): string {
  const type = vectorType(e.dtype, lanes);
  switch (e.kind) {
    case "Load": {
      const index = e.indices[0] as Expr;
      const base = index.kind === "Ramp" ? index.base : index;
      return `*(const ${printer.prelude.use(type)} *)${pointer(printer, e.buffer, base, lanes, "const ")}`;
    }
    case "Select": {
      const text = `${printer.expr(e.cond, level.or)} ? ${wholeVector(printer, e.whenTrue, lanes, level.or)} : ${wholeVector(printer, e.whenFalse, lanes, level.conditional)}`;
      return outer > level.conditional ? `(${text})` : text;
    }
    default:
      return `${printer.prelude.use(`splat_${type}`)}(${printer.stored(e.kind === "Broadcast" ? e.value : e)})`;
  }
}
const isOwn = ({ scope }: Buffer): boolean => scope === "local" || isFragmentScope(scope);

/** Whether it reads registers, which are lanes and never whole vectors. */
const readsLocal = (e: Expr): boolean =>
  someExpr(e, (part) => part.kind === "Load" && isOwn(part.buffer) && part.indices[0]?.kind === "Ramp");

/** A word of lanes, the first one in the lowest bits. */
function wordText(printer: CPrinter, dtype: DType, { stored, unrounded }: Lane, lanes: number, word: number): string {
  const first = word * lanes;
  const bits = dtypeBits(dtype);
  if (unrounded && bits === 16)
    return `${printer.prelude.use(`f32_to_${shortName[dtype]}x2`)}(${unrounded(first)}, ${unrounded(first + 1)})`;
  const unsigned = bits === 16 ? "unsigned short" : "unsigned char";
  const widened = cudaTypes.storage(dtype) === unsigned ? "(unsigned int)" : `(unsigned int)(${unsigned})`;
  const parts = Array.from(
    { length: lanes },
    (_, k) => `${widened}${stored(first + k, level.unary)}${k === 0 ? "" : ` << ${k * bits}`}`,
  );
  return parts.join(" | ");
}

/** `kept`: how lanes keep the fragment that it writes; a vector is then one register. */
export function vectorStore(printer: CPrinter, s: Store, kept?: FragmentStorage): void {
  const index = s.indices[0] as Expr;
  const lanes = lanesOf(index);
  const base = index.kind === "Ramp" ? index.base : index;
  if (s.buffer.scope === "local") {
    printer.braces(() => {
      const lane = new LaneText(printer, lanes).of(s.value);
      for (let k = 0; k < lanes; k++) printer.line(`${printer.element(s.buffer, b.add(base, b.int(k)))} = ${lane.stored(k)};`);
    });
    return;
  }
  const type = vectorType(s.buffer.dtype, lanes);
  const place = () =>
    `*(${printer.prelude.use(type)} *)${kept ? `&${fragmentRegister(printer, s.buffer, base, kept)}` : pointer(printer, s.buffer, base, lanes)}`;
  if (isMove(s.value) && !readsLocal(s.value)) {
    printer.line(`${place()} = ${wholeVector(printer, s.value, lanes)};`);
    return;
  }
  printer.braces(() => {
    const lane = new LaneText(printer, lanes).of(s.value);
    printer.line(`${printer.prelude.use(type)} r;`);
    const words = vectorWords(s.buffer.dtype, lanes);
    if (words)
      for (let i = 0; i < words.count; i++)
        printer.line(`r.word[${i}] = ${wordText(printer, s.buffer.dtype, lane, words.lanesEach, i)};`);
    else for (let k = 0; k < lanes; k++) printer.line(`r.lane[${k}] = ${lane.stored(k)};`);
    printer.line(`${place()} = r;`);
  });
}
