/**
 * The order of a channel's turns. The loops that hold a channel's statements are run through, all else left out: turns are filled
 * 0, 1, 2 ..., each when the turn before it in its slot has been released; each is awaited once after that, and released once
 * after that. Then nothing can wait for ever: all threads run one code, in which what is awaited was filled before.
 *
 * A block may end its loops early. Its conditions then compare numbers of the loops with one part that is of the block alone,
 * such as its tile, and the loops are run through for the values that this part can have.
 */
import type { Analyzer } from "../arith/analyzer.ts";
import { type Atom, coefficientGcd, equalLinear, type Linear, pick } from "../arith/linear.ts";
import * as b from "../ir/build.ts";
import { channelKinds, channelsOf } from "../ir/bulk.ts";
import { type Binary, type CompareKind, compareKinds, type Expr, type Var } from "../ir/expr.ts";
import type { Channel, Stmt } from "../ir/stmt.ts";
import { eachPart, holds, rewriteExpr, walkStmt } from "../ir/visit.ts";
import { analyzerFor } from "../lower/loops.ts";
import { integerOf } from "./integer.ts";

/** The most turns that are simulated: a longer loop repeats itself by then. */
const mostTurns = 4096;
/**
 * Values of a block's part of conditions that are simulated at each end of what it can be. Rings repeat themselves in between.
 */
const mostEnds = 32;

/** What conditions have of a block, and the conditions of Ifs with a variable in its place. */
interface Ends {
  readonly part: Var;
  readonly conditions: ReadonlyMap<Stmt, Expr>;
  readonly values: readonly number[];
}

interface Ring {
  readonly channel: Channel;
  readonly slots: { turn: number; state: "empty" | "filled" | "held" }[];
}

interface Waiting {
  readonly at: Stmt;
  readonly why: string;
}
type Flow = Generator<Waiting, void>;
type Values = Map<Var, number>;

/** Simulates the statements of a body as one thread reaches them; with two roles, as each allows the other to continue. */
class Order {
  readonly wrong = new Map<Stmt, string>();
  readonly #rings = new Map<Channel, Ring>();
  readonly #concerned = new Map<Stmt, boolean>();
  #turns = 0;
  #moves = 0;

  readonly #ends: Ends | undefined;

  /** `at`: the block's part of conditions. */
  constructor(body: Stmt, ends?: Ends, at = 0) {
    this.#ends = ends;
    this.#together([this.#run(body, new Map(ends && [[ends.part, at]]))]);
  }

  get #isOver(): boolean {
    return this.wrong.size > 0 || this.#turns > mostTurns;
  }

  /** Computed once per statement, because a loop reaches it many times. */
  #concerns(s: Stmt): boolean {
    let concerns = this.#concerned.get(s);
    if (concerns === undefined) {
      concerns = holds(s, ...channelKinds);
      this.#concerned.set(s, concerns);
    }
    return concerns;
  }

  /** Runs until all have ended or none continues. */
  #together(flows: readonly Flow[]): void {
    let left = flows.map((flow) => ({ flow, waiting: undefined as Waiting | undefined }));
    for (let before = -1; before !== this.#moves && left.length > 0; ) {
      before = this.#moves;
      left = left.flatMap(({ flow }) => {
        const next = flow.next();
        return next.done ? [] : [{ flow, waiting: next.value }];
      });
    }
    if (this.#isOver) return;
    for (const { waiting } of left) if (waiting) this.wrong.set(waiting.at, waiting.why);
  }

  *#run(s: Stmt, values: Values): Flow {
    if (this.#isOver || !this.#concerns(s)) return;
    switch (s.kind) {
      case "For":
        for (let i = 0; i < (s.forKind === "bound" ? 1 : s.extent) && !this.#isOver; i++) {
          if (s.forKind !== "bound") values.set(s.loopVar, i);
          yield* this.#run(s.body, values);
        }
        values.delete(s.loopVar);
        return;
      case "If": {
        const value = integerOf(this.#ends?.conditions.get(s) ?? s.cond, values);
        if (value === undefined)
          this.wrong.set(
            s,
            "a statement of a channel is under a condition that depends on more than loops and one number of the block, so turns could be skipped",
          );
        else if (value !== 0) yield* this.#run(s.body, values);
        return;
      }
      case "AllocChannel":
        this.#rings.set(s.channel, {
          channel: s.channel,
          slots: Array.from({ length: s.channel.slots }, (_, i) => ({ turn: i - s.channel.slots, state: "empty" })),
        });
        yield* this.#run(s.body, values);
        this.#close(s);
        return;
      case "Roles":
        this.#together([this.#run(s.producer, new Map(values)), this.#run(s.consumers, new Map(values))]);
        return;
      case "Fill":
      case "Await":
      case "Release":
        yield* this.#turn(s, values);
        return;
      default: {
        const parts: Stmt[] = [];
        eachPart(
          s,
          (part) => parts.push(part),
          () => {},
        );
        for (const part of parts) yield* this.#run(part, values);
      }
    }
  }

  *#turn(s: Extract<Stmt, { kind: "Fill" | "Await" | "Release" }>, values: Values): Flow {
    const ring = this.#rings.get(s.channel);
    const turn = integerOf(s.turn, values);
    const words = (why: string) => `channel ${s.channel.name}: ${why}`;
    const refuse = (why: string) => this.wrong.set(s, words(why));
    if (!ring) {
      refuse("it is used outside its place");
      return;
    }
    if (turn === undefined || turn < 0) {
      refuse("the number of a turn depends on more than loops");
      return;
    }
    const slot = ring.slots[turn % s.channel.slots] as Ring["slots"][number];
    const now = () => (slot.state === "empty" ? `slot ${turn % s.channel.slots} is empty` : `turn ${slot.turn} is ${slot.state}`);
    if (s.kind === "Fill") {
      const why = () => `turn ${turn} is filled when ${now()} after turn ${slot.turn}`;
      while (slot.state !== "empty" && slot.turn === turn - s.channel.slots && !this.#isOver) yield { at: s, why: words(why()) };
      this.#turns++;
      if (slot.state !== "empty" || slot.turn !== turn - s.channel.slots) refuse(why());
      slot.turn = turn;
      slot.state = "filled";
    } else if (s.kind === "Await") {
      while (slot.turn < turn && !this.#isOver) yield { at: s, why: words(`turn ${turn} is awaited when ${now()}`) };
      if (slot.turn !== turn || slot.state !== "filled") refuse(`turn ${turn} is awaited when ${now()}`);
      slot.state = "held";
    } else {
      if (slot.turn !== turn || slot.state !== "held") refuse(`turn ${turn} is released when ${now()}`);
      slot.state = "empty";
    }
    this.#moves++;
  }

  #close(s: Extract<Stmt, { kind: "AllocChannel" }>): void {
    const left = this.#rings.get(s.channel)?.slots.find(({ state }) => state !== "empty");
    if (left && !this.#isOver) this.wrong.set(s, `channel ${s.channel.name} ends and turn ${left.turn} is ${left.state}`);
  }
}

