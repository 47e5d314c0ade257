/**
 * Softmax, norms and the like on a GPU: `row_threads` threads share a row, and their reductions are combined by shuffles. What a
 * row needs more than once is
 *
 *   hold again       computed again
 *   hold shared      kept in shared memory, a row for each row of threads
 *   hold registers   kept by the thread that uses it: element (turn, thread, e) of a row is the thread's own in every stage, so
 *                    memory is read once
 */
import { dtypeBytes } from "@warpfarm/common";
import {
  type Axis,
  accessesOf,
  type ComputeOp,
  floorDiv,
  floorMod,
  indexMap,
  type LoopRef,
  type Schedule,
  type StageRef,
} from "@warpfarm/compiler/language";
import type { Group } from "../groups.ts";
import { allowed, fused, knobsOf, type Part, rowLoops } from "../part.ts";
import { hasKind, rowEnd, sizeOf } from "../stages.ts";

const usualThreads = 256;
/** Bytes of the rows of a block in shared memory. */
const mostShared = 48 << 10;
/** Elements of each held stage in a thread. */
const mostHeld = 64;

export function rowsPart(group: Group): Part {
  const { root, sums } = group;
  const [sum] = sums as readonly [ComputeOp, ...ComputeOp[]];
  const columns = sizeOf(sum.reduce);
  const rows = sizeOf(sum.axes);
  const held = heldOf(group);
  const rowBytes = held.reduce((bytes, { output }) => bytes + dtypeBytes(output.dtype, columns), 0);
  const last = root.axes.findLast(({ extent }) => extent > 1) as Axis;
  // Threads beyond the end of such a row would be in the next one.
  const end = rowEnd(root.axes, columns);
  const isInside = end !== undefined && end.inside < (root.axes[end.position] as Axis).extent;
  const knobs = knobsOf(root.output.name, {
    row_threads: isInside
      ? allowed([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024], (threads) => columns % threads === 0)
      : allowed([32, 64, 128, 256, 512, 1024], (threads) => threads === 32 || threads <= columns),
    rows: allowed([1, 2, 4, 8], (n) => n <= rows),
    vector: allowed([1, 2, 4], (lanes) => Math.min(last.extent, columns) % lanes === 0),
    hold: allowed(["again", "shared", "registers"], (hold) => hold === "again" || held.length > 0),
  });
  const { names } = knobs;
  return {
    rule: "rows",
    knobs: knobs.knobs,
    constraints: [
      ...(isInside ? [`${columns} % (${names.row_threads} * ${names.vector}) == 0`] : []),
      `${names.row_threads} * ${names.rows} <= 1024`,
      `${names.row_threads} * ${names.vector} <= ${Math.max(32, columns)}`,
      `${names.hold} != "registers" or ${columns} <= ${mostHeld} * ${names.row_threads}`,
      `${names.hold} != "shared" or ${rowBytes} * ${names.rows} <= ${mostShared}`,
    ],
    score(values) {
      const { row_threads, rows: each, vector, hold } = knobs.of(values);
      const turns = columns / (row_threads * vector);
      return (
        -Math.abs(Math.log2((row_threads * each) / usualThreads)) -
        0.5 * Math.abs(Math.log2(turns / 2)) +
        (hold === "registers" ? 2 : 0)
      );
    },
    apply: (schedule, values) => scheduleRows(schedule, group, held, knobs.of(values)),
  };
}

/**
 * Stages that a row needs in several stages and that are dear: they call a function, divide, or read memory that no held stage
 * has read.
 */
function heldOf({ root, sums, kept }: Group): readonly ComputeOp[] {
  const readersOf = ({ output }: ComputeOp) =>
    [...sums, ...kept, root].filter(({ body }) => accessesOf(body).some(({ buffer }) => buffer === output)).length;
  const held: ComputeOp[] = [];
  const isFree = ({ body }: ComputeOp): boolean =>
    accessesOf(body).every(({ buffer }) => {
      const op = [...kept, ...sums].find(({ output }) => output === buffer);
      return op
        ? held.includes(op) || sums.includes(op) || isFree(op)
        : buffer.shape.reduce((a, b) => a * b, 1) < sizeOf(root.axes);
    });
  for (const op of kept) if (readersOf(op) > 1 && (hasKind(op.body, ["Call", "Div"]) || !isFree(op))) held.push(op);
  return held;
}

interface Choice {
  readonly row_threads: number;
  readonly rows: number;
  readonly vector: number;
  readonly hold: string;
}

function scheduleRows(schedule: Schedule, group: Group, held: readonly ComputeOp[], choice: Choice): void {
  const { root, sums, kept, inside } = group;
  const { row_threads, rows, vector, hold } = choice;
  const stored = hold === "again" ? [] : held;
  for (const op of [...inside, ...kept]) if (!stored.includes(op)) schedule.computeInline(schedule.stage(op.output.name));
  const stages = stored.map(({ output }) => schedule.stage(output.name));
  const isOfThreads = hold === "registers";
  for (const stage of stages) {
    schedule.setScope(stage, isOfThreads ? "local" : "shared");
    if (isOfThreads) schedule.transformLayout(stage, byThreads(row_threads, vector));
  }
  const out = schedule.stage(root.output.name);
  const loops = rowLoops(schedule, group);
  const [block, row] = schedule.split(loops.rows, [null, rows]);
  schedule.bind(block, "blockIdx.x");
  schedule.bind(row, "threadIdx.y");
  const { turn, thread } = shareOut(schedule, loops.columns, row_threads, vector);
  if (isOfThreads) {
    schedule.reorder([thread, turn]);
    schedule.unroll(turn);
  }
  for (const stage of stages) {
    schedule.computeAt(stage, out, isOfThreads ? thread : row);
    const own = schedule.axes(stage);
    if (isOfThreads) {
      if (vector > 1) schedule.vectorize(own.at(-1) as LoopRef);
      schedule.unroll(own.at(-3) as LoopRef);
      continue;
    }
    // Each row of threads fills its own row, not that of the others too.
    if (rows > 1) schedule.bind(own[0] as LoopRef, "threadIdx.y");
    shareOut(schedule, own[1] as LoopRef, row_threads, vector);
  }
  for (const op of sums) sumByThreads(schedule, schedule.stage(op.output.name), out, isOfThreads ? thread : row, choice);
}

function sumByThreads(
  schedule: Schedule,
  stage: StageRef,
  out: StageRef,
  at: LoopRef,
  { row_threads, vector, hold }: Choice,
): void {
  schedule.setScope(stage, "local");
  schedule.computeAt(stage, out, at);
  const terms = fused(schedule, schedule.reduceAxes(stage));
  if (hold !== "registers") {
    schedule.bind(schedule.split(terms, [null, row_threads])[1], "threadIdx.x");
    return;
  }
  const [turn, lane, element] = schedule.split(terms, [null, row_threads, vector]);
  schedule.bind(lane, "threadIdx.x");
  schedule.unroll(turn);
  if (vector > 1) schedule.unroll(element);
}

function shareOut(schedule: Schedule, loop: LoopRef, threads: number, lanes: number) {
  const [turn, thread, element] = schedule.split(loop, [null, threads, lanes]);
  schedule.bind(thread, "threadIdx.x");
  if (lanes > 1) schedule.vectorize(element);
  return { turn, thread };
}

/** (row, column): (row, turn, thread, element), so that a thread's elements are its own in every stage. */
const byThreads = (threads: number, lanes: number) =>
  indexMap(["r", "k"], (r, k) => [r, floorDiv(k, threads * lanes), floorMod(floorDiv(k, lanes), threads), floorMod(k, lanes)]);
