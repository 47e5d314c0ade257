/**
 * The reference interpreter. It executes a function statement by statement; each thread of a block is a coroutine that pauses at
 * barriers and at the intrinsics of its team. `interpret.ts` runs the same programs as generated JavaScript; direct.test.ts holds
 * the two equal.
 *
 * It refuses what error.ts lists. Only interpret.ts checks alignment and which lane keeps an element of a fragment, and does not
 * look for races, copies on their way, products in flight, fences and who holds a slot.
 */

import type { Random } from "@warpfarm/common";
import { teamSize } from "../../ir/agent.ts";
import { type Buffer, bufferSpan } from "../../ir/buffer.ts";
import { clusterOf, ranksIn } from "../../ir/bulk.ts";
import { combineNumbers } from "../../ir/combiner.ts";
import type { Var } from "../../ir/expr.ts";
import { roundTo, type TensorData } from "../../ir/numeric.ts";
import { isRemark } from "../../ir/parts.ts";
import type { PrimFunc } from "../../ir/prim-func.ts";
import { type Fold, type For, isClusterTag, type Stmt } from "../../ir/stmt.ts";
import { holds, someStmt, writtenIn } from "../../ir/visit.ts";
import { Cluster, deadlock } from "../channels.ts";
import { InterpError } from "../error.ts";
import type { Block, Pause } from "./block.ts";
import { meetAt } from "./clock.ts";
import { Agents, entriesOf, Gathering, worldOf } from "./clocks.ts";
import { invoke } from "./invoke.ts";
import { Cells } from "./memory.ts";
import { Thread } from "./thread.ts";

interface DirectRun {
  readonly data: ReadonlyMap<string, TensorData>;
  unwritten(name: string): number | undefined;
}

/**
 * Runs functions of the scheduled or device dialect, or for the CPU, one after another on one set of parameters. Inputs are by
 * name, row-major, and are changed in place where a function writes them. An adversary chooses which threads go first and which
 * warps are delayed; without one all go in order. Copies of the copy engine arrive as late as their wait allows.
 */
export function interpretDirectly(
  funcs: readonly PrimFunc[],
  inputs: ReadonlyMap<string, TensorData>,
  adversary?: Random,
): DirectRun {
  return runAll(funcs, inputs, { adversary, which: (clusters) => clusters });
}

/**
 * Runs the first and the last cluster of each kernel, which is enough to see what threads of a block or cluster do to each other,
 * and throws an InterpError for two accesses that nothing orders. `data`: what a run of the whole has left in every parameter.
 */
export function findRaces(funcs: readonly PrimFunc[], data: ReadonlyMap<string, TensorData>): void {
  const own = new Map([...data].map(([name, values]) => [name, values.slice() as TensorData]));
  const which: How["which"] = (clusters) =>
    clusters.length > 2 ? [clusters[0] as Points[0], clusters.at(-1) as Points[0]] : clusters;
  runAll(
    funcs.filter((func) => headOf(func).loops.length > 0),
    own,
    { adversary: undefined, which },
  );
}

type Points = readonly (readonly (readonly [Var, number])[])[];
interface How {
  readonly adversary: Random | undefined;
  /** The clusters of a kernel that run. */
  readonly which: (clusters: Points) => Points;
}

function runAll(funcs: readonly PrimFunc[], inputs: ReadonlyMap<string, TensorData>, how: How): DirectRun {
  const params = new Map<string, Cells>();
  const agents = new Agents();
  const written = new Set(funcs.flatMap(({ body }) => [...writtenIn(body)].map(({ name }) => name)));
  /** Numbers of agents from which on nothing came before: of a kernel, and of the first that it does not wait for by itself. */
  let since = 0;
  let isReleased = false;
  for (const func of funcs) {
    for (const buffer of func.params)
      if (!params.has(buffer.name)) params.set(buffer.name, new Cells(buffer, written.has(buffer.name), inputs.get(buffer.name)));
    const kernel = agents.next;
    if (!isReleased) since = kernel;
    launch(func, { agents, kernel, since }, params, how);
    isReleased = someStmt(func.body, (s) => s.kind === "Handover" && s.what === "release");
  }
  return {
    data: new Map([...params].map(([name, { data }]) => [name, data])),
    unwritten: (name) => params.get(name)?.unwritten,
  };
}

/** Agents that are numbered; the first number of a kernel, and of what it does not come after. */
interface Numbering {
  readonly agents: Agents;
  readonly kernel: number;
  readonly since: number;
}

