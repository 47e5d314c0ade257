/**
 * Rules of the dialect `device` about intrinsics: 32 lanes with neighbouring thread numbers (x fastest) do one together, so they must all
 * come by it and name the same tiles; fragments are touched by nothing else, and always in one layout (source-programs §6.8).
 */
import type { Analyzer } from "../arith/analyzer.ts";
import type { Atom, Linear } from "../arith/linear.ts";
import { residueOf } from "../arith/modular.ts";
import { type Buffer, bufferSize } from "../ir/buffer.ts";
import type { Expr, Var } from "../ir/expr.ts";
import { type Fragment, isFragmentScope, operandsOf, tensorOf } from "../ir/intrinsic.ts";
import type { Kernel } from "../ir/prim-func.ts";
import { printExpr } from "../ir/print.ts";
import type { For, Invoke, Tile } from "../ir/stmt.ts";
import { children, usesVar, walkStmt } from "../ir/visit.ts";
import { analyzerFor } from "../lower/loops.ts";
import { type Rule, rule, type Violation, verifyRules } from "./rule.ts";

const warpSize = 32;

/**
 * What the lanes of a warp have in common. Of a thread variable whose neighbours are `stride` threads apart, a warp sees runs of
 * warpSize/stride values, aligned to their length; 1 = all lanes have one value; undefined = no such runs.
 */
class Uniformity {
  readonly #analyzer: Analyzer;
  readonly #runs = new Map<Var, number | undefined>();

  constructor(analyzer: Analyzer, threads: readonly For[]) {
    this.#analyzer = analyzer;
    let stride = 1;
    for (const { loopVar, extent } of [...threads].reverse()) {
      this.#runs.set(loopVar, stride % warpSize === 0 ? 1 : warpSize % stride === 0 ? warpSize / stride : undefined);
      stride *= extent;
    }
  }

  /** Does this loop count warps? */
  countsWarps({ loopVar, extent }: For): boolean {
    const run = this.#runs.get(loopVar);
    return extent > 1 && (run === undefined || extent > run);
  }
  expr(e: Expr): boolean {
    if (e.kind === "Load") return false;
    if (e.dtype === "int32") return this.#linear(this.#analyzer.linear(e));
    return children(e).every((child) => this.expr(child));
  }
  #linear(l: Linear): boolean {
    return l.atoms.every((atom) => this.#atom(atom));
  }
  #isUniform(v: Var): boolean {
    const extent = this.#analyzer.boundsOf(this.#analyzer.value(v)).hi;
    return extent === 0 || !this.#runs.has(v) || this.#runs.get(v) === 1;
  }
  #atom(atom: Atom): boolean {
    if (atom.variables.every(({ variable }) => this.#isUniform(variable))) return true;
    if (atom.kind !== "split") return false;
    return atom.base.atoms.every((part, i) => {
      const run = part.kind === "var" ? this.#runs.get(part.variable) : undefined;
      // floor((v + r) / L) is one value over a run when the run's length divides L and r.
      const rest = {
        ...atom.base,
        atoms: atom.base.atoms.filter((_, k) => k !== i),
        coefs: atom.base.coefs.filter((_, k) => k !== i),
      };
      if (part.kind === "var" && run !== undefined && run > 1 && !this.#isUniform(part.variable)) {
        const { modulus, residue } = residueOf(rest);
        return atom.base.coefs[i] === 1 && atom.lower % run === 0 && modulus % run === 0 && residue % run === 0;
      }
      return this.#atom(part);
    });
  }
}

const sameFragment = (x: Fragment, y: Fragment): boolean =>
  x.layout === y.layout && x.register === y.register && x.count === y.count;

/** The layouts that intrinsics ask of one buffer, when they differ. */
function layoutRule(kernel: Kernel): Rule {
  const asked = new Map<Buffer, { readonly fragment: Fragment; readonly elements: number; readonly by: string }>();
  return rule("device.fragment", "Invoke", (s) => {
    let wrong: string | undefined;
    operandsOf(s.intrinsic, s.form).forEach((operand, i) => {
      const { buffer } = s.tiles[i] as Tile;
      if (!operand.fragment) return;
      const elements = bufferSize(tensorOf(s.intrinsic, operand));
      const known = asked.get(buffer);
      if (!known) asked.set(buffer, { fragment: operand.fragment, elements, by: s.intrinsic.name });
      else if (!sameFragment(known.fragment, operand.fragment) || known.elements !== elements)
        wrong = `${kernel.func.name}: ${s.intrinsic.name} takes ${buffer.name} as ${operand.fragment.layout}, but ${known.by} keeps it as ${known.fragment.layout}`;
      else if ((buffer.shape[0] as number) % elements !== 0)
        wrong = `${buffer.name} has ${buffer.shape[0]} elements; tiles of ${s.intrinsic.name} have ${elements}`;
    });
    return wrong;
  });
}

