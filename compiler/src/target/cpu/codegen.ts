/**
 * C text of a kernel for the CPU: one function `void name(void *const *args)`, with arguments in the order of the kernel's
 * parameters (common/artifact.ts). OpenMP runs parallel loops, and directly nested ones are collapsed. No header is needed:
 * memory is accessed through restrict pointers, and vectors are GCC's. Arrays inside loops are on the stack, aligned to a cache
 * line.
 */

import { InternalError, isFloat, isPacked } from "@warpfarm/common";
import type { Analyzer } from "../../arith/analyzer.ts";
import type { Buffer } from "../../ir/buffer.ts";
import * as b from "../../ir/build.ts";
import type { Expr } from "../../ir/expr.ts";
import type { Kernel } from "../../ir/prim-func.ts";
import type { For } from "../../ir/stmt.ts";
import { lanesOf, walkStmt } from "../../ir/visit.ts";
import { analyzerFor } from "../../lower/loops.ts";
import { level } from "../c-family/operators.ts";
import { Prelude } from "../c-family/prelude.ts";
import { type CFlavour, CPrinter, isLoadOf, type Store, wrapping } from "../c-family/printer.ts";
import { sharedArray } from "../c-family/types.ts";
import { isWide } from "../c-family/value-range.ts";
import { cpuHelper, cpuTypes, vectorType } from "./dtype.ts";
import { vectorArrays } from "./vector-arrays.ts";

/** gcc refuses more in its pragma. */
const maxUnrollPragma = 65_534;

class CpuText implements CFlavour {
  readonly types = cpuTypes;
  readonly #vectorArrays: ReadonlyMap<Buffer, number>;
  readonly #analyzer: Analyzer;
  #inParallel = false;

  readonly #params: readonly Buffer[];

  constructor({ body, params }: Kernel["func"], analyzer: Analyzer) {
    this.#params = params;
    this.#analyzer = analyzer;
    this.#vectorArrays = vectorArrays(body, analyzer);
  }

  loop(p: CPrinter, s: For): void {
    if (s.forKind === "parallel" && !this.#inParallel) {
      const collapsed = directlyNested(s);
      p.line(`#pragma omp parallel for schedule(static)${collapsed > 1 ? ` collapse(${collapsed})` : ""}`);
      this.#inParallel = true;
      p.serialLoop(s);
      this.#inParallel = false;
      return;
    }
    if (s.forKind === "unrolled") p.line(`#pragma GCC unroll ${Math.min(s.factor ?? s.extent, maxUnrollPragma)}`);
    p.serialLoop(s);
  }

  readonly machine: CFlavour["machine"] = (_, s) => {
    throw new InternalError(`${s.kind} on a CPU`);
  };

  allocate(p: CPrinter, buffer: Buffer): void {
    const name = p.names.declare(buffer, buffer.name);
    const lanes = this.#vectorArrays.get(buffer);
    const size = buffer.shape[0] as number;
    const type = lanes ? p.prelude.use(vectorType(buffer.dtype, lanes)) : cpuTypes.storage(buffer.dtype);
    p.line(`${type} ${name}[${lanes ? size / lanes : size}] __attribute__((aligned(64)));`);
  }

  isWords(buffer: Buffer): boolean {
    return isPacked(buffer.dtype) && this.#params.includes(buffer);
  }

  element(p: CPrinter, buffer: Buffer, index: Expr): string {
    return `${p.names.get(buffer)}[${p.expr(index)}]`;
  }

  asyncCopy(): boolean {
    return false;
  }

  vectorStore(p: CPrinter, s: Store): void {
    const index = s.indices[0] as Expr;
    const place = this.#place(p, s.buffer, index, "");
    if (s.value.kind === "Add" && !isWide(s.value.dtype) && isLoadOf(s.value.a, s.buffer, index)) {
      p.line(`${place} += ${this.#vector(p, s.value.b)};`);
      return;
    }
    p.line(`${place} = ${this.#vector(p, s.value)};`);
  }

