/**
 * A function as JavaScript text. Without launch axes everything is serial. With them, blocks run one after another. Statements
 * that contain a barrier run once per block (their loops have constant extents, their conditions must agree over all threads).
 * The code between two barriers becomes a region function that is called once per thread.
 */

import { assertNever, InternalError } from "@warpfarm/common";
import { teamSize } from "../ir/agent.ts";
import type { Buffer } from "../ir/buffer.ts";
import { blocksIn } from "../ir/bulk.ts";
import type { Expr, Table, Var } from "../ir/expr.ts";
import { isRemark } from "../ir/parts.ts";
import type { PrimFunc } from "../ir/prim-func.ts";
import type { Channel, Drain, For, Roles, Stmt, Store } from "../ir/stmt.ts";
import { children, holds, lanesOf } from "../ir/visit.ts";
import { type BufferPlan, bufferText } from "./buffer-js.ts";
import { bulkText } from "./bulk-js.ts";
import { InterpError } from "./error.ts";
import { exprHelpers, exprText, type Namer } from "./expr-js.ts";
import { foldText } from "./fold-js.ts";
import { invokeText } from "./invoke-js.ts";
import { type FunctionPlan, isBlockLevel, type Launch, usesFragment } from "./plan.ts";

class Emitter implements Namer {
  readonly #func: PrimFunc;
  readonly #plan: FunctionPlan;
  readonly #vars = new Map<Var, string>();
  readonly #scope: string[] = [];
  readonly #live: Set<Buffer>;
  readonly regions: string[] = [];
  readonly tables = new Map<Table, string>();
  #inParallel = false;
  #role: "producer" | "consumers" | undefined;
  maxLanes = 1;

  constructor(func: PrimFunc, plan: FunctionPlan) {
    this.#func = func;
    this.#plan = plan;
    this.#live = new Set(func.params);
  }