/** Runs the blocks of a function, one cluster after the other. */
function launch(
  func: PrimFunc,
  { agents, kernel, since }: Numbering,
  params: ReadonlyMap<string, Cells>,
  { adversary, which }: How,
): void {
  const arrays = func.params.map((buffer): [Buffer, Cells] => [buffer, params.get(buffer.name) as Cells]);
  const { loops, body } = headOf(func);
  const threads = points(loops.filter((s) => !isOverBlocks(s) && !isClusterTag(s.thread)));
  const ranks = points(ranksIn(loops));
  const shape = clusterOf(loops);
  const row = loops.find(({ thread }) => thread === "threadIdx.x")?.extent ?? 1;
  const hasRoles = holds(body, "Roles");
  const entries = entriesOf(body, threads.length);
  const isLaunched = loops.length > 0;
  for (const at of which(points(loops.filter(isOverBlocks)))) {
    const cluster = new Cluster(shape, ranks.length * (threads.length + (hasRoles ? 1 : 0)));
    const own = ranks.map((rank) => [...at, ...rank]);
    const nameOf = (vars: typeof at) =>
      `block${vars.length > 0 ? ` (${vars.map(([, i]) => i).join(", ")})` : ""} of ${func.name}`;
    const world = worldOf(agents, kernel, entries, isLaunched ? own.map(nameOf) : [""]);
    const blocks: Block[] = [];
    for (const rank of ranks.keys())
      blocks.push({
        ...{ isLaunched, agents, world, clocks: [], arrays: new Map(), threads: threads.length, row, hasRoles },
        ...{ folds: 0, rings: new Map(), slots: new Map(), cluster, rank, peers: blocks },
      });
    const teams = blocks.map((block, rank) => {
      const all = hasRoles ? [...threads, []] : threads;
      return all.map(
        (thread, id) => new Thread(id, block, since, body, { vars: [...(own[rank] ?? []), ...thread], params: arrays }),
      );
    });
    runTogether(teams, body, adversary);
  }
}

const isOverBlocks = ({ thread }: For): boolean => thread?.startsWith("blockIdx") === true;

function headOf(func: PrimFunc): { readonly loops: readonly For[]; readonly body: Stmt } {
  const loops: For[] = [];
  let { body } = func;
  while (func.dialect === "device" && (isRemark(body) || (body.kind === "For" && body.forKind === "bound"))) {
    if (body.kind === "For") loops.push(body);
    body = body.body;
  }
  return { loops, body };
}

const points = (loops: readonly For[]): Points =>
  loops.reduce<[Var, number][][]>(
    (all, { loopVar, extent }) =>
      all.flatMap((p) => Array.from({ length: extent }, (_, i): [Var, number][] => [...p, [loopVar, i]])),
    [[]],
  );

interface Running {
  readonly thread: Thread;
  readonly steps: Generator<Pause, void>;
  pause: Pause | undefined;
  isDone: boolean;
}

const diverged = (what: string): InterpError => new InterpError("interp.divergence", what);

function runTogether(blocks: readonly (readonly Thread[])[], body: Stmt, adversary: Random | undefined): void {
  let left = blocks.map((threads) =>
    threads.map((thread): Running => ({ thread, steps: thread.run(body), pause: undefined, isDone: false })),
  );
  while (left.length > 0) {
    let goesOn = false;
    const waits: string[] = [];
    for (const all of adversary && left.length > 1 ? adversary.shuffle(left) : left) {
      const found = step(all, adversary);
      goesOn ||= found === undefined;
      waits.push(...(found ?? []));
    }
    if (!goesOn) throw deadlock(waits);
    left = left.filter((all) => all.some(({ isDone }) => !isDone));
  }
}

/** Advances a block: each of its threads runs until it pauses, in order, and then the pauses are resolved. */
function step(all: readonly Running[], adversary: Random | undefined): readonly string[] | undefined {
  const heads = all.filter(({ thread }) => !thread.isProducer);
  let goesOn = false;
  for (const one of adversary ? adversary.shuffle(all) : all) {
    if (one.pause?.kind === "channel" && one.pause.waits() === undefined) one.pause = undefined;
    if (one.isDone || one.pause) continue;
    const next = one.steps.next();
    goesOn = true;
    if (next.done) one.isDone = true;
    else one.pause = next.value;
  }
  if (all.every(({ isDone }) => isDone)) {
    endOf(all);
    return undefined;
  }
  const waiting = all.flatMap(({ pause, thread: { id } }) => (pause?.kind === "channel" ? [{ id, waits: pause.waits }] : []));
  // A thread that waits at a channel is asked again while any thread continues.
  if (goesOn && waiting.length > 0) return undefined;
  const isAtChannel = (one: Running) => one.pause?.kind === "channel";
  const calling = all.filter((one) => one.pause?.kind === "invoke" && !teamWith(one, all).some(isAtChannel));
  if (calling.length > 0) for (const one of adversary ? [adversary.pick(calling)] : calling) invokeTogether(one, all);
  else if (waiting.length > 0 && (heads.some(isAtChannel) || heads.every(({ isDone }) => isDone))) {
    const { cluster, rank } = (all[0] as Running).thread.block;
    const block = cluster.blocks > 1 ? ` of block ${rank} of its cluster` : "";
    const who = (id: number) => (id < heads.length ? `thread ${id}` : "the producer");
    return waiting.map(({ id, waits }) => `${who(id)}${block} waits ${waits()}`);
  } else meet(heads);
  return undefined;
}

