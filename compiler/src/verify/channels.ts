/** Rules of the copy engine and of channels (ir/bulk.ts). */
import { dtypeBytes, encodingFault } from "@warpfarm/common";
import type { Analyzer } from "../arith/analyzer.ts";
import { residueOf } from "../arith/modular.ts";
import { isWithin, teamSize } from "../ir/agent.ts";
import type { Buffer } from "../ir/buffer.ts";
import { argumentsOf, bulkAlignmentOf, bulkLevel, bytesIn, channelKinds, engineSwizzle } from "../ir/bulk.ts";
import type { Expr } from "../ir/expr.ts";
import { isRemark, stmtKinds, touches, touchingKinds } from "../ir/parts.ts";
import type { Kernel } from "../ir/prim-func.ts";
import { printExpr } from "../ir/print.ts";
import type { BulkCopy, Channel, Drain, For, Stmt, StmtKind } from "../ir/stmt.ts";
import { mapDocument } from "../ir/tensor-maps.ts";
import { eachPart, holds, usesVar, walkExpr, walkStmt } from "../ir/visit.ts";
import { analyzerFor } from "../lower/loops.ts";
import { Ownership } from "../lower/passes/ownership.ts";
import { type Access, accessesOf } from "../lower/passes/shared-accesses.ts";
import { type Rule, rule } from "./rule.ts";
import { Uniformity } from "./team.ts";
import { turnFaults } from "./turns.ts";

const mostMaps = 16;
/** The farthest tap of a filter, in pixels. */
const mostTap = 255;
const kinds: readonly StmtKind[] = [...channelKinds, "Roles", "BulkCopy"];

const noFence = "the copy engine reads shared memory without a fence and a barrier before it";

class Places {
  readonly wrong = new Map<Stmt, string>();
  readonly #analyzer: Analyzer;
  readonly #threads: readonly For[];
  readonly #inWarpgroup: Uniformity;
  readonly #ownership: Ownership;
  readonly #written: ReadonlySet<Buffer>;
  /** To shared memory. */
  readonly #writes = new Map<Buffer, Access[]>();
  readonly #arguments: ReadonlySet<Buffer>;

  constructor(kernel: Kernel, threads: readonly For[]) {
    this.#analyzer = analyzerFor(kernel.func.body);
    this.#threads = threads;
    this.#inWarpgroup = new Uniformity(this.#analyzer, threads, teamSize.warpgroup);
    this.#ownership = new Ownership(this.#analyzer, threads);
    this.#arguments = new Set(kernel.func.params);
    const written = new Set<Buffer>();
    walkStmt(kernel.func.body, (s) => {
      for (const { buffer, how } of touches(s)) if (how === "write") written.add(buffer);
      for (const access of accessesOf(s).writes)
        this.#writes.set(access.buffer, [...(this.#writes.get(access.buffer) ?? []), access]);
    });
    this.#written = written;
  }

  /** `within`: the channel that is filled, or a drain. */
  run(s: Stmt, within: Channel | Drain | undefined): void {
    const why = this.#fault(s, within);
    if (why !== undefined) this.wrong.set(s, why);
    if (s.kind === "Seq")
      for (const [i, part] of s.stmts.entries())
        if (part.kind === "Drain") {
          const why = this.#orderFault(part, s.stmts[i - 1], s.stmts[i - 2]);
          if (why) this.wrong.set(part, why);
        }
    if (within === undefined && s.kind !== "Seq")
      eachPart(
        s,
        (part) => {
          if (part.kind === "Drain") this.wrong.set(part, noFence);
        },
        () => {},
      );
    const inner = s.kind === "Fill" ? s.channel : s.kind === "Drain" ? s : within;
    eachPart(
      s,
      (part) => this.run(part, inner),
      () => {},
    );
  }