  #place(p: CPrinter, buffer: Buffer, index: Expr, qualifier: string): string {
    if (index.kind !== "Ramp") return this.element(p, buffer, index);
    const lanes = this.#vectorArrays.get(buffer);
    const name = p.names.get(buffer);
    if (lanes) return `${name}[${p.expr(this.#divided(index.base, lanes))}]`;
    const pointer = b.isInt(index.base, 0) ? name : `(${name} + ${p.expr(index.base, level.sum + 1)})`;
    return `*(${qualifier}${p.prelude.use(vectorType(buffer.dtype, index.lanes))} *)${pointer}`;
  }
  #divided(base: Expr, lanes: number): Expr {
    return this.#analyzer.expr(this.#analyzer.floorDiv(this.#analyzer.linear(base), lanes));
  }

  #vector(p: CPrinter, e: Expr, outer = 0): string {
    const lanes = lanesOf(e);
    const type = vectorType(e.dtype, lanes);
    const binary = (operator: string, own: number, x: Expr, y: Expr) => {
      if (isWide(e.dtype) && (e.kind === "Add" || e.kind === "Sub" || e.kind === "Mul"))
        return `${p.prelude.use(wrapping(e.kind, type))}(${this.#vector(p, x)}, ${this.#vector(p, y)})`;
      const text = `${this.#vector(p, x, own)}${operator}${this.#vector(p, y, own + 1)}`;
      return own < outer ? `(${text})` : text;
    };
    switch (e.kind) {
      case "Load":
        return this.#place(p, e.buffer, e.indices[0] as Expr, "const ");
      case "Broadcast":
        return p.prelude.call(`splat_${type}`, p.expr(e.value));
      case "Select": {
        // What an operator gives has lost the type's alignment, so it is another type to gcc than what is loaded.
        const typed = (part: Expr, own: number): string =>
          isArithmetic(part) ? `(${p.prelude.use(type)})(${this.#vector(p, part)})` : this.#vector(p, part, own);
        const text = `${p.expr(e.cond, level.or)} ? ${typed(e.whenTrue, level.or)} : ${typed(e.whenFalse, level.conditional)}`;
        return level.conditional < outer ? `(${text})` : text;
      }
      case "Cast":
        if (isFloat(e.value.dtype) && !isFloat(e.dtype))
          return p.prelude.call(`${vectorType(e.value.dtype, lanes)}_to_${type}`, this.#vector(p, e.value));
        return `__builtin_convertvector(${this.#vector(p, e.value)}, ${p.prelude.use(type)})`;
      case "Min":
      case "Max": {
        const helper = p.prelude.use(`${e.kind === "Min" ? "min" : "max"}_${type}`);
        return `${helper}(${this.#vector(p, e.a)}, ${this.#vector(p, e.b)})`;
      }
      case "Add":
        return binary(" + ", level.sum, e.a, e.b);
      case "Sub":
        return binary(" - ", level.sum, e.a, e.b);
      case "Mul":
        return binary(" * ", level.product, e.a, e.b);
      case "Div":
        return binary(" / ", level.product, e.a, e.b);
      default:
        throw new InternalError(`a vector of ${e.kind}`);
    }
  }
}

const isArithmetic = ({ kind }: Expr): boolean => kind === "Add" || kind === "Sub" || kind === "Mul" || kind === "Div";

function directlyNested(s: For): number {
  let count = 1;
  for (let body = s.body; body.kind === "For" && body.forKind === "parallel"; body = body.body) count++;
  return count;
}

export function cpuKernelText(kernel: Kernel, prelude: Prelude): string {
  const { func } = kernel;
  const analyzer = analyzerFor(func.body);
  const printer = new CPrinter(new CpuText(func, analyzer), prelude, analyzer);
  const written = new Set<Buffer>();
  walkStmt(func.body, (s) => {
    if (s.kind === "Store") written.add(s.buffer);
  });
  printer.names.reserve(func.name);
  printer.block(`void ${func.name}(void *const *args)`, () => {
    func.params.forEach((buffer, i) => {
      const type = `${written.has(buffer) ? "" : "const "}${sharedArray(cpuTypes, buffer).type}`;
      printer.line(`${type} *restrict const ${printer.names.declare(buffer, buffer.name)} = (${type} *)args[${i}];`);
    });
    printer.stmt(func.body);
  });
  return printer.lines.join("\n");
}

export const cpuPrelude = (): Prelude => new Prelude(cpuHelper);
