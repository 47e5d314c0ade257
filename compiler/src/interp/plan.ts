/**
 * What a function needs before it runs: its launch axes, its buffers and who shares them, and which statements run once per
 * block.
 */
import { Analyzer } from "../arith/analyzer.ts";
import { type FragmentStorage, fragmentsOf, placeOf } from "../intrinsic/fragment-place.ts";
import { type Team, teamSize } from "../ir/agent.ts";
import { type Buffer, bufferSize, bufferSpan, isFragmentScope, teamOf } from "../ir/buffer.ts";
import * as b from "../ir/build.ts";
import { blocksIn, clusterOf, ranksIn } from "../ir/bulk.ts";
import type { Expr } from "../ir/expr.ts";
import type { Places } from "../ir/intrinsic.ts";
import { doneBy, isRemark, meetingKinds, touches } from "../ir/parts.ts";
import type { PrimFunc } from "../ir/prim-func.ts";
import { type Channel, type ClusterShape, type For, type Stmt, type ThreadTag, threadRank } from "../ir/stmt.ts";
import { holds, someStmt, walkExpr, walkStmt } from "../ir/visit.ts";
import { launchTags } from "../lower/loops.ts";
import { type BufferPlan, type Keepers, ownerSize } from "./buffer-js.ts";
import { InterpError } from "./error.ts";

export interface Launch {
  readonly blocks: readonly For[];
  /**
   * The loops over the blocks of a cluster that run together because boxes or values of one go to another; none: blocks run
   * alone.
   */
  readonly ranks: readonly For[];
  readonly threads: readonly For[];
  readonly body: Stmt;
}

export interface FunctionPlan {
  readonly launch: Launch | undefined;
  readonly threadCount: number;
  readonly buffers: ReadonlyMap<Buffer, BufferPlan>;
  readonly teams: readonly Team[];
  readonly channels: readonly Channel[];
  readonly shape: ClusterShape;
}

const order: readonly ThreadTag[] = launchTags;
const dialectError = (message: string): never => {
  throw new InterpError("interp.dialect", message);
};

/** Whether it contains a meeting of all threads, or memory that the block shares. */
export const meets = (s: Stmt): boolean =>
  someStmt(
    s,
    (x) =>
      x.kind === "Barrier" || x.kind === "Wait" || x.kind === "Fold" || (x.kind === "Allocate" && x.buffer.scope === "shared"),
  );

/**
 * Whether it runs once per block, with all threads in step. Lane 0 does the work of all in a call, so before it they have written
 * what they keep.
 */
export const isBlockLevel = (s: Stmt): boolean =>
  meets(s) || holds(s, ...meetingKinds) || (holds(s, "Invoke") && usesFragment(s));

/** Whether lanes access what they keep. */
export const usesFragment = (s: Stmt): boolean =>
  someStmt(
    s,
    (part) => part.kind === "Store" && isFragmentScope(part.buffer.scope),
    (part) => part.kind === "Load" && isFragmentScope(part.buffer.scope),
  );

function launchOf(func: PrimFunc): Launch | undefined {
  if (func.dialect !== "device") return undefined;
  const loops: For[] = [];
  let body = func.body;
  for (;;) {
    if (isRemark(body)) body = body.body;
    else if (body.kind === "For" && body.forKind === "bound") {
      loops.push(body);
      body = body.body;
    } else break;
  }
  const places = loops.map((loop) => (loop.thread ? order.indexOf(loop.thread) : -1));
  if (places.some((place, i) => place < 0 || (i > 0 && place <= (places[i - 1] as number))))
    dialectError(
      `the head of "${func.name}" is ${loops.map((l) => l.thread).join(", ")}; it is a part of ${order.join(", ")} in that order`,
    );
  walkStmt(body, (s) => {
    if (s.kind === "For" && s.forKind === "bound")
      dialectError(`a loop bound to ${s.thread} stands below the head of "${func.name}"`);
  });
  if (loops.length === 0) return undefined;
  const isShared = someStmt(
    body,
    (s) =>
      (s.kind === "AllocChannel" && s.channel.cluster !== undefined) ||
      (s.kind === "BulkCopy" && s.multicast !== undefined) ||
      (s.kind === "Fold" && s.exchange !== undefined),
  );
  const ranks = isShared ? ranksIn(loops) : [];
  const isBlock = ({ thread }: For): boolean => thread !== undefined && threadRank(thread) === 0;
  return {
    blocks: loops.filter((l) => !ranks.includes(l) && isBlock(l)),
    ranks,
    threads: loops.filter((l) => !isBlock(l)),
    body,
  };
}

interface Uses {
  readonly stored: Set<Buffer>;
  readonly used: Set<Buffer>;
  /** Buffers allocated inside a parallel loop, so that each iteration has its own. */
  readonly insideParallel: Set<Buffer>;
  readonly blockLevel: Set<Buffer>;
  readonly byPlace: Set<Buffer>;
  readonly teams: Set<Team>;
  hasParallel: boolean;
}

