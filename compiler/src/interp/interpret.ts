/**
 * Runs functions of any dialect on typed arrays, as generated JavaScript; names in the IR never enter the text. It is the oracle
 * of values, and must agree with direct/. It throws InterpError for an index outside its dimension, a read of an element nobody
 * wrote, blocks that use what others write, a barrier that not all threads reach, and IR that breaks its dialect. The threads of
 * a block run in step: direct/ alone says whether anything orders their accesses.
 */
import { dtypeBytes, invariant } from "@warpfarm/common";
import { type Team, withProducer } from "../ir/agent.ts";
import { type Buffer, bufferSpan } from "../ir/buffer.ts";
import { receiversOf } from "../ir/bulk.ts";
import { createData, type TensorData } from "../ir/numeric.ts";
import { isRemark } from "../ir/parts.ts";
import type { Kernel, PrimFunc } from "../ir/prim-func.ts";
import type { Channel, Multicast, Stmt } from "../ir/stmt.ts";
import { holds, walkStmt } from "../ir/visit.ts";
import type { BufferPlan, Keepers } from "./buffer-js.ts";
import { Cluster, deadlock, Ring } from "./channels.ts";
import { InterpError } from "./error.ts";
import { exprHelpers } from "./expr-js.ts";
import { functionText } from "./function-js.ts";
import { elementsOf, type FunctionPlan, planFunction } from "./plan.ts";

export interface Interpreted {
  /** Every parameter by name, inputs included. Elements never written hold 0: see unwritten. */
  readonly data: ReadonlyMap<string, TensorData>;
  /** The first element of this parameter without a value; undefined when all have one. */
  unwritten(name: string): number | undefined;
}

interface Array1d {
  readonly data: TensorData;
  readonly stamps: Int32Array;
  readonly keptBy?: Keepers;
}

class Memory {
  readonly #params = new Map<string, Array1d>();
  readonly #given = new Set<string>();

  constructor(inputs: ReadonlyMap<string, TensorData>) {
    for (const [name, data] of inputs) {
      this.#params.set(name, { data, stamps: new Int32Array(data.length).fill(1) });
      this.#given.add(name);
    }
  }

  get given(): ReadonlySet<string> {
    return this.#given;
  }

  param(buffer: Buffer): Array1d {
    const found = this.#params.get(buffer.name);
    const span = bufferSpan(buffer);
    if (found && found.data.length !== span)
      throw new InterpError("interp.arguments", `"${buffer.name}" has ${found.data.length} elements; the function takes ${span}`);
    if (found && found.data.constructor !== createData(buffer.dtype, 0).constructor)
      throw new InterpError(
        "interp.arguments",
        `"${buffer.name}" is a ${found.data.constructor.name}; ${buffer.dtype} does not live in one`,
      );
    const array = found ?? { data: createData(buffer.dtype, span), stamps: new Int32Array(span) };
    this.#params.set(buffer.name, array);
    return array;
  }

