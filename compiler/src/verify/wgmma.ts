/**
 * Rules of matrix products in flight (Intrinsic.engine). Tiles lie as their descriptors say: swizzled by as much, at a block of
 * eight rows, brought by the copy engine, whose writes tensor cores see. Calls stand in groups. Then the kernel is run through,
 * as one thread comes to its statements: while a group is in flight nothing touches its sums, writes its tiles or gives their
 * slots away, and nothing is in flight at the end.
 */
import { dtypeBytes } from "@warpfarm/common";
import type { Analyzer } from "../arith/analyzer.ts";
import { gcd } from "../arith/linear.ts";
import { residueOf } from "../arith/modular.ts";
import { teamSize } from "../ir/agent.ts";
import { type Buffer, bufferSize } from "../ir/buffer.ts";
import * as b from "../ir/build.ts";
import { channelsOf, engineSwizzle, slotElements } from "../ir/bulk.ts";
import type { Expr, Var } from "../ir/expr.ts";
import { type IntrinsicOperand, operandsOf } from "../ir/intrinsic.ts";
import { isPlain, isProduct, stmtKinds, touches } from "../ir/parts.ts";
import type { Kernel } from "../ir/prim-func.ts";
import { printExpr } from "../ir/print.ts";
import type { Async, Channel, For, Invoke, Stmt, StmtKind, Tile } from "../ir/stmt.ts";
import { eachPart, holds, substitute, walkExpr, walkStmt } from "../ir/visit.ts";
import { analyzerFor } from "../lower/loops.ts";
import { integerOf } from "./integer.ts";
import { accumulatorFault, registersOf } from "./roles.ts";
import { type Rule, rule } from "./rule.ts";

function tileFault(s: Invoke, operand: IntrinsicOperand, tile: Tile, analyzer: Analyzer): string | undefined {
  const { descriptor } = operand;
  if (!descriptor) return undefined;
  const { buffer } = tile;
  const what = `${s.intrinsic.name} takes ${buffer.name} as "${operand.name}"`;
  const span = engineSwizzle(buffer.dtype, buffer.swizzle);
  if (span !== descriptor.swizzle)
    return `${what} in rows swizzled by ${descriptor.swizzle} bytes, but it is ${span ? `swizzled by ${span}` : "not swizzled so"}`;
  if (descriptor.major === "mn") return undefined;
  // Within a block of eight rows the tile must begin and end in the first one.
  const line = descriptor.swizzle / dtypeBytes(buffer.dtype);
  const inBlock = analyzer.linear(b.floorModulo(tile.indices[0] as Expr, b.int(8 * line)));
  const { lo, hi } = analyzer.boundsOf(inBlock);
  const { modulus, residue } = residueOf(inBlock);
  const depth = operand.offsetFactor;
  return lo < 0 || hi > line - depth || modulus % depth !== 0 || residue % depth !== 0
    ? `${what} from ${printExpr(analyzer.simplify(tile.indices[0] as Expr))} on, which is not proven to be in the first of eight rows`
    : undefined;
}

interface Flight {
  readonly sums: ReadonlySet<Buffer>;
  readonly tiles: ReadonlySet<Buffer>;
  readonly slots: ReadonlySet<string>;
}

const relevant: readonly StmtKind[] = ["Async", "Wait", "Invoke", "Release", "Fill"];
/** Iterations that are simulated at each end of a loop, besides a period of its rings. The middle ones are alike. */
const mostIterations = 4;

class Flights {
  readonly wrong = new Map<Stmt, string>();
  #flying: Flight[] = [];
  readonly #analyzer: Analyzer;
  readonly #values = new Map<Var, number>();
  readonly #channels: readonly Channel[];
  /** After this many iterations all rings have their old state. */
  readonly #period: number;