  variable(v: Var): string {
    const name = this.#vars.get(v);
    if (name === undefined || !this.#scope.includes(name))
      throw new InterpError("interp.dialect", `"${this.#func.name}" uses the variable "${v.name}" outside its loop`);
    return name;
  }

  buffer(b: Buffer): number {
    if (!this.#live.has(b))
      throw new InterpError("interp.dialect", `"${this.#func.name}" uses "${b.name}" outside its allocation`);
    return (this.#plan.buffers.get(b) as { index: number }).index;
  }

  table(t: Table): string {
    const name = this.tables.get(t) ?? `t${this.tables.size}`;
    this.tables.set(t, name);
    return name;
  }

  loop({ loopVar, extent }: For, before: string, body: () => string): string {
    const name = this.#vars.get(loopVar) ?? `v${this.#vars.size}`;
    this.#vars.set(loopVar, name);
    if (this.#scope.includes(name)) throw new InterpError("interp.dialect", `the loop "${loopVar.name}" stands inside itself`);
    this.#scope.push(name);
    const text = `for(let ${name}=0;${name}<${extent};${name}++){${before}${body()}}`;
    this.#scope.pop();
    return text;
  }

  allocated(buffer: Buffer, body: () => string): string {
    const outer = this.#live.has(buffer);
    this.#live.add(buffer);
    const text = `e${this.buffer(buffer)}++;${body()}`;
    if (!outer) this.#live.delete(buffer);
    return text;
  }

  #store(s: Store): string {
    const lanes = Math.max(lanesOf(s.value), ...s.indices.map(lanesOf));
    const n = this.buffer(s.buffer);
    const number = (text: string): string => (s.buffer.dtype === "bool" ? `+(${text})` : text);
    if (lanes === 1) return `S${n}(${[...s.indices.map((i) => exprText(i, this)), number(exprText(s.value, this))].join(",")});`;
    this.maxLanes = Math.max(this.maxLanes, lanes);
    const indices = s.indices.map((i) => exprText(i, this, "k")).join(",");
    const aligned = this.#plan.launch ? this.#alignment(s) : "";
    return (
      `${aligned}for(let k=0;k<${lanes};k++)V[k]=${number(exprText(s.value, this, "k"))};` +
      `for(let k=0;k<${lanes};k++)S${n}(${indices},V[k]);`
    );
  }

  /** A vector access of a GPU must start at a multiple of its size. Registers have no addresses. */
  #alignment(s: Store): string {
    const test = (buffer: Buffer, index: Expr | undefined): string => {
      if (index?.kind !== "Ramp" || index.stride !== 1 || buffer.scope === "local") return "";
      const base = exprText(index.base, this);
      return `if(${base}%${index.lanes})env.alignment(${this.buffer(buffer)},${base},${index.lanes});`;
    };
    const tests = (e: Expr): string => {
      if (e.kind === "Select" && lanesOf(e.cond) === 1)
        return `if(${exprText(e.cond, this)}){${tests(e.whenTrue)}}else{${tests(e.whenFalse)}}`;
      return children(e).map(tests).join("") + (e.kind === "Load" ? test(e.buffer, e.indices.at(-1)) : "");
    };
    return test(s.buffer, s.indices.at(-1)) + tests(s.value);
  }

  /**
   * Directly nested parallel loops run together, as in OpenMP's collapse. A parallel loop further inside runs on one processor.
   */
  #parallel(s: For): string {
    const iteration = (loop: For): string => {
      const { body } = loop;
      if (body.kind === "For" && body.forKind === "parallel") return this.loop(loop, "", () => iteration(body));
      return this.loop(loop, "U++;", () => this.serial(body));
    };
    this.#inParallel = true;
    const text = `K=U+1;${iteration(s)}K=++U;`;
    this.#inParallel = false;
    return text;
  }

  serial(s: Stmt): string {
    if (isRemark(s)) return this.serial(s.body);
    switch (s.kind) {
      case "For":
        return s.forKind === "parallel" && !this.#inParallel && !this.#plan.launch
          ? this.#parallel(s)
          : this.loop(s, "", () => this.serial(s.body));
      case "If":
        return `if(${exprText(s.cond, this)}){${this.serial(s.body)}}`;
      case "Store":
        return this.#store(s);
      case "Invoke":
        return invokeText(s, this, this.#plan.launch !== undefined);
      case "Seq":
        return s.stmts.map((x) => this.serial(x)).join("\n");
      case "Allocate":
        return this.allocated(s.buffer, () => this.serial(s.body));
      case "Handover":
        return "";
      case "BulkCopy":
        return bulkText(s, this);
      case "AllocChannel":
      case "Fill":
      case "Drain":
      case "Async":
        return this.serial(s.body);
      case "Roles":
        throw new InterpError("interp.dialect", "roles outside of a launched kernel");
      case "Await":
      case "Release":
      case "Fence":
        return "";
      case "Fold":
        // One array represents those of all threads, and has all their parts.
        return "";
      case "Barrier":
      case "Wait":
        if (this.#func.dialect === "device") return "";
        throw new InterpError("interp.dialect", `a barrier in the ${this.#func.dialect} dialect`);
      default:
        return assertNever(s);
    }
  }

  #region(threads: readonly For[], body: () => string, use: (call: string) => string): string {
    const loops = (rest: readonly For[], inner: () => string): string => {
      const [first, ...more] = rest;
      return first ? this.loop(first, "", () => loops(more, inner)) : inner();
    };
    return loops(threads, () => {
      const name = `Z${this.regions.length}`;
      this.regions.push("");
      const args = this.#scope.join(",");
      this.regions[Number(name.slice(1))] = `function ${name}(${args}){${body()}}`;
      const rank = threads.reduce((text, loop) => `(${text})*${loop.extent}+${this.variable(loop.loopVar)}`, "0");
      const sizes = this.#plan.teams.map((team) => [team, teamSize[team]] as const);
      const before = sizes.map(([, n]) => `wp${n}=0;if(T%${n}===0)wl${n}.length=0;`).join("");
      const after = sizes.map(([team, n]) => `if(wp${n}!==wl${n}.length)env.teamDivergence("${team}");`).join("");
      return `T=${rank};${before}${use(`${name}(${args})`)}${after}`;
    });
  }

  block(s: Stmt, threads: readonly For[]): string {
    if (!isBlockLevel(s))
      return this.#region(
        threads,
        () => this.serial(s),
        (call) => `${call};`,
      );
    if (isRemark(s)) return this.block(s.body, threads);
    switch (s.kind) {
      case "For":
        if (s.forKind !== "serial" && s.forKind !== "unrolled")
          throw new InterpError("interp.dialect", `a barrier inside the ${s.forKind} loop "${s.loopVar.name}"`);
        return this.loop(s, "", () => this.block(s.body, threads));
      case "If": {
        const test = this.#region(
          threads,
          () => `return ${exprText(s.cond, this)}?1:0;`,
          (call) => `const c=${call};if(agreed<0)agreed=c;else if(agreed!==c)env.divergence(T);`,
        );
        return `{let agreed=-1;${test}if(agreed){${this.block(s.body, threads)}}}`;
      }
      case "Seq":
        return grouped(s.stmts)
          .map((x) => this.block(x, threads))
          .join("\n");
      case "Allocate":
        return this.allocated(s.buffer, () => this.block(s.body, threads));
      case "Async":
        return this.block(s.body, threads);
      case "Fold": {
        if (s.exchange && !this.#isInCluster)
          throw new InterpError("interp.dialect", `"${s.buffer.name}" is folded over blocks that are no cluster`);
        const row = threads.find(({ thread }) => thread === "threadIdx.x")?.extent ?? 1;
        return foldText(s, this.buffer(s.buffer), { all: this.#plan.threadCount, row });
      }
      // Threads go on when all have come this far.
      case "Wait":
      case "Barrier":
      case "Fence":
        return "";
      case "AllocChannel": {
        const ring = this.#ring(s.channel);
        const meet = s.channel.cluster ? "yield* env.meetCluster();" : "";
        return `${ring}=env.ring(env.channels[${this.#plan.channels.indexOf(s.channel)}]);${meet}${this.block(s.body, threads)}${meet}${ring}.close();`;
      }
      case "Fill": {
        const ring = this.#ring(s.channel);
        const wait =
          this.#role === "producer" || this.#isInCluster
            ? `for(let w;(w=${ring}.fillWaits(t))!==undefined;)yield w;`
            : `env.waits(${ring}.fillWaits(t));`;
        return `{const t=${exprText(s.turn, this)};${wait}T=0;${ring}.beginFill(t,${s.bytes});${this.serial(s.body)}${ring}.endFill();}`;
      }
      case "Await": {
        const ring = this.#ring(s.channel);
        const others = this.#role === "consumers" ? `if(${ring}.awaitWaits(t)!==undefined)w=producer.next().value;` : "";
        const wait = this.#isInCluster
          ? `while(${ring}.awaitWaits(t)!==undefined){${others}if(${ring}.awaitWaits(t)!==undefined)yield env.waiting(${ring}.awaitWaits(t),w);}`
          : `${others}env.waits(${ring}.awaitWaits(t),w);`;
        return `{let w;const t=${exprText(s.turn, this)};${wait}${ring}.hold(t,0);}`;
      }
      case "Release":
        return `{const t=${exprText(s.turn, this)};${this.#ring(s.channel)}.release(t,0,0);}`;
      case "Drain":
        return this.#drain(s, threads);
      case "Roles":
        return this.#roles(s, threads);
      case "Store":
      case "Invoke":
      case "BulkCopy":
      case "Handover":
        throw new InternalError(`${s.kind} is not a block's statement`);
      default:
        return assertNever(s);
    }
  }

  #drain({ agent, body }: Drain, threads: readonly For[]): string {
    const each = agent === "block" ? this.#plan.threadCount : teamSize[agent];
    return this.#region(
      threads,
      () => this.serial(body),
      (call) => `if(T%${each}===0){${call};}`,
    );
  }

  #roles({ producer, consumers }: Roles, threads: readonly For[]): string {
    const text = (role: "producer" | "consumers", body: Stmt): string => {
      this.#role = role;
      const made = this.block(body, threads);
      this.#role = undefined;
      return made;
    };
    // The producer continues when consumers wait, and then goes as far as it can.
    const made = `const producer=(function*(){${text("producer", producer)}})();`;
    const ended = this.#isInCluster ? "yield* env.endedInCluster(producer);" : "env.ended(producer);";
    return `{${made}${text("consumers", consumers)}${ended}}`;
  }