  get data(): Map<string, TensorData> {
    return new Map([...this.#params].map(([name, array]) => [name, array.data]));
  }

  unwritten(name: string): number | undefined {
    const array = this.#params.get(name);
    invariant(array, `no parameter is named "${name}"`);
    const index = array.stamps.indexOf(0);
    return index < 0 ? undefined : index;
  }
}

type Lander = (place: number, value: number) => void;

interface Together {
  readonly cluster: Cluster;
  readonly blocks: Environment[];
}

class Environment {
  readonly buffers: readonly Array1d[];
  readonly channels: readonly Channel[];
  block: readonly number[] = [];
  thread = (): number => 0;
  readonly #plans: readonly BufferPlan[];
  readonly #func: PrimFunc;
  readonly #launched: boolean;
  readonly rank: number;
  readonly landers: Lander[] = [];
  readonly #together: Together;
  #meetings = 0;
  #folds = 0;

  constructor(func: PrimFunc, plan: FunctionPlan, memory: Memory, together: Together) {
    this.#together = together;
    this.rank = together.blocks.push(this) - 1;
    this.#func = func;
    this.#launched = plan.launch !== undefined;
    this.#plans = [...plan.buffers.values()];
    this.channels = plan.channels;
    this.buffers = this.#plans.map((p) =>
      func.params.includes(p.buffer)
        ? memory.param(p.buffer)
        : { ...allocate(p, plan.threadCount), ...(p.keptBy ? { keptBy: p.keptBy } : {}) },
    );
  }

  #where(): string {
    return `in "${this.#func.name}"${this.#launched ? `, block (${this.block.join(", ")}), thread ${this.thread()}` : ""}`;
  }
  #element(n: number, indices: readonly number[]): string {
    return `"${this.#plans[n]?.buffer.name}"[${indices.join(", ")}]`;
  }
  bounds(n: number, verb: string, indices: readonly number[]): never {
    const shape = this.#plans[n]?.buffer.shape.join(", ");
    throw new InterpError("interp.bounds", `${this.#where()} ${verb} ${this.#element(n, indices)} outside its shape [${shape}]`);
  }
  uninitialised(n: number, indices: readonly number[]): never {
    throw new InterpError(
      "interp.uninitialised",
      `${this.#where()} reads ${this.#element(n, indices)}, which nothing has written`,
    );
  }
  unitRace(n: number, indices: readonly number[], what: string, one: number, other: number): never {
    const unit = this.#launched ? "block" : "iteration of a parallel loop";
    throw new InterpError(
      "interp.block_race",
      `${this.#where()}: ${this.#element(n, indices)} ${what} ${unit}, ${one}, and is used by another, ${other}`,
    );
  }
  alignment(n: number, base: number, lanes: number): never {
    throw new InterpError(
      "interp.alignment",
      `${this.#where()}: ${lanes} lanes at ${this.#element(n, [base])}, which is no multiple of ${lanes}`,
    );
  }
  tileAlignment(n: number, place: number, factor: number): never {
    throw new InterpError(
      "interp.alignment",
      `${this.#where()}: a tile begins at ${this.#element(n, [place])}, which is no multiple of ${factor}`,
    );
  }
  foreign(n: number, verb: string, place: number, lane: number): never {
    throw new InterpError(
      "interp.lane",
      `${this.#where()} ${verb} ${this.#element(n, [place])}, which lane ${lane} of its ${this.#plans[n]?.keptBy?.team} keeps`,
    );
  }
  ring(channel: Channel): Ring {
    return new Ring(channel, 1, this.#together.cluster, this.rank);
  }
  *meetCluster(): Generator<string, void> {
    const { cluster } = this.#together;
    const nth = this.#meetings++;
    cluster.come(nth);
    for (let why = cluster.meetingWaits(nth); why !== undefined; why = cluster.meetingWaits(nth)) yield this.waiting(why);
  }
  /** What each block of the cluster gives to a fold, when all have come to it. */
  *given(own: readonly (number | undefined)[]): Generator<string, readonly (readonly (number | undefined)[])[]> {
    const { cluster } = this.#together;
    const nth = this.#folds++;
    cluster.give(nth, this.rank, own);
    for (let all = cluster.givenTo(nth); ; all = cluster.givenTo(nth)) {
      if (typeof all !== "string") return all;
      yield this.waiting(all);
    }
  }
  waiting(why: string | undefined, producer?: string): string {
    return `${this.#where()} waits ${why}${producer === undefined ? "" : `, its producer ${producer}`}`;
  }
  *endedInCluster(producer: Generator<string, void>): Generator<string, void> {
    for (let next = producer.next(); !next.done; next = producer.next())
      yield `${this.#where()}: the consumers have ended, and the producer waits ${next.value}`;
  }
  landedInAll(ring: Ring | undefined, n: number, from: number, elements: number, multicast: Multicast): readonly Lander[] {
    const { buffer } = this.#plans[n] as BufferPlan;
    if (!ring) throw new InterpError("interp.channel", `a box comes to "${buffer.name}" of other blocks outside of any turn`);
    const blocks = receiversOf(multicast, this.rank, this.#together.cluster.shape.x);
    ring.landed(buffer, from, from + elements - 1, dtypeBytes(buffer.dtype, elements), blocks);
    return blocks.map((rank) => this.#together.blocks[rank]?.landers[n] as Lander);
  }

  /** All threads are in step, so nobody can supply what one waits for, except a waiting producer. */
  waits(why: string | undefined, producer?: string): void {
    if (why === undefined) return;
    throw deadlock([`${this.#where()} waits ${why}`, ...(producer === undefined ? [] : [`the producer waits ${producer}`])]);
  }
  ended(producer: Generator<string, void>): void {
    const { value } = producer.next();
    if (value !== undefined) throw deadlock(["the consumers have ended", `the producer waits ${value}`]);
  }
  landed(ring: Ring, n: number, from: number, elements: number): void {
    const { buffer } = this.#plans[n] as BufferPlan;
    ring.landed(buffer, from, from + elements - 1, dtypeBytes(buffer.dtype, elements));
  }
  noLane(n: number, thread: number, other: number): never {
    throw new InterpError(
      "interp.lane",
      `in "${this.#func.name}": thread ${thread} folds "${this.#plans[n]?.buffer.name}" with thread ${other}, which the block does not have`,
    );
  }
  teamDivergence(team: Team): never {
    throw new InterpError(
      "interp.divergence",
      `${this.#where()} comes by other calls of intrinsics, or other tiles, than lane 0 of its ${team}; a ${team} does them together`,
    );
  }
  divergence(thread: number): never {
    throw new InterpError(
      "interp.divergence",
      `${this.#where()}: thread ${thread} and thread 0 disagree on a condition around a barrier`,
    );
  }
}

function allocate(plan: BufferPlan, threadCount: number): Array1d {
  const elements = elementsOf(plan, threadCount);
  return { data: createData(plan.buffer.dtype, elements), stamps: new Int32Array(elements) };
}

/** The nests of a lowered function for a GPU, each shaped like a launch. */
function launches(func: PrimFunc): readonly PrimFunc[] {
  let launched = false;
  walkStmt(func.body, (s) => {
    launched ||= s.kind === "For" && s.forKind === "bound";
  });
  if (func.dialect !== "lowered" || !launched) return [func];
  const nests = (s: Stmt): readonly Stmt[] => (s.kind === "Seq" ? s.stmts.flatMap(nests) : isRemark(s) ? nests(s.body) : [s]);
  return nests(func.body).map((body) => ({ ...func, dialect: "device", body }));
}

const GeneratorFunction = Object.getPrototypeOf(function* () {}).constructor as FunctionConstructor;

function runTogether(runs: readonly Generator<string, void>[], cluster: Cluster): void {
  for (let left = runs; left.length > 0; ) {
    const before = cluster.moves;
    const waits: string[] = [];
    const on = left.filter((run) => {
      const next = run.next();
      if (!next.done) waits.push(next.value);
      return !next.done;
    });
    if (on.length === left.length && cluster.moves === before) throw deadlock(waits);
    left = on;
  }
}

/**
 * Runs the functions one after another on one set of parameters. Inputs are by name, row-major. Other parameters start without
 * values. Arrays that are given and written are changed in place.
 */
export function interpret(funcs: readonly PrimFunc[], inputs: ReadonlyMap<string, TensorData>): Interpreted {
  const memory = new Memory(inputs);
  for (const func of funcs.flatMap(launches)) {
    const plan = planFunction(func, memory.given);
    const together: Together = { cluster: new Cluster(plan.shape), blocks: [] };
    const environments = Array.from({ length: together.cluster.blocks }, () => new Environment(func, plan, memory, together));
    const text = functionText(func, plan);
    if (together.cluster.blocks > 1) {
      const run = new GeneratorFunction("env", "h", text) as (env: Environment, h: typeof exprHelpers) => Generator<string, void>;
      runTogether(
        environments.map((env) => run(env, exprHelpers)),
        together.cluster,
      );
    } else {
      const run = new Function("env", "h", text) as (env: Environment, h: typeof exprHelpers) => void;
      run(environments[0] as Environment, exprHelpers);
    }
  }
  return { data: memory.data, unwritten: (name) => memory.unwritten(name) };
}

/** Like interpret, for launches. Each must have the shape of its function's head. */
export function interpretKernels(kernels: readonly Kernel[], inputs: ReadonlyMap<string, TensorData>): Interpreted {
  for (const { func, grid, block } of kernels) {
    const launch = planFunction(func, new Set()).launch;
    const extent = (tag: string): number =>
      [...(launch?.blocks ?? []), ...(launch?.ranks ?? []), ...(launch?.threads ?? [])].find((l) => l.thread === tag)?.extent ??
      1;
    const axes = ["x", "y", "z"];
    const heads = [extent("threadIdx.x"), extent("threadIdx.y"), extent("threadIdx.z")] as const;
    const threads = holds(func.body, "Roles") ? withProducer(heads) : heads;
    const blocks = axes.map((a) => extent(`blockIdx.${a}`) * (a === "x" ? extent("clusterIdx.x") * extent("clusterIdx.y") : 1));
    const head = [...blocks, ...threads];
    if (launch && head.some((n, i) => n !== [...grid, ...block][i]))
      throw new InterpError(
        "interp.launch",
        `"${func.name}" is launched as (${grid}) x (${block}), but its loops are (${head.slice(0, 3)}) x (${head.slice(3)})`,
      );
  }
  return interpret(
    kernels.map((k) => k.func),
    inputs,
  );
}