/** A nest that its intrinsic did not match, and why. */
const untensorized = rule("tensorize.match", "Attr", (s) => (s.key === "tensorize" ? `tensorize: ${s.value}` : undefined));

/** What is left as loops breaks other rules too; why it was left comes first. */
export const unmatched = (kernel: Kernel): readonly Violation[] => verifyRules(kernel.func, [untensorized]);

export function warpRules(kernel: Kernel, capability: number, heads: readonly For[]): readonly Rule[] {
  let hasInvokes = false;
  walkStmt(kernel.func.body, (s) => {
    if (s.kind === "Invoke" || (s.kind === "Allocate" && isFragmentScope(s.buffer.scope))) hasInvokes = true;
  });
  if (!hasInvokes) return [];
  const analyzer = analyzerFor(kernel.func.body);
  const threads = heads.filter((loop) => loop.thread?.startsWith("threadIdx"));
  const uniform = new Uniformity(analyzer, threads);
  const count = kernel.block[0] * kernel.block[1] * kernel.block[2];
  const isOpaque = (buffer: Buffer): string | undefined =>
    isFragmentScope(buffer.scope)
      ? `${buffer.name} lives in ${buffer.scope}, whose layout only intrinsics know; tensorize what touches it`
      : undefined;
  return [
    rule("device.fragment", ["Load", "Store"], ({ buffer }) => isOpaque(buffer)),
    layoutRule(kernel),
    rule("device.capability", "Invoke", ({ intrinsic }) =>
      intrinsic.minCapability > capability
        ? `${intrinsic.name} needs sm_${intrinsic.minCapability}; the target is sm_${capability}`
        : undefined,
    ),
    rule("device.warp", "Invoke", (s, scope) => {
      if (count % warpSize !== 0)
        return `${s.intrinsic.name} is done by whole warps of ${warpSize}; a block has ${kernel.block.join(" x ")} threads`;
      const parts = [...s.tiles.flatMap((tile) => tile.indices), ...scope.conditions];
      const differs = parts.find((e) => !uniform.expr(e));
      return differs && `${s.intrinsic.name}: ${printExpr(differs)} is not the same for all lanes of a warp`;
    }),
    rule("device.race", "Invoke", (s, scope) => sharedTile(s, scope.conditions, heads, uniform)),
    rule("device.tile", "Invoke", (s) => {
      const at = operandsOf(s.intrinsic, s.form).findIndex((operand, i) => {
        const { modulus, residue } = residueOf(analyzer.linear((s.tiles[i] as Tile).indices[0] as Expr));
        return modulus % operand.offsetFactor !== 0 || residue % operand.offsetFactor !== 0;
      });
      const tile = s.tiles[at];
      return (
        tile &&
        `${s.intrinsic.name}: ${printExpr(tile.indices[0] as Expr)} in ${tile.buffer.name} is not proven a multiple of ${operandsOf(s.intrinsic, s.form)[at]?.offsetFactor}`
      );
    }),
  ];
}

/** Blocks, or warps, that write one tile. */
function sharedTile(s: Invoke, conditions: readonly Expr[], heads: readonly For[], uniform: Uniformity): string | undefined {
  const { buffer, indices } = s.tiles.at(-1) as Tile;
  if (isFragmentScope(buffer.scope)) return undefined;
  const tells = ({ loopVar }: For) => [...indices, ...conditions].some((e) => usesVar(e, loopVar));
  const axis = heads.find((loop) => {
    const isThread = loop.thread?.startsWith("threadIdx") ?? false;
    return (isThread ? uniform.countsWarps(loop) : buffer.scope === "global" && loop.extent > 1) && !tells(loop);
  });
  return axis && `all ${axis.extent} values of ${axis.thread} write one tile of ${buffer.name}`;
}
