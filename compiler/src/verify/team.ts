/**
 * Rules of the dialect `device` for intrinsics. The lanes of a team execute one together, so all must reach it and name the same
 * tiles. Intrinsics access a fragment in one layout (docs/reference/source-programs.md 6.8), and lanes what they keep of it.
 */

import { formatTarget, meets, type Refusal, type Target, type TargetNeed } from "@warpfarm/common";
import type { Analyzer } from "../arith/analyzer.ts";
import { type Atom, equalLinear, type Linear, shift } from "../arith/linear.ts";
import { residueOf } from "../arith/modular.ts";
import {
  elementsOfRegister,
  type FragmentStorage,
  fragmentsOf,
  type Place,
  placeOf,
  sameFragment,
} from "../intrinsic/fragment-place.ts";
import { type Team, teamSize } from "../ir/agent.ts";
import { type Buffer, bufferSize, isFragmentScope, teamOf } from "../ir/buffer.ts";
import * as b from "../ir/build.ts";
import type { Expr, Load, Var } from "../ir/expr.ts";
import { type IntrinsicOperand, operandsOf, tensorOf } from "../ir/intrinsic.ts";
import { doneBy } from "../ir/parts.ts";
import type { Kernel } from "../ir/prim-func.ts";
import { printExpr } from "../ir/print.ts";
import type { For, Invoke, Store, Tile, Unmatched } from "../ir/stmt.ts";
import { children, usesVar, walkStmt } from "../ir/visit.ts";
import { analyzerFor, laneOf } from "../lower/loops.ts";
import { type Rule, rule, verifyRules } from "./rule.ts";

/**
 * The values that the lanes of a team of `size` have in common. For a thread variable whose neighbours are `stride` threads
 * apart, a team sees runs of size/stride values, aligned to their length; 1: all lanes have one value; undefined: no such runs.
 */
export class Uniformity {
  readonly #analyzer: Analyzer;
  readonly #runs = new Map<Var, number | undefined>();

  constructor(analyzer: Analyzer, threads: readonly For[], size: number) {
    this.#analyzer = analyzer;
    let stride = 1;
    for (const { loopVar, extent } of [...threads].reverse()) {
      this.#runs.set(loopVar, stride % size === 0 ? 1 : size % stride === 0 ? size / stride : undefined);
      stride *= extent;
    }
  }