  get isLaunched(): boolean {
    return this.#plan.launch !== undefined;
  }
  get #isInCluster(): boolean {
    return blocksIn(this.#plan.shape) > 1;
  }
  ring(copied: Buffer): { readonly index: number; readonly ring: string | undefined } {
    const { index, ring } = this.#plan.buffers.get(copied) as BufferPlan;
    return { index, ring: ring === undefined ? undefined : `R[${ring}]` };
  }
  #ring(channel: Channel): string {
    return `R[${this.#plan.channels.indexOf(channel)}]`;
  }
  /** `number`: of the block in its cluster, by the loops over ranks so far. */
  launch({ blocks, ranks, threads, body }: Launch, number = "0"): string {
    const [first, ...rest] = blocks;
    if (first) return this.loop(first, "", () => this.launch({ blocks: rest, ranks, threads, body }));
    // Each block of a cluster is a run of this text.
    const [rank, ...inner] = ranks;
    if (rank)
      return this.loop(rank, "", () => {
        const place = `(${number})*${rank.extent}+${this.variable(rank.loopVar)}`;
        const own = inner.length > 0 ? "" : `if(${place}!==env.rank)continue;`;
        return own + this.launch({ blocks: [], ranks: inner, threads, body }, place);
      });
    return `U++;env.block=[${this.#scope.join(",")}];${this.block(body, threads)}`;
  }
}