  /** The agent that meets, and of which a thread starts the copies, contains all who write what they copy. */
  #orderFault({ agent, body }: Drain, barrier: Stmt | undefined, fence: Stmt | undefined): string | undefined {
    if (barrier?.kind !== "Barrier" || fence?.kind !== "Fence") return noFence;
    const team = isWithin(agent, barrier.agent) ? agent : barrier.agent;
    if (team === "block") return undefined;
    let why: string | undefined;
    walkStmt(body, (s) => {
      if (s.kind !== "BulkCopy") return;
      const [read] = accessesOf(s).reads;
      const other = read && this.#writes.get(s.shared)?.find((write) => !this.#ownership.byTeam(team, write, read));
      if (other)
        why ??= `the copy engine reads ${s.shared.name} for a ${team}, and is not proven to read what that ${team} alone has written`;
    });
    return why;
  }

  #fault(s: Stmt, within: Channel | Drain | undefined): string | undefined {
    if (!kinds.includes(s.kind))
      return within === undefined || s.kind === "For" || s.kind === "Seq" || isRemark(s)
        ? undefined
        : `a ${s.kind} is among the copies that one thread starts`;
    const own: Expr[] = [];
    eachPart(
      s,
      () => {},
      (e) => own.push(e),
    );
    const isOne = within && "agent" in within && within.agent === "warpgroup" ? this.#inWarpgroup : undefined;
    const differs = (e: Expr) => (isOne ? !isOne.expr(e) : this.#threads.some(({ loopVar }) => usesVar(e, loopVar)));
    if (own.some(differs)) return "the arguments of a copy differ between threads, and one thread starts it";
    const misread = own.map((e) => this.#readFault(e)).find((why) => why !== undefined);
    if (misread) return misread;
    if (s.kind === "BulkCopy") return this.#copyFault(s, within);
    if (s.kind !== "Fill") return undefined;
    const bytes = bytesIn(s.body);
    return bytes === s.bytes
      ? undefined
      : `channel ${s.channel.name}: the copies of a turn have ${bytes} bytes, and it says that ${s.bytes} come`;
  }

  /**
   * A place may be an element of an argument that stays as it is while the kernel runs. No condition guards a copy, also not in
   * tiles beyond the last one, so the element exists for all values of the loops.
   */
  #readFault(e: Expr): string | undefined {
    let fault: string | undefined;
    walkExpr(e, (part) => {
      if (part.kind !== "Load" || fault) return;
      const { buffer, indices } = part;
      if (this.#written.has(buffer) || !this.#arguments.has(buffer)) {
        fault = `a copy reads where it begins from ${buffer.name}, which is no argument of the kernel, or which the kernel writes`;
        return;
      }
      const wild = indices.find((index, d) => {
        const { lo, hi } = this.#analyzer.boundsOf(this.#analyzer.linear(index));
        return !(lo >= 0 && hi < (buffer.shape[d] as number));
      });
      if (wild)
        fault = `a copy reads where it begins from ${buffer.name} [${buffer.shape.join(", ")}] at ${printExpr(wild)}, which is not proven to be inside; clamp the index by minimum`;
    });
    return fault;
  }

  #copyFault(s: BulkCopy, within: Channel | Drain | undefined): string | undefined {
    const { tensor, shared, direction } = s;
    const isAt = within && ("agent" in within ? direction === "out" : direction === "in" && within.buffers.includes(shared));
    if (!isAt) return `a box of ${tensor.buffer.name} goes ${direction} where no channel or drain waits for it`;
    if (direction === "in" && this.#written.has(tensor.buffer))
      return `${tensor.buffer.name} is written in the kernel that copies it`;
    const factor = bulkAlignmentOf(shared) / dtypeBytes(shared.dtype);
    const { modulus, residue } = residueOf(this.#analyzer.linear(s.indices[0] as Expr));
    if (modulus % factor !== 0 || residue % factor !== 0)
      return `a box begins in ${shared.name} at an element that is not proven a multiple of ${factor}; the engine needs an alignment of ${bulkAlignmentOf(shared)} bytes`;
    const swizzle = engineSwizzle(shared.dtype, shared.swizzle);
    if (swizzle === undefined) return `${shared.name} is swizzled in a way that the copy engine cannot`;
    const wrong = encodingFault(mapDocument({ ...tensor, swizzle }, tensor.buffer.name), 64);
    return wrong ? `the map of ${tensor.buffer.name}: ${wrong}` : this.#pixelFault(s);
  }

  /** The instruction takes offsets of 16 bits, of which a map of images with two dimensions keeps 8. */
  #pixelFault({ tensor, origin, taps, direction }: BulkCopy): string | undefined {
    const { im2col, dims, buffer } = tensor;
    if (!im2col) return taps && `a box of ${buffer.name} has taps, and its map is not of images`;
    if (direction === "out") return `pixels of ${buffer.name} are stored, and the engine only loads them`;
    if (origin.length !== 4 || taps?.length !== 2) return `a pixel of ${buffer.name} has 4 coordinates and a tap 2`;
    const boundsOf = (e: Expr) => this.#analyzer.boundsOf(this.#analyzer.linear(e));
    for (const [d, side] of ["row", "column"].entries()) {
      const [place, tap] = [boundsOf(origin[d + 1] as Expr), boundsOf(taps[d] as Expr)];
      if (tap.lo < 0 || tap.hi > mostTap)
        return `the ${side} of a tap of ${buffer.name} is ${tap.lo} to ${tap.hi}; 0 to ${mostTap}`;
      const [first, last] = [im2col.lower[d] as number, (dims[d + 1] as number) - 1 + (im2col.upper[d] as number)];
      if (place.lo < first || place.hi > last)
        return `pixels of ${buffer.name} begin at ${side} ${place.lo} to ${place.hi}; the walk has ${first} to ${last}`;
    }
    return undefined;
  }
}

/** `level`: compute capability times ten. `differs`: whether a condition differs between threads. */
export function channelRules(
  kernel: Kernel,
  level: number,
  heads: readonly For[],
  differs: (cond: Expr) => boolean,
): readonly Rule[] {
  const { body } = kernel.func;
  if (!holds(body, ...kinds)) return [];
  const threads = heads.filter(({ thread, extent }) => thread?.startsWith("threadIdx") && extent > 1);
  const places = new Places(kernel, threads);
  places.run(body, undefined);
  const turns = turnFaults(body);
  const maps = argumentsOf(kernel.func).maps.length;
  const inChannels = new Set<Buffer>();
  walkStmt(body, (s) => {
    if (s.kind === "AllocChannel") for (const buffer of s.channel.buffers) inChannels.add(buffer);
  });
  return [
    rule("device.copy-engine", "BulkCopy", () =>
      level < bulkLevel
        ? `sm_${level} has no copy engine; sm_${bulkLevel} has`
        : maps > mostMaps
          ? `${maps} tensor maps; at most ${mostMaps}`
          : undefined,
    ),
    rule("device.copy-engine", stmtKinds, (s) => places.wrong.get(s)),
    rule("device.channel", [...channelKinds, "If"], (s) => turns.get(s as Stmt)),
    rule("device.barrier", [...channelKinds], (_, scope) =>
      scope.conditions.some(differs) ? "a channel would stand under a condition that differs between threads" : undefined,
    ),
    rule("device.channel", touchingKinds, (s) => {
      const written =
        s.kind === "BulkCopy" ? undefined : touches(s).find(({ buffer, how }) => how === "write" && inChannels.has(buffer));
      return written && `${written.buffer.name} is written by threads; the copy engine fills it`;
    }),
  ];
}