  countsTeams({ loopVar, extent }: For): boolean {
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

/** The layouts that intrinsics require of one buffer must be equal. */
function layoutRule(kernel: Kernel): Rule {
  const asked = new Map<Buffer, FragmentStorage & { readonly by: string }>();
  return rule("device.fragment", "Invoke", (s) => {
    let wrong: string | undefined;
    operandsOf(s.intrinsic, s.form).forEach((operand, i) => {
      const { buffer } = s.tiles[i] as Tile;
      if (!operand.fragment) return;
      const storage = { fragment: operand.fragment, tile: tensorOf(s.intrinsic, operand) };
      const elements = bufferSize(storage.tile);
      const known = asked.get(buffer);
      if (!known) asked.set(buffer, { ...storage, by: s.intrinsic.name });
      else if (!sameFragment(known, storage))
        wrong = `${kernel.func.name}: ${s.intrinsic.name} takes ${buffer.name} as ${operand.fragment.layout}, but ${known.by} keeps it as ${known.fragment.layout}`;
      else if ((buffer.shape[0] as number) % elements !== 0)
        wrong = `${buffer.name} has ${buffer.shape[0]} elements; tiles of ${s.intrinsic.name} have ${elements}`;
    });
    return wrong;
  });
}

/** `sm_90a`, as the compilers of a target name it. */
const chip = (level: number, features: ReadonlySet<string>): string =>
  formatTarget({ kind: "cuda", level, features }).replace("cuda/", "");
function chips({ from = 0, to = from, features = [] }: TargetNeed): string {
  const own = new Set(features);
  return to === from ? chip(from, own) : `${chip(from, own)} to ${chip(to, own)}`;
}

const onlyIntrinsics = ({ name, scope }: Buffer): string =>
  `${name} lives in ${scope}, whose layout only intrinsics know; tensorize what touches it`;

/**
 * A lane's own code may touch what the lane keeps, if the layout is known: it reads elements that have a register to themselves,
 * and writes whole registers.
 */
class OwnElements {
  readonly #analyzer: Analyzer;
  readonly #fragments: ReadonlyMap<Buffer, FragmentStorage>;
  readonly #threads: readonly For[];

  constructor(kernel: Kernel, analyzer: Analyzer, threads: readonly For[]) {
    this.#analyzer = analyzer;
    this.#fragments = fragmentsOf(kernel.func.body);
    this.#threads = threads;
  }

  check({ kind, buffer, indices }: Load | Store): string | undefined {
    const storage = this.#fragments.get(buffer);
    const [index] = indices;
    if (!storage?.fragment.places || !index) return onlyIntrinsics(buffer);
    const inRegister = elementsOfRegister(storage);
    if (kind === "Load" && inRegister !== 1)
      return `${buffer.name} has ${inRegister} elements in a register; only intrinsics take them out`;
    const elements = index.kind === "Ramp" ? Array.from({ length: index.lanes }, (_, k) => b.add(index.base, b.int(k))) : [index];
    const own = laneOf(this.#threads, teamOf(buffer.scope) as Team, this.#analyzer);
    const places = elements.map((element) => placeOf(storage, element) as Place);
    for (const [k, { lane }] of places.entries())
      if (!equalLinear(this.#analyzer.linear(lane), this.#analyzer.linear(own)))
        return `${printExpr(this.#analyzer.simplify(elements[k] as Expr))} of ${buffer.name} is kept by lane ${printExpr(this.#analyzer.simplify(lane))}, but ${kind === "Load" ? "read" : "written"} by lane ${printExpr(own)}`;
    return kind === "Load" || this.#isRegister(places, inRegister)
      ? undefined
      : `${buffer.name} has ${inRegister} elements in a register, and ${printExpr(this.#analyzer.simplify(index))} is not a whole one; vectorize a loop over ${inRegister} neighbours`;
  }

  #isRegister(places: readonly Place[], inRegister: number): boolean {
    const slots = places.map(({ slot }) => this.#analyzer.linear(slot));
    const first = slots[0] as Linear;
    const { modulus, residue } = residueOf(first);
    const isWhole = slots.length === inRegister && modulus % inRegister === 0 && residue % inRegister === 0;
    return isWhole && slots.every((slot, k) => equalLinear(slot, shift(first, k)));
  }
}

const unmatchedBy = (primitive: Unmatched["primitive"]): Rule =>
  rule(`${primitive}.match`, "Unmatched", (s) => (s.primitive === primitive ? `${primitive}: ${s.why}` : undefined));
/** A target without intrinsics leaves these nests as they are. */
const untensorized = rule("tensorize.match", "Tensorize", ({ intrinsic }) => `tensorize: there is no ${intrinsic.name} here`);

/** Remaining loops break other rules too; the reason why they remained comes first. */
export const unmatched = (kernel: Kernel): readonly Refusal[] =>
  verifyRules(kernel.func, [unmatchedBy("tensorize"), untensorized, unmatchedBy("copyBy")]);

export const intrinsicRules: readonly Rule[] = [
  rule("ir.invoke", "Invoke", (s) => {
    const wrong = s.tiles.findIndex(({ buffer, indices, strides }, i) => {
      const tensor = tensorOf(s.intrinsic, operandsOf(s.intrinsic, s.form)[i] as IntrinsicOperand);
      return buffer.dtype !== tensor.dtype || indices.length !== buffer.shape.length || strides.length !== tensor.shape.length;
    });
    return wrong < 0 ? undefined : `tile ${wrong} of ${s.intrinsic.name} is not of its operand's type and dimensions`;
  }),
];

export function teamRules(kernel: Kernel, target: Target, heads: readonly For[]): readonly Rule[] {
  let hasInvokes = false;
  walkStmt(kernel.func.body, (s) => {
    if (doneBy(s) || (s.kind === "Allocate" && isFragmentScope(s.buffer.scope))) hasInvokes = true;
  });
  if (!hasInvokes) return [];
  const analyzer = analyzerFor(kernel.func.body);
  const threads = heads.filter((loop) => loop.thread?.startsWith("threadIdx"));
  const uniform = (team: Team) => new Uniformity(analyzer, threads, teamSize[team]);
  const uniformIn = { warp: uniform("warp"), warpgroup: uniform("warpgroup") };
  const count = kernel.block[0] * kernel.block[1] * kernel.block[2];
  const own = new OwnElements(kernel, analyzer, threads);
  return [
    rule("device.fragment", ["Store", "Load"], (access) =>
      isFragmentScope(access.buffer.scope) ? own.check(access) : undefined,
    ),
    rule("device.swizzle", "Invoke", (s) => {
      const at = operandsOf(s.intrinsic, s.form).findIndex(
        (operand, i) => s.tiles[i]?.buffer.swizzle && !operand.address && !operand.descriptor,
      );
      const tile = s.tiles[at];
      return tile && `${s.intrinsic.name} takes whole rows of ${tile.buffer.name}, whose elements are swizzled`;
    }),
    layoutRule(kernel),
    rule("device.capability", "Invoke", ({ intrinsic }) =>
      meets(target, intrinsic.needs)
        ? undefined
        : `${intrinsic.name} needs ${chips(intrinsic.needs)}; the target is ${chip(target.level, target.features)}`,
    ),
    rule("device.warp", "Invoke", (s, scope) => {
      const { name, agent } = s.intrinsic;
      if (count % teamSize[agent] !== 0)
        return `${name} is done by whole ${agent}s of ${teamSize[agent]}; a block has ${kernel.block.join(" x ")} threads`;
      const parts = [...s.tiles.flatMap((tile) => tile.indices), ...scope.conditions];
      const differs = parts.find((e) => !uniformIn[agent].expr(e));
      return differs && `${name}: ${printExpr(differs)} is not the same for all lanes of a ${agent}`;
    }),
    rule("device.race", "Invoke", (s, scope) => sharedTile(s, scope.conditions, heads, uniformIn[s.intrinsic.agent])),
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

function sharedTile(s: Invoke, conditions: readonly Expr[], heads: readonly For[], uniform: Uniformity): string | undefined {
  const { buffer, indices } = s.tiles.at(-1) as Tile;
  if (isFragmentScope(buffer.scope)) return undefined;
  const tells = ({ loopVar }: For) => [...indices, ...conditions].some((e) => usesVar(e, loopVar));
  const axis = heads.find((loop) => {
    const isThread = loop.thread?.startsWith("threadIdx") ?? false;
    return (isThread ? uniform.countsTeams(loop) : buffer.scope === "global" && loop.extent > 1) && !tells(loop);
  });
  return axis && `all ${axis.extent} values of ${axis.thread} write one tile of ${buffer.name}`;
}