/** All threads of a block have ended, so nothing of it may be in transit. */
function endOf(all: readonly Running[]): void {
  const { rings } = (all[0] as Running).thread.block;
  for (const { ring } of rings.values()) ring.close();
  for (const { clock } of all.map(({ thread }) => thread))
    if (clock.products.last > clock.waited)
      throw new InterpError("interp.in_flight", `the block ends and ${clock.products.name} is in flight`);
}

function teamWith({ thread, pause }: Running, all: readonly Running[]): readonly Running[] {
  if (pause?.kind !== "invoke") return [];
  const size = teamSize[pause.stmt.intrinsic.agent];
  return all.slice(thread.id - (thread.id % size)).slice(0, size);
}

/** Runs the intrinsic that a thread calls with its team. All its lanes must have reached one intrinsic with the same tiles. */
function invokeTogether(one: Running, all: readonly Running[]): void {
  const { thread, pause } = one;
  if (pause?.kind !== "invoke") return;
  const { name, agent } = pause.stmt.intrinsic;
  const team = teamWith(one, all);
  const key = pause.places.join();
  for (const { pause: other } of team)
    if (other?.kind !== "invoke" || other.stmt !== pause.stmt || other.places.join() !== key)
      throw diverged(
        `a lane of a ${agent} calls ${name} with other tiles than lane ${thread.id % teamSize[agent]}, or not at all`,
      );
  invoke(
    pause.stmt,
    pause.places,
    team.map((lane) => lane.thread),
  );
  for (const lane of team) lane.pause = undefined;
}

/** At each distance each lane combines its value with that of the lane at this distance. */
function foldTogether(all: readonly Running[], { buffer, combiner, lanes }: Fold): void {
  if (lanes === undefined)
    throw new InterpError("interp.dialect", `"${buffer.name}" is folded over an axis in a launched kernel`);
  const arrays = all.map(({ thread }) => thread.cells(buffer));
  const combined = combineNumbers(combiner, roundTo(buffer.dtype));
  for (let place = 0; place < bufferSpan(buffer); place++)
    for (let distance = lanes / 2; distance >= 1; distance /= 2) {
      const before = arrays.map((cells) => cells.own(place));
      for (const [t, cells] of arrays.entries()) {
        const other = t ^ distance;
        if (other >= all.length)
          throw new InterpError(
            "interp.lane",
            `thread ${t} folds "${buffer.name}" with thread ${other}, which the block does not have`,
          );
        const [x, y] = [before[t], before[other]];
        cells.setOwn(place, x === undefined || y === undefined ? undefined : combined(x, y));
      }
    }
}

/** Gives the other blocks of the cluster what the first thread of each row has. Each thread then waits for theirs. */
function giveTogether(all: readonly Running[], { buffer }: Fold): void {
  const { block } = (all[0] as Running).thread;
  const values = all
    .filter((_, t) => t % block.row === 0)
    .flatMap(({ thread }) => {
      const cells = thread.cells(buffer);
      return Array.from({ length: bufferSpan(buffer) }, (_, place) => cells.own(place));
    });
  block.cluster.give(block.folds++, block.rank, values);
}

/**
 * All threads must be at one barrier or fold, or at one condition around a barrier, or have ended. They run one program and agree
 * on its conditions, so two that wait for the same kind of thing wait at the same statement.
 */
function meet(all: readonly Running[]): void {
  const [first] = all as [Running];
  const { pause, thread } = first;
  for (const { pause: other, isDone, thread: t } of all) {
    if (isDone !== first.isDone || other?.kind !== pause?.kind)
      throw diverged(`thread ${t.id} does not come to where thread 0 waits`);
    if (other?.kind === "condition" && pause?.kind === "condition" && other.value !== pause.value)
      throw diverged(`thread ${t.id} and thread 0 disagree on a condition around a barrier`);
  }
  if (pause?.kind === "fold") (pause.stmt.exchange ? giveTogether : foldTogether)(all, pause.stmt);
  if (pause?.kind === "barrier") {
    const size = pause.agent === "block" ? all.length : teamSize[pause.agent];
    for (let first = 0; first < all.length; first += size) {
      const clocks = all.slice(first, first + size).map(({ thread: { clock } }) => clock);
      meetAt(clocks, new Gathering(thread.block.world));
    }
  }
  for (const one of all) one.pause = undefined;
}