/** Neighbours without a barrier become one region. */
function grouped(stmts: readonly Stmt[]): Stmt[] {
  const groups: Stmt[] = [];
  let run: Stmt[] = [];
  const flush = () => {
    const [only] = run;
    if (only) groups.push(run.length === 1 ? only : { kind: "Seq", stmts: run });
    run = [];
  };
  for (const s of stmts) {
    if (isBlockLevel(s)) {
      flush();
      groups.push(s);
      continue;
    }
    // Calls, and what lanes do with fragments, are apart (isBlockLevel).
    if (holds(s, "Invoke") ? run.some(usesFragment) : usesFragment(s) && run.some((one) => holds(one, "Invoke"))) flush();
    run.push(s);
  }
  flush();
  return groups;
}

/**
 * Body of `(env, h) => void`, or of a generator where blocks run together. `env` has the buffers and takes the reports
 * (interpret.ts), `h` has the arithmetic.
 */
export function functionText(func: PrimFunc, plan: FunctionPlan): string {
  const emitter = new Emitter(func, plan);
  const main = plan.launch ? `K=U+1;${emitter.launch(plan.launch)}` : emitter.serial(func.body);
  return [
    `"use strict";const {${Object.keys(exprHelpers).join(",")}}=h;`,
    `let T=0,U=0,K=0;const R=[];env.thread=()=>T;const V=new Float64Array(${emitter.maxLanes});`,
    ...plan.teams.map((team) => `let wp${teamSize[team]}=0;const wl${teamSize[team]}=[];`),
    ...[...plan.buffers.values()].map(bufferText),
    ...[...emitter.tables].map(([{ values }, name]) => `const ${name}=[${values.join(",")}];`),
    ...emitter.regions,
    main,
  ].join("\n");
}