function usesOf(body: Stmt): Uses {
  const uses: Uses = {
    stored: new Set(),
    used: new Set(),
    insideParallel: new Set(),
    blockLevel: new Set(),
    byPlace: new Set(),
    teams: new Set(),
    hasParallel: false,
  };
  walkStmt(
    body,
    (s) => {
      for (const { buffer, how } of touches(s)) {
        (how === "write" ? uses.stored : uses.used).add(buffer);
        if (s.kind !== "Store" && s.kind !== "Fold") uses.byPlace.add(buffer);
      }
      const team = doneBy(s);
      if (team) uses.teams.add(team);
      if (s.kind === "Allocate" && isBlockLevel(s.body)) uses.blockLevel.add(s.buffer);
      if (s.kind !== "For" || s.forKind !== "parallel") return;
      uses.hasParallel = true;
      walkStmt(s.body, (inner) => {
        if (inner.kind === "Allocate") uses.insideParallel.add(inner.buffer);
      });
    },
    (e) =>
      walkExpr(e, (x) => {
        if (x.kind === "Load") uses.used.add(x.buffer);
      }),
  );
  return uses;
}

function keepersOf({ scope }: Buffer, storage: FragmentStorage | undefined): Keepers | undefined {
  const lanes = lanesOf(storage);
  const team = teamOf(scope);
  return lanes && team && { lanes, team };
}

const keepers = new WeakMap<Places, readonly number[]>();

/** The lane that keeps each element of a tile, in the order of its dense strides; undefined for an opaque layout. */
function lanesOf(storage: FragmentStorage | undefined): readonly number[] | undefined {
  const places = storage?.fragment.places;
  if (!storage || !places) return undefined;
  let lanes = keepers.get(places);
  if (!lanes) {
    const analyzer = new Analyzer();
    const laneAt = (index: number) => analyzer.linear(placeOf(storage, b.int(index))?.lane as Expr).constant;
    lanes = Array.from({ length: bufferSize(storage.tile) }, (_, index) => laneAt(index));
    keepers.set(places, lanes);
  }
  return lanes;
}

/** `given`: parameters whose elements all have values before the run. */
export function planFunction(func: PrimFunc, given: ReadonlySet<string>): FunctionPlan {
  const launch = launchOf(func);
  const extent = (loops: readonly For[]): number => loops.reduce((n, loop) => n * loop.extent, 1);
  const threadCount = launch ? extent(launch.threads) : 1;
  const shape = clusterOf(launch?.ranks ?? []);
  const cluster = blocksIn(shape);
  const blockCount = launch ? extent(launch.blocks) * cluster : 1;
  const uses = usesOf(func.body);
  const allocated = new Set<Buffer>();
  walkStmt(func.body, (s) => {
    if (s.kind === "Allocate") allocated.add(s.buffer);
  });
  const channels: Channel[] = [];
  walkStmt(func.body, (s) => {
    if (s.kind === "AllocChannel") channels.push(s.channel);
  });
  const fragments = launch ? fragmentsOf(func.body) : new Map<Buffer, FragmentStorage>();
  const buffers = new Map<Buffer, BufferPlan>();
  for (const buffer of new Set([...func.params, ...uses.stored, ...uses.used, ...allocated])) {
    const isParam = func.params.includes(buffer);
    if (!isParam && !allocated.has(buffer))
      dialectError(`"${func.name}" uses "${buffer.name}", which is neither a parameter nor allocated`);
    const written = uses.stored.has(buffer);
    const channel = channels.findIndex(({ buffers: own }) => own.includes(buffer));
    const shared = isParam || buffer.scope === "shared" || buffer.scope === "global";
    buffers.set(buffer, {
      buffer,
      index: buffers.size,
      checkInit: written || !isParam || !given.has(buffer.name),
      isInCluster: cluster > 1,
      trackUnits:
        written && (launch ? isParam && cluster === 1 && blockCount > 1 : uses.hasParallel && !uses.insideParallel.has(buffer)),
      copies: launch === undefined || shared || !uses.blockLevel.has(buffer) ? "one" : (teamOf(buffer.scope) ?? "thread"),
      inTiles: uses.byPlace.has(buffer),
      ring: launch && channel >= 0 ? channel : undefined,
      keptBy: launch && func.dialect === "device" ? keepersOf(buffer, fragments.get(buffer)) : undefined,
    });
  }
  const broken = launch && [...uses.teams].find((team) => threadCount % teamSize[team] !== 0);
  if (broken) dialectError(`"${func.name}" has intrinsics of whole ${broken}s, but ${threadCount} threads in a block`);
  return {
    launch,
    threadCount,
    buffers,
    teams: [...uses.teams],
    channels,
    shape,
  };
}

export const elementsOf = ({ buffer, copies }: BufferPlan, threadCount: number): number =>
  bufferSpan(buffer) * (copies === "one" ? 1 : Math.ceil(threadCount / ownerSize[copies]));