/** Finds the part of the block in the conditions of channels. */
class EndsOfBlocks {
  readonly #analyzer: Analyzer;
  readonly #ofBlocks = new Set<Var>();
  readonly #ofThreads = new Set<Var>();
  readonly #part = b.variable("end");
  #whole: Linear | undefined;
  #least = Infinity;
  #most = -Infinity;
  #fits = true;

  constructor(body: Stmt) {
    this.#analyzer = analyzerFor(body);
    walkStmt(body, (s) => {
      if (s.kind === "For" && s.thread) (s.thread.startsWith("blockIdx") ? this.#ofBlocks : this.#ofThreads).add(s.loopVar);
    });
  }

  of(body: Stmt): Ends | undefined {
    const conditions = new Map<Stmt, Expr>();
    walkStmt(body, (s) => {
      if (s.kind === "If" && holds(s.body, ...channelKinds))
        conditions.set(
          s,
          rewriteExpr(s.cond, (e) => this.#comparison(e)),
        );
    });
    if (!this.#fits || !this.#whole) return undefined;
    const { lo, hi } = this.#analyzer.boundsOf(this.#whole);
    const [first, last] = [Math.max(lo, this.#least), Math.min(hi, this.#most)];
    const count = Math.max(0, last - first + 1);
    const values = Array.from({ length: Math.min(count, mostEnds) }, (_, i) => [first + i, last - i]).flat();
    return { part: this.#part, conditions, values: [...new Set([lo, hi, ...values])] };
  }

  #comparison(e: Expr): Expr {
    if (!isComparison(e)) return e;
    const difference = this.#analyzer.sum(this.#analyzer.linear(e.a), this.#analyzer.linear(e.b), -1);
    const rest = pick(difference, (_, atom) => this.#isOf(atom, this.#ofBlocks));
    if (rest.atoms.length === 0) return e;
    const ofBlock = { ...rest, constant: 0 };
    const own = this.#analyzer.sum(difference, ofBlock, -1);
    // Conditions are simplified one by one, so they may have different multiples of the part.
    const divisor = coefficientGcd(ofBlock) * Math.sign(ofBlock.coefs[0] as number);
    const whole = { ...ofBlock, coefs: ofBlock.coefs.map((coef) => coef / divisor) };
    this.#whole ??= whole;
    const isMixed = whole.atoms.some(({ variables }) => variables.some(({ variable }) => !this.#ofBlocks.has(variable)));
    const differs = own.atoms.some((atom) => this.#isOf(atom, this.#ofThreads));
    if (isMixed || differs || !equalLinear(whole, this.#whole)) this.#fits = false;
    // Beyond these values the comparison is decided.
    const { lo, hi } = this.#analyzer.boundsOf(own);
    const decided = [-lo / divisor, -hi / divisor];
    this.#least = Math.min(this.#least, Math.floor(Math.min(...decided)) - 1);
    this.#most = Math.max(this.#most, Math.ceil(Math.max(...decided)) + 1);
    return b.compare(e.kind, b.add(this.#analyzer.expr(own), b.mul(this.#part, b.int(divisor))), b.int(0));
  }
  #isOf(atom: Atom, vars: ReadonlySet<Var>): boolean {
    return atom.variables.some(({ variable }) => vars.has(variable));
  }
}

const isComparison = (e: Expr): e is Binary & { readonly kind: CompareKind } =>
  "a" in e && e.a.dtype === "int32" && compareKinds.some((kind) => kind === e.kind);

/** By statement, what is wrong with it. */
export function turnFaults(body: Stmt): ReadonlyMap<Stmt, string> {
  // Blocks of a cluster fill each other's slots, so all must have all turns.
  const isShared = channelsOf(body).some(({ cluster }) => cluster !== undefined);
  const ends = isShared ? undefined : new EndsOfBlocks(body).of(body);
  if (!ends) return new Order(body).wrong;
  for (const value of ends.values) {
    const { wrong } = new Order(body, ends, value);
    if (wrong.size > 0) return wrong;
  }
  return new Map();
}
