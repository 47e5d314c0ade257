/**
 * IR as readable text, for people and tests; never parsed. Variables with one name in one scope get different suffixes.
 *   func conv(data: float32[1, 512, 7, 7], out conv: ...) scheduled
 *     for f.outer in 4 bind blockIdx.z:
 *       alloc AA: float32[4, 9, 9] shared
 *       AA[0, y, x] = select(y >= 1, data[0, 0, y - 1, x], 0.0)
 */
import { assertNever } from "@warpfarm/common";
import type { Buffer } from "./buffer.ts";
import type { Binary, Expr, Var } from "./expr.ts";
import { isRemark } from "./parts.ts";
import type { PrimFunc } from "./prim-func.ts";
import { type Fold, pragmaKeys, type Remark, type Stmt } from "./stmt.ts";

const operators: Partial<Record<Binary["kind"], readonly [text: string, precedence: number]>> = {
  Or: ["or", 1],
  And: ["and", 2],
  EQ: ["==", 3],
  NE: ["!=", 3],
  LT: ["<", 3],
  LE: ["<=", 3],
  GT: [">", 3],
  GE: [">=", 3],
  Add: ["+", 4],
  Sub: ["-", 4],
  Mul: ["*", 5],
  Div: ["/", 5],
  FloorDiv: ["//", 5],
  FloorMod: ["%", 5],
};

