/**
 * Prints device IR as C or CUDA C++: the common part. A target supplies its types and how it writes vectors, loops and arrays
 * (CFlavour). Text depends on the IR alone, so equal kernels give equal bytes.
 * A value of an emulated type is a float that its type can represent (types.ts), so only loads, stores and results of arithmetic
 * differ.
 */
import { type DType, InternalError, isFloat, isPacked } from "@warpfarm/common";
import type { Analyzer } from "../../arith/analyzer.ts";
import type { Buffer } from "../../ir/buffer.ts";
import { exprEqual } from "../../ir/equal.ts";
import type { Binary, Expr, Load, Lookup } from "../../ir/expr.ts";
import { isRemark, type MachineStmt } from "../../ir/parts.ts";
import type { For, Stmt } from "../../ir/stmt.ts";
import { lanesOf } from "../../ir/visit.ts";
import { Counters } from "./counters.ts";
import { Names } from "./names.ts";
import { brackets, level, operators } from "./operators.ts";
import type { Prelude } from "./prelude.ts";
import { type CTypes, shortName } from "./types.ts";
import { isWide, mayWrap } from "./value-range.ts";

export type Store = Extract<Stmt, { kind: "Store" }>;

export interface CFlavour {
  readonly types: CTypes;
  /** Arithmetic that the target has in a form of its own; undefined: in C's. Absent: all is in C's. */
  readonly arithmetic?: (printer: CPrinter, e: Expr) => string | undefined;
  readonly vectorStore: (printer: CPrinter, s: Store) => void;
  readonly asyncCopy: (printer: CPrinter, s: Store) => boolean;
  readonly allocate: (printer: CPrinter, buffer: Buffer) => void;
  readonly loop: (printer: CPrinter, s: For) => void;
  readonly machine: (printer: CPrinter, s: MachineStmt) => void;
  readonly element: (printer: CPrinter, buffer: Buffer, index: Expr) => string;
  readonly isWords: (buffer: Buffer) => boolean;
}

const declaresArray = (s: Stmt): boolean => s.kind === "Allocate" || (isRemark(s) && declaresArray(s.body));

const tableRow = 32;

export class CPrinter {
  readonly names = new Names();
  readonly lines: string[] = [];
  readonly flavour: CFlavour;
  readonly prelude: Prelude;
  readonly analyzer: Analyzer;
  /**
   * Texts of loads and places while names stay the same, because an unrolled loop has few different ones (lower/instantiate.ts).
   */
  readonly #loads = new Map<Expr, string>();
  readonly #places = new Map<Expr, { readonly buffer: Buffer; readonly text: string }>();
  readonly #counters = new Counters(this.names);
  #changes = 0;
  /** Above 0 inside the index of an access, which stays within the array, so arithmetic needs no wrapping. */
  #inIndex = 0;
  #indent = 0;
  #declared: object[] = [];

  constructor(flavour: CFlavour, prelude: Prelude, analyzer: Analyzer) {
    this.flavour = flavour;
    this.prelude = prelude;
    this.analyzer = analyzer;
  }