  constructor({ func }: Kernel, analyzer: Analyzer) {
    this.#analyzer = analyzer;
    this.#channels = channelsOf(func.body);
    this.#period = this.#channels.reduce((all, { slots }) => (all / gcd(all, slots)) * slots, 1);
    this.run(func.body);
    if (this.wrong.size === 0 && this.#flying.length > 0) this.wrong.set(func.body, "the kernel ends and products are in flight");
  }

  run(s: Stmt): void {
    if (this.wrong.size > 0) return;
    this.#touch(s);
    switch (s.kind) {
      case "For":
        this.#loop(s);
        return;
      case "If": {
        const value = integerOf(s.cond, this.#values);
        const before = [...this.#flying];
        if (value !== 0) this.run(s.body);
        // Where it is not known, the body's waits may be left out.
        if (value === undefined) this.#flying = [...new Set([...before, ...this.#flying])];
        return;
      }
      case "Async":
        if (s.engine === "wgmma") this.#flying.push(this.#flight(s));
        else this.run(s.body);
        return;
      case "Wait":
        if (s.engine === "wgmma") this.#flying = s.pending === 0 ? [] : this.#flying.slice(-s.pending);
        return;
      case "Release":
      case "Fill":
        this.#giveAway(s);
        return;
      default:
        eachPart(
          s,
          (part) => this.run(part),
          () => {},
        );
    }
  }

  #loop(s: For): void {
    const isRun = s.forKind !== "bound" && holds(s, ...relevant);
    const most = mostIterations + this.#period;
    const skipped = isRun && s.extent > 2 * most ? Math.floor((s.extent - 2 * most) / this.#period) * this.#period : 0;
    for (let i = 0; i < (isRun ? s.extent : 1); i++) {
      if (i === most) i += skipped;
      if (isRun) this.#values.set(s.loopVar, i);
      this.run(s.body);
    }
    this.#values.delete(s.loopVar);
  }

  #touch(s: Stmt): void {
    if (this.#flying.length === 0 || s.kind === "Async") return;
    const isSum = (buffer: Buffer) => this.#flying.some(({ sums }) => sums.has(buffer));
    const isTile = (buffer: Buffer) => this.#flying.some(({ tiles }) => tiles.has(buffer));
    const refuse = (buffer: Buffer, why: string) =>
      this.wrong.set(s, `${buffer.name} ${why} while products with it are in flight`);
    const isOfChannel = (buffer: Buffer) => this.#channels.some(({ buffers }) => buffers.includes(buffer));
    for (const { buffer, how } of touches(s)) {
      if (isSum(buffer)) refuse(buffer, how === "read" ? "is read" : "is written");
      else if (how === "write" && isTile(buffer) && !isOfChannel(buffer)) refuse(buffer, "is written");
    }
    eachPart(
      s,
      () => {},
      (e) =>
        walkExpr(e, (part) => {
          if (part.kind === "Load" && isSum(part.buffer)) refuse(part.buffer, "is read");
        }),
    );
  }

  #giveAway(s: Extract<Stmt, { kind: "Release" | "Fill" }>): void {
    const turn = integerOf(s.turn, this.#values);
    const key = turn === undefined ? undefined : slotKey(s.channel, turn % s.channel.slots);
    const verb = s.kind === "Fill" ? "filled" : "released";
    if (this.#flying.some(({ slots }) => key === undefined || slots.has(key)))
      this.wrong.set(s, `turn ${turn ?? "?"} of ${s.channel.name} is ${verb} while products with it are in flight`);
  }

  #flight({ body }: Async): Flight {
    const sums = new Set<Buffer>();
    const tiles = new Set<Buffer>();
    const slots = new Set<string>();
    walkStmt(body, (s) => {
      for (const { buffer, indices, reach = 0, how } of touches(s)) {
        (how === "write" ? sums : tiles).add(buffer);
        const channel = how === "read" ? this.#channels.find(({ buffers }) => buffers.includes(buffer)) : undefined;
        if (channel) for (const slot of this.#slotsOf(buffer, channel, indices?.[0] as Expr, reach)) slots.add(slot);
      }
    });
    return { sums, tiles, slots };
  }
  #slotsOf(buffer: Buffer, channel: Channel, index: Expr, reach: number): string[] {
    const values = new Map([...this.#values].map(([v, value]): [Var, Expr] => [v, b.int(value)]));
    const { lo, hi } = this.#analyzer.boundsOf(this.#analyzer.linear(substitute(index, values)));
    const size = slotElements(buffer, channel);
    const [first, last] = [Math.floor(lo / size), Math.floor((hi + reach) / size)];
    return Array.from({ length: last - first + 1 }, (_, i) => slotKey(channel, first + i));
  }
}

/** Tensor cores see what the copy engine brings to shared memory; what threads write there goes through another proxy. */
function proxyRule(body: Stmt): Rule {
  const written = new Set<Buffer>();
  walkStmt(body, (s) => {
    if (s.kind === "Store") written.add(s.buffer);
  });
  return rule("wgmma.proxy", "Invoke", (s) => {
    const by = isProduct(s) ? s.tiles.find(({ buffer }) => buffer.scope === "shared" && written.has(buffer))?.buffer : undefined;
    return (
      by &&
      `${s.intrinsic.name} reads ${by.name}, which threads write to shared memory; they may write a left factor as a fragment of scope warpgroup.matrix_a, and the copy engine brings the others`
    );
  });
}

function sumsOfLane(body: Stmt): number {
  let elements = 0;
  walkStmt(body, (s) => {
    if (s.kind === "Allocate" && s.buffer.scope === "warpgroup.accumulator")
      elements += bufferSize(s.buffer) / teamSize.warpgroup;
  });
  return elements;
}

const slotKey = ({ name }: Channel, slot: number): string => `${name} ${slot}`;

export function wgmmaRules(kernel: Kernel): readonly Rule[] {
  const inGroups = new Set<Stmt>();
  let found = false;
  walkStmt(kernel.func.body, (s) => {
    if (s.kind === "Async" && s.engine === "wgmma") walkStmt(s.body, (inner) => inGroups.add(inner));
    found ||= isProduct(s);
  });
  if (!found) return [];
  const analyzer = analyzerFor(kernel.func.body);
  const flights = new Flights(kernel, analyzer);
  const [registers, sums] = [registersOf(kernel), sumsOfLane(kernel.func.body)];
  return [
    rule("wgmma.registers", "Async", (s) => (s.engine === "wgmma" ? accumulatorFault(sums, registers) : undefined)),
    rule("wgmma.tile", "Invoke", (s) => {
      const operands = operandsOf(s.intrinsic, s.form);
      return operands
        .map((operand, i) => tileFault(s, operand, s.tiles[i] as Tile, analyzer))
        .find((wrong) => wrong !== undefined);
    }),
    rule("wgmma.group", "Invoke", (s) =>
      isProduct(s) && !inGroups.has(s) ? `${s.intrinsic.name} stands in no group, so nothing can wait for it` : undefined,
    ),
    rule("wgmma.group", "Async", (s) => {
      if (s.engine !== "wgmma") return undefined;
      let other: Stmt | undefined;
      walkStmt(s.body, (part) => {
        if (!(isPlain(part) && part.kind !== "Store") && !isProduct(part)) other ??= part;
      });
      return other && `a group of products holds a statement ${other.kind}`;
    }),
    proxyRule(kernel.func.body),
    rule("wgmma.in_flight", stmtKinds, (s) => flights.wrong.get(s)),
  ];
}