/** A float as a literal that reads back exactly. Whole numbers keep a point. */
export function floatText(value: number): string {
  const text = Object.is(value, -0) ? "-0" : String(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

type VarName = (v: Var) => string;

export function printExpr(e: Expr, name: VarName = (v) => v.name): string {
  const print = (x: Expr, outer: number): string => {
    switch (x.kind) {
      case "IntImm":
        if (x.dtype === "bool") return x.value === 1 ? "true" : "false";
        return x.dtype === "int32" ? String(x.value) : `${x.dtype}(${x.value})`;
      case "FloatImm":
        return x.dtype === "float32" ? floatText(x.value) : `${x.dtype}(${floatText(x.value)})`;
      case "Var":
        return name(x);
      case "Not":
        return `not ${print(x.value, 6)}`;
      case "Cast":
        return `${x.dtype}(${print(x.value, 0)})`;
      case "Select":
        return `select(${print(x.cond, 0)}, ${print(x.whenTrue, 0)}, ${print(x.whenFalse, 0)})`;
      case "Load":
        return `${x.buffer.name}[${x.indices.map((i) => print(i, 0)).join(", ")}]`;
      case "Lookup":
        return `${x.table.name}[${print(x.index, 0)}]`;
      case "Ramp":
        return `ramp(${print(x.base, 0)}, ${x.stride}, ${x.lanes})`;
      case "Broadcast":
        return `broadcast(${print(x.value, 0)}, ${x.lanes})`;
      case "Call":
        return `${x.name}(${x.args.map((a) => print(a, 0)).join(", ")})`;
      default: {
        const operator = operators[x.kind];
        if (!operator) return `${x.kind.toLowerCase()}(${print(x.a, 0)}, ${print(x.b, 0)})`;
        const [text, precedence] = operator;
        // The right operand needs brackets at equal precedence: a - (b - c), a // (b * c).
        const line = `${print(x.a, precedence)} ${text} ${print(x.b, precedence + 1)}`;
        return precedence < outer ? `(${line})` : line;
      }
    }
  };
  return print(e, 0);
}

const bufferText = (buffer: Buffer): string =>
  `${buffer.name}: ${buffer.dtype}[${buffer.shape.join(", ")}]${buffer.strides ? ` strides [${buffer.strides.join(", ")}]` : ""}${buffer.swizzle ? ` swizzled ${buffer.swizzle.ways} ways` : ""}`;

export const described = (s: Stmt): string =>
  s.kind === "Invoke" ? `the intrinsic ${s.intrinsic.name}` : `a statement ${s.kind}`;

function remarkText(s: Remark): string {
  switch (s.kind) {
    case "KernelNest": {
      const { minBlocks, dependent, roles } = s.attrs;
      const of = [
        minBlocks === undefined ? [] : [`at least ${minBlocks} blocks a multiprocessor`],
        dependent ? ["started before the one before it ends"] : [],
        roles ? [`two roles${roles.registers ? ` of ${roles.registers.join(" and ")} registers` : ""}`] : [],
      ];
      return `kernel, ${of.flat().join(", ")}`;
    }
    case "Stage":
      return `stage ${s.name}${s.ahead ? `, ${s.ahead.arrays} arrays by ${s.ahead.by}` : ""}${s.engine ? `, copied by ${s.engine}` : ""}${s.ring ? ` in slots of ${s.ring}` : ""}`;
    case "Pragma":
      return `pragma ${pragmaKeys
        .filter((key) => s.pragmas[key] !== undefined)
        .map((key) => `${key} ${s.pragmas[key]}`)
        .join(", ")}`;
    case "Tensorize":
      return `tensorize by ${s.intrinsic.name}${s.isInit ? ", start values" : ""}`;
    case "Unmatched":
      return `not by ${s.primitive}, ${s.why}`;
  }
}

function overText({ lanes, blocks, exchange }: Fold): string {
  if (lanes !== undefined) return `${lanes} lanes`;
  if (exchange) return `${blocks} blocks by ${exchange.name}`;
  return blocks === undefined ? "threadIdx.x" : `threadIdx.x of ${blocks} blocks`;
}

function leafText(s: Exclude<Stmt, { readonly body: Stmt } | { readonly kind: "Seq" | "Roles" }>, name: VarName): string {
  const list = (indices: readonly Expr[]) => `[${indices.map((i) => printExpr(i, name)).join(", ")}]`;
  switch (s.kind) {
    case "Store":
      return `${s.buffer.name}${list(s.indices)} = ${printExpr(s.value, name)}`;
    case "Invoke": {
      const tiles = s.tiles.map((t) => `${t.buffer.name}${list(t.indices)} strides [${t.strides.join(", ")}]`);
      return `${s.intrinsic.name}.${s.form}(${tiles.join(", ")})`;
    }
    case "Fold":
      return `fold ${s.buffer.name} by ${s.combiner} over ${overText(s)}`;
    case "Handover":
      return s.what === "wait" ? "wait for the kernel before" : "release the next kernel";
    case "Barrier":
      return s.agent === "block" ? "barrier" : `barrier of the ${s.agent}`;
    case "BulkCopy": {
      const tap = s.taps ? ` + tap ${list(s.taps)}` : "";
      const [global, shared] = [`${s.tensor.buffer.name}${list(s.origin)}${tap}`, `${s.shared.name}${list(s.indices)}`];
      const [to, from] = s.direction === "in" ? [shared, global] : [global, shared];
      return `${to} = ${s.tensor.im2col ? "pixels" : "box"} [${s.tensor.box.join(", ")}] at ${from}${s.multicast ? `, to all of ${s.multicast.blocks} blocks along ${s.multicast.along}` : ""}`;
    }
    case "Await":
    case "Release":
      return `${s.kind === "Await" ? "await" : "release"} ${s.channel.name}, turn ${printExpr(s.turn, name)}`;
    case "Fence":
      return "fence for the copy engine and tensor cores";
    case "Wait":
      return `wait ${s.engine}, all but ${s.pending} groups`;
    default:
      return assertNever(s);
  }
}

/** One statement, indented. `naming` distinguishes names of enclosing variables, if the caller has some. */
export function printStmt(stmt: Stmt, indent = 0, used: Map<string, number> = new Map()): string {
  const lines: string[] = [];
  const names = new Map<Var, string>();
  const name: VarName = (v) => names.get(v) ?? v.name;
  const print = (s: Stmt, depth: number): void => {
    const line = (text: string) => lines.push(`${"  ".repeat(depth)}${text}`);
    if (isRemark(s)) {
      line(`${remarkText(s)}:`);
      print(s.body, depth + 1);
      return;
    }
    switch (s.kind) {
      case "For": {
        const count = used.get(s.loopVar.name) ?? 0;
        used.set(s.loopVar.name, count + 1);
        names.set(s.loopVar, count === 0 ? s.loopVar.name : `${s.loopVar.name}'${count}`);
        const how =
          s.forKind === "bound"
            ? ` bind ${s.thread}`
            : s.forKind === "serial"
              ? ""
              : ` ${s.forKind}${s.factor ? ` by ${s.factor}` : ""}`;
        line(`for ${name(s.loopVar)} in ${s.extent}${how}:`);
        print(s.body, depth + 1);
        used.set(s.loopVar.name, count);
        return;
      }
      case "If":
        line(`if ${printExpr(s.cond, name)}:`);
        print(s.body, depth + 1);
        return;
      case "Seq":
        for (const child of s.stmts) print(child, depth);
        return;
      case "Allocate":
        line(`alloc ${bufferText(s.buffer)} ${s.buffer.scope}`);
        print(s.body, depth);
        return;
      case "Async":
        line(`async ${s.engine}:`);
        print(s.body, depth + 1);
        return;
      case "AllocChannel":
        line(
          `channel ${s.channel.name} of ${s.channel.slots} slots${s.channel.cluster ? `, of ${s.channel.cluster.x} by ${s.channel.cluster.y} blocks` : ""}`,
        );
        print(s.body, depth);
        return;
      case "Fill":
        line(`fill ${s.channel.name} for turn ${printExpr(s.turn, name)}, ${s.bytes} bytes:`);
        print(s.body, depth + 1);
        return;
      case "Drain":
        line("drain:");
        print(s.body, depth + 1);
        return;
      case "Roles":
        line(`producer${s.registers ? `, ${s.registers[0]} registers` : ""}:`);
        print(s.producer, depth + 1);
        line(`consumers${s.registers ? `, ${s.registers[1]} registers` : ""}:`);
        print(s.consumers, depth + 1);
        return;
      default:
        line(leafText(s, name));
    }
  };
  print(stmt, indent);
  return lines.join("\n");
}

export function printFunc(func: PrimFunc): string {
  return `func ${func.name}(${func.params.map(bufferText).join(", ")}) ${func.dialect}\n${printStmt(func.body, 1)}\n`;
}