  line(text: string): void {
    this.lines.push("  ".repeat(this.#indent) + text);
  }
  /** `head {`, the body, `}`. */
  block(head: string, body: () => void): void {
    this.line(`${head} {`);
    this.indented(body);
    this.line("}");
  }
  braces(body: () => void): void {
    this.line("{");
    this.indented(body);
    this.line("}");
  }
  indented(body: () => void): void {
    const outer = this.#declared;
    this.#declared = [];
    this.#indent++;
    body();
    this.#indent--;
    for (const thing of this.#declared) this.names.release(thing);
    this.#declared = outer;
  }
  /** Computes an int32 once: a name represents it until the enclosing braces close. */
  constant(value: Expr, wanted: string): void {
    const text = this.expr(value);
    this.line(`const int ${this.names.declare(value, wanted)} = ${text};`);
    this.#declared.push(value);
  }

  stmt(s: Stmt): void {
    switch (s.kind) {
      case "For":
        this.flavour.loop(this, s);
        return;
      case "If":
        this.block(`if (${this.expr(s.cond)})`, () => this.stmt(s.body));
        return;
      case "Store":
        if (this.flavour.asyncCopy(this, s)) return;
        if (lanesOf(s.indices[0] as Expr) > 1) this.flavour.vectorStore(this, s);
        else this.line(this.#scalarStore(s));
        return;
      case "Seq":
        for (const child of s.stmts) {
          // Its own array needs braces, because each copy of an unrolled loop declares it.
          if (declaresArray(child)) this.braces(() => this.stmt(child));
          else this.stmt(child);
        }
        return;
      case "Allocate":
        this.flavour.allocate(this, s.buffer);
        this.stmt(s.body);
        this.names.release(s.buffer);
        return;
      default:
        if (!isRemark(s)) {
          this.flavour.machine(this, s);
          return;
        }
        // Pragmas have had their effect (passes/unroll.ts).
        if (s.kind === "Stage") this.line(`// ${s.name.replace(/[^\x20-\x7e]|\\$/g, "?")}`);
        this.stmt(s.body);
    }
  }

  /**
   * `for (int i = 0; i < n; ++i)` around the body. A body that declares an array has its own braces. With `countersAt`, the line
   * where they may be declared, remainders of i are counters.
   */
  serialLoop(s: For, countersAt?: number): void {
    if (countersAt !== undefined) this.#counters.open(s.loopVar);
    const name = this.names.declare(s.loopVar, s.loopVar.name);
    this.block(`for (int ${name} = 0; ${name} < ${s.extent}; ++${name})`, () => {
      this.stmt(s.body);
      for (const step of this.#counters.steps(s.loopVar)) this.line(step);
    });
    this.names.release(s.loopVar);
    const indent = "  ".repeat(this.#indent);
    const { declarations, declared } = this.#counters.close(s.loopVar);
    this.lines.splice(countersAt ?? this.lines.length, 0, ...declarations.map((text) => indent + text));
    this.#declared.push(...declared);
  }

  #scalarStore(s: Store): string {
    const index = s.indices[0] as Expr;
    const { dtype } = s.buffer;
    if (this.flavour.isWords(s.buffer))
      return `${this.prelude.use(`store_${shortName[dtype]}`)}(${this.names.get(s.buffer)}, ${this.expr(index)}, ${this.expr(s.value)});`;
    const place = this.element(s.buffer, index);
    if (
      s.value.kind === "Add" &&
      !this.flavour.types.isEmulated(dtype) &&
      !isPacked(dtype) &&
      !isWide(dtype) &&
      isLoadOf(s.value.a, s.buffer, index)
    ) {
      return `${place} += ${this.expr(s.value.b)};`;
    }
    return `${place} = ${this.stored(s.value)};`;
  }

  element(buffer: Buffer, index: Expr): string {
    this.#forget();
    const known = this.#places.get(index);
    if (known?.buffer === buffer) return known.text;
    this.#inIndex++;
    const text = this.flavour.element(this, buffer, index);
    this.#inIndex--;
    this.#places.set(index, { buffer, text });
    return text;
  }
  #forget(): void {
    if (this.#changes === this.names.changes) return;
    this.#changes = this.names.changes;
    this.#loads.clear();
    this.#places.clear();
  }

  stored(e: Expr, outer = 0): string {
    if (!this.flavour.types.isEmulated(e.dtype)) return this.expr(e, outer);
    if (e.kind === "Load") return this.element(e.buffer, e.indices[0] as Expr);
    if (e.kind === "Select") return this.#choice(e, (side, at) => this.stored(side, at), outer);
    return `${this.prelude.use(`f32_to_${shortName[e.dtype]}`)}(${this.unrounded(e)})`;
  }
  /** The float that arithmetic in an emulated type gives before it is rounded, or the one of two. */
  unrounded(e: Expr, outer = 0): string {
    if (e.kind === "Select") return this.#choice(e, (side, at) => this.unrounded(side, at), outer);
    return e.kind === "Cast" ? this.#plainCast("float32", e.value) : e.kind === "FloatImm" ? this.expr(e) : this.#result(e);
  }

  #choice(
    { cond, whenTrue, whenFalse }: Extract<Expr, { kind: "Select" }>,
    text: (side: Expr, outer: number) => string,
    outer: number,
  ): string {
    const chosen = `${this.expr(cond, level.or)} ? ${text(whenTrue, level.or)} : ${text(whenFalse, level.conditional)}`;
    return brackets(chosen, level.conditional, outer);
  }

  expr(e: Expr, outer = 0): string {
    const { types } = this.flavour;
    switch (e.kind) {
      case "IntImm":
      case "FloatImm": {
        const text = types.literal(e.dtype, e.value);
        return text.startsWith("-") ? brackets(text, level.unary, outer) : text;
      }
      case "Var":
        return this.names.get(e);
      case "Not":
        return brackets(`!${this.expr(e.value, level.unary)}`, level.unary, outer);
      case "Load": {
        this.#forget();
        let text = this.#loads.get(e);
        if (text === undefined) {
          text = this.#load(e);
          this.#loads.set(e, text);
        }
        return text;
      }
      case "Select":
        return this.#choice(e, (side, at) => this.expr(side, at), outer);
      case "Lookup":
        return this.#lookup(e, outer);
      case "Cast":
        return this.#cast(e.dtype, e.value, outer);
      case "Ramp":
      case "Broadcast":
        throw new InternalError(`${e.kind} where a scalar belongs`);
      default:
        return this.#rounded(e, outer);
    }
  }

  #load(e: Load): string {
    const { types } = this.flavour;
    if (this.flavour.isWords(e.buffer))
      return `${this.prelude.use(`load_${shortName[e.dtype]}`)}(${this.names.get(e.buffer)}, ${this.expr(e.indices[0] as Expr)})`;
    const place = this.element(e.buffer, e.indices[0] as Expr);
    return types.isEmulated(e.dtype) ? `${this.prelude.use(`${shortName[e.dtype]}_to_f32`)}(${place})` : place;
  }

  #lookup(e: Lookup, outer: number): string {
    const known = this.names.get(e);
    if (known) return known;
    const { index } = e;
    const { name: wanted, values } = e.table;
    const rows = Array.from({ length: Math.ceil(values.length / tableRow) }, (_, i) =>
      values.slice(i * tableRow, (i + 1) * tableRow).join(", "),
    );
    // No name of a program begins so (names.ts).
    const name = this.prelude.define(
      `tile_${wanted}`,
      (own) => `${this.flavour.types.constants} unsigned short ${own}[${values.length}] = {\n  ${rows.join(",\n  ")}};`,
    );
    const { lo, hi } = this.analyzer.boundsOf(this.analyzer.linear(index));
    const entry = `${name}[${this.expr(index)}]`;
    if (lo >= 0 && hi < values.length) return entry;
    const text = `${this.expr(index, level.relation)} < ${values.length} ? ${entry} : ${this.expr(index, level.conditional)}`;
    return brackets(text, level.conditional, outer);
  }

  #cast(dtype: DType, value: Expr, outer: number): string {
    const { types } = this.flavour;
    if (dtype === "bool") return brackets(`${this.expr(value, level.equality)} != 0`, level.equality, outer);
    if (types.isEmulated(dtype)) return this.prelude.call(`round_${shortName[dtype]}`, this.#plainCast("float32", value));
    // A value of an emulated type already is a float.
    if (types.isEmulated(value.dtype) && dtype === "float32") return this.expr(value, outer);
    if (isFloat(value.dtype) && !isFloat(dtype) && !types.castSaturates(dtype)) {
      const from = value.dtype === "float64" ? "f64" : "f32";
      return this.prelude.call(`${from}_to_${shortName[dtype]}`, this.expr(value));
    }
    if (isPacked(dtype)) return this.prelude.call(`wrap_${shortName[dtype]}`, this.expr(value));
    return brackets(this.#plainCast(dtype, value), level.unary, outer);
  }
  #plainCast(dtype: DType, value: Expr): string {
    const { types } = this.flavour;
    if (types.value(dtype) === types.value(value.dtype)) return this.expr(value, level.unary);
    return `(${types.value(dtype)})${this.expr(value, level.unary)}`;
  }

  /**
   * Arithmetic, followed by a conversion to a narrow integer or to the precision of an emulated type. Data that may exceed int32
   * or int64 wraps explicitly, because C leaves overflow undefined. Sums of loop variables stay as they are.
   */
  #rounded(e: Binary | Extract<Expr, { kind: "Call" }>, outer: number): string {
    const { types } = this.flavour;
    if (types.isEmulated(e.dtype)) return this.prelude.call(`round_${shortName[e.dtype]}`, this.#result(e));
    if (isPacked(e.dtype)) {
      if (e.kind === "Min" || e.kind === "Max") return this.#result(e, outer);
      return this.prelude.call(`wrap_${shortName[e.dtype]}`, this.#result(e));
    }
    if (e.dtype === "int8" || e.dtype === "uint8") {
      return brackets(`(${types.value(e.dtype)})(${this.#result(e)})`, level.unary, outer);
    }
    if (
      isWide(e.dtype) &&
      (e.kind === "Add" || e.kind === "Sub" || e.kind === "Mul") &&
      this.#inIndex === 0 &&
      mayWrap(e, this.analyzer)
    )
      return `${this.prelude.use(wrapping(e.kind, shortName[e.dtype]))}(${this.expr(e.a)}, ${this.expr(e.b)})`;
    return this.#result(e, outer);
  }

  #result(e: Expr, outer = 0): string {
    const special = this.flavour.arithmetic?.(this, e);
    if (special !== undefined) return special;
    switch (e.kind) {
      case "Call":
        if (e.name === "tf32") return this.prelude.call("round_tf32", this.expr(e.args[0] as Expr));
        return `${this.mathFunction(e.name, e.dtype)}(${e.args.map((a) => this.expr(a)).join(", ")})`;
      case "Min":
      case "Max": {
        const name = this.names.get(e);
        if (name) return name;
        return `${this.minMax(e.kind, e.dtype)}(${this.expr(e.a)}, ${this.expr(e.b)})`;
      }
      case "FloorDiv":
      case "FloorMod": {
        const counter = e.kind === "FloorMod" ? this.#counters.nameOf(e) : undefined;
        if (counter) return counter;
        if (!this.#divisionTruncates(e)) {
          const wide = e.dtype === "int64" ? "i64" : "i32";
          const helper = this.prelude.use(`${e.kind === "FloorDiv" ? "floor_div" : "floor_mod"}_${wide}`);
          return `${helper}(${this.expr(e.a)}, ${this.expr(e.b)})`;
        }
        break;
      }
      case "IntImm":
      case "FloatImm":
      case "Var":
      case "Not":
      case "Cast":
      case "Select":
      case "Load":
      case "Lookup":
      case "Ramp":
      case "Broadcast":
        return this.expr(e, outer);
    }
    const [text, own] = operators[e.kind];
    return brackets(`${this.expr(e.a, own)}${text}${this.expr(e.b, own + 1)}`, own, outer);
  }

  mathFunction(name: Extract<Expr, { kind: "Call" }>["name"], dtype: DType): string {
    const { types } = this.flavour;
    return types.math(name, types.isEmulated(dtype) ? "float32" : dtype);
  }
  minMax(kind: "Min" | "Max", dtype: DType): string {
    const { types } = this.flavour;
    const of = types.isEmulated(dtype) ? "float32" : isPacked(dtype) ? "int32" : dtype;
    return this.prelude.use(`${kind === "Min" ? "min" : "max"}_${shortName[of]}`);
  }

  /** C rounds towards zero, which equals floor where nothing is negative. */
  #divisionTruncates(e: Binary): boolean {
    return (
      e.dtype === "int32" && e.b.kind === "IntImm" && e.b.value > 0 && this.analyzer.boundsOf(this.analyzer.linear(e.a)).lo >= 0
    );
  }
}

/** The helper that adds, subtracts or multiplies in two's complement: add_i32, or of vectors add_i32x8. */
export const wrapping = (kind: "Add" | "Sub" | "Mul", type: string): string => `${kind.toLowerCase()}_${type}`;

/** Whether `e` loads exactly that element. */
export const isLoadOf = (e: Expr, buffer: Buffer, index: Expr): e is Load =>
  e.kind === "Load" && e.buffer === buffer && exprEqual(e.indices[0] as Expr, index);
