/**
 * Softmax, norms and the like on a GPU: `row_threads` threads share a row, and their reductions are combined by shuffles. What a
 * row needs more than once is
 *
 *   hold again       computed again
 *   hold shared      kept in shared memory, a row for each row of threads
 *   hold registers   kept by the thread that uses it: element (turn, thread, e) of a row is the thread's own in every stage, so
 *                    memory is read once
 *   hold operands    kept likewise, but as memory has it, in fewer bytes, and the rest is computed again. Then more blocks of
 *                    long rows run together: some wait for memory while others compute.
 *
 * Of long rows a cluster of `row_blocks` blocks may hold one together, from sm_90 on: threads of one block have too few
 * registers.
 */
import { dtypeBytes, type Json, parseTarget } from "@warpfarm/common";
import {
  type Axis,
  accessesOf,
  type ChoiceKnob,
  type ComputeOp,
  choiceKnob,
  floorDiv,
  floorMod,
  indexMap,
  type LoopRef,
  type Schedule,
  type StageRef,
} from "@warpfarm/compiler/language";
import type { Group } from "../groups.ts";
import { allowed, fused, knobsOf, type Part, rowLoops, type Values } from "../part.ts";
import { hasKind, rowEnd, sizeOf } from "../stages.ts";
import { bestOf } from "../start.ts";

const usualThreads = 128;
/** Bytes of the rows of a block in shared memory. */
const mostShared = 48 << 10;
const vectorBytes = 16;
/** Elements of each held stage in a thread, and its bytes in a block: every second of its registers. */
const mostHeld = 64;
const mostHeldByBlock = 131_072;
/** Registers of a multiprocessor, and those of a thread beside what it holds. */
const allRegisters = 65_536;
const otherRegisters = 30;
/** Rows of as many elements are long: blocks may share them, or hold them as operands. */
const leastLong = 16_384;
const leastForClusters = 90;

export function rowsPart(group: Group, target: string): Part {
  const { root, sums } = group;
  const [sum] = sums as readonly [ComputeOp, ...ComputeOp[]];
  const columns = sizeOf(sum.reduce);
  const rows = sizeOf(sum.axes);
  const held = heldOf(group);
  const operands = columns >= leastLong ? operandsOf(group, held) : [];
  const rowBytes = held.reduce((bytes, { output }) => bytes + dtypeBytes(output.dtype, columns), 0);
  const last = root.axes.findLast(({ extent }) => extent > 1) as Axis;
  // Threads beyond the end of such a row would be in the next one.
  const end = rowEnd(root.axes, columns);
  const isInside = end !== undefined && end.inside < (root.axes[end.position] as Axis).extent;
  const isForBlocks = columns >= leastLong && held.length > 0 && parseTarget(target).level >= leastForClusters;
  const knobs = knobsOf(
    root.output.name,
    {
      row_blocks: isForBlocks ? [1, 2, 4, 8] : [1],
      row_threads: isInside
        ? allowed([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024], (threads) => columns % threads === 0)
        : allowed([32, 64, 128, 256, 512, 1024], (threads) => threads === 32 || threads <= columns),
      rows: allowed([1, 2, 4, 8], (n) => n <= rows),
      vector: allowed(
        [1, 2, 4, 8],
        (lanes) => Math.min(last.extent, columns) % lanes === 0 && dtypeBytes(root.output.dtype, lanes) <= vectorBytes,
      ),
      hold: allowed(["again", "shared", "registers", "operands"], (hold) =>
        hold === "operands" ? operands.length > 0 : hold === "again" || held.length > 0,
      ),
    },
    { row_blocks: 1 },
  );
  const { names } = knobs;
  const part = {
    rule: "rows",
    knobs: knobs.knobs,
    constraints: [
      ...(isInside ? [`${columns} % (${names.row_blocks} * ${names.row_threads} * ${names.vector}) == 0`] : []),
      `${names.row_threads} * ${names.rows} <= 1024`,
      `${names.row_blocks} * ${names.row_threads} * ${names.vector} <= ${Math.max(32, columns)}`,
      `${names.hold} == "registers" or ${names.hold} == "operands" or ${names.row_blocks} == 1`,
      ...Object.entries({ registers: held, operands }).flatMap(([hold, stages]) => [
        `${names.hold} != "${hold}" or ${columns} <= ${mostHeld} * ${names.row_threads} * ${names.row_blocks}`,
        `${names.hold} != "${hold}" or ${widestOf(stages) * columns} * ${names.rows} <= ${mostHeldByBlock} * ${names.row_blocks}`,
      ]),
      `${names.hold} != "shared" or ${rowBytes} * ${names.rows} <= ${mostShared}`,
    ],
    score(values: Values) {
      const { row_blocks, row_threads, rows: each, vector, hold } = knobs.of(values);
      const turns = columns / (row_blocks * row_threads * vector);
      const words = ((hold === "operands" ? widestOf(operands) : 4) * columns) / (4 * row_blocks * row_threads);
      const isAlone = isOfThreads(hold) && 2 * row_threads * each * (words + otherRegisters) > allRegisters;
      return (
        -Math.abs(Math.log2((row_threads * each) / usualThreads)) -
        0.5 * Math.abs(Math.log2(turns / 2)) -
        1.2 * Math.log2(row_blocks) +
        (hold === "operands" ? 6 : hold === "registers" ? 5 : 0) -
        // While a block waits for memory no other computes.
        (isAlone ? 1.5 : 0)
      );
    },
  };
  return {
    ...part,
    // One change of a knob leads from few of these to a better one: blocks and threads, for example, share the elements.
    start: () => startByHold(part, names.hold, names.vector),
    apply: (schedule, values) => {
      const choice = knobs.of(values);
      const stored = choice.hold === "operands" ? operands : choice.hold === "again" ? [] : held;
      scheduleRows(schedule, group, stored, choice);
    },
  };
}

/** The best of those that hold rows one way, each by the widest vectors that are valid with it. */
function startByHold(part: Omit<Part, "apply">, hold: string, vector: string): Values | undefined {
  const valuesOf = (name: string) => part.knobs.find((knob) => knob.name === name)?.values ?? [];
  const withOne = (name: string, value: Json) => (knob: ChoiceKnob) => (knob.name === name ? choiceKnob(name, [value]) : knob);
  let best: Values | undefined;
  for (const way of valuesOf(hold)) {
    for (const lanes of valuesOf(vector).toReversed()) {
      const knobs = part.knobs.map(withOne(hold, way)).map(withOne(vector, lanes));
      const found = bestOf({ ...part, knobs });
      if (!found) continue;
      if (!best || part.score(found) > part.score(best)) best = found;
      break;
    }
  }
  return best;
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

/** Bytes of the widest element. */
const widestOf = (stages: readonly ComputeOp[]): number => Math.max(0, ...stages.map(({ output }) => dtypeBytes(output.dtype)));

/** Operands as memory has them, where that is less than what is held else. */
function operandsOf({ kept }: Group, held: readonly ComputeOp[]): readonly ComputeOp[] {
  const isOperand = ({ body }: ComputeOp) => body.kind === "Load" && !kept.some(({ output }) => output === body.buffer);
  const operands = kept.filter(isOperand);
  return widestOf(operands) < widestOf(held) ? operands : [];
}

const isOfThreads = (hold: string): boolean => hold === "registers" || hold === "operands";

interface Choice {
  readonly row_blocks: number;
  readonly row_threads: number;
  readonly rows: number;
  readonly vector: number;
  readonly hold: string;
}

function scheduleRows(schedule: Schedule, group: Group, stored: readonly ComputeOp[], choice: Choice): void {
  const { root, sums, kept, inside } = group;
  const { row_blocks, row_threads, rows, vector, hold } = choice;
  for (const op of [...inside, ...kept]) if (!stored.includes(op)) schedule.computeInline(schedule.stage(op.output.name));
  const stages = stored.map(({ output }) => schedule.stage(output.name));
  const isOwn = isOfThreads(hold);
  for (const stage of stages) {
    schedule.setScope(stage, isOwn ? "local" : "shared");
    if (isOwn) schedule.transformLayout(stage, byThreads(row_blocks, row_threads, vector));
  }
  const out = schedule.stage(root.output.name);
  const loops = rowLoops(schedule, group);
  const [block, row] = schedule.split(loops.rows, [null, rows]);
  schedule.bind(block, "blockIdx.x");
  schedule.bind(row, "threadIdx.y");
  const { turn, part, thread } = shareOut(schedule, loops.columns, choice);
  if (isOwn) {
    schedule.reorder([...(part ? [part] : []), thread, turn]);
    schedule.unroll(turn);
  }
  for (const stage of stages) {
    schedule.computeAt(stage, out, isOwn ? thread : row);
    const own = schedule.axes(stage);
    if (isOwn) {
      if (vector > 1) schedule.vectorize(own.at(-1) as LoopRef);
      schedule.unroll(own[1] as LoopRef);
      continue;
    }
    // Each row of threads fills its own row, not that of the others too.
    if (rows > 1) schedule.bind(own[0] as LoopRef, "threadIdx.y");
    shareOut(schedule, own[1] as LoopRef, choice);
  }
  for (const op of sums) sumByThreads(schedule, schedule.stage(op.output.name), out, isOwn ? thread : row, choice);
}

function sumByThreads(
  schedule: Schedule,
  stage: StageRef,
  out: StageRef,
  at: LoopRef,
  { row_blocks, row_threads, vector, hold }: Choice,
): void {
  schedule.setScope(stage, "local");
  schedule.computeAt(stage, out, at);
  const terms = fused(schedule, schedule.reduceAxes(stage));
  if (!isOfThreads(hold)) {
    schedule.bind(schedule.split(terms, [null, row_threads])[1], "threadIdx.x");
    return;
  }
  const { turn, element } = shares(schedule, terms, row_blocks, row_threads, vector);
  schedule.unroll(turn);
  if (vector > 1) schedule.unroll(element);
}

/** A row's loop as turns of all threads that share it, bound to their blocks and to them, and the elements of a turn. */
function shares(schedule: Schedule, loop: LoopRef, blocks: number, threads: number, lanes: number) {
  const factors = [null, ...(blocks > 1 ? [blocks] : []), threads, lanes];
  const loops = schedule.split(loop, factors);
  const [turn, part] = loops as [LoopRef, LoopRef];
  const [thread, element] = loops.slice(-2) as [LoopRef, LoopRef];
  if (blocks > 1) schedule.bind(part, "clusterIdx.x");
  schedule.bind(thread, "threadIdx.x");
  return { turn, part: blocks > 1 ? part : undefined, thread, element };
}

function shareOut(schedule: Schedule, loop: LoopRef, { row_blocks, row_threads, vector }: Choice) {
  const made = shares(schedule, loop, row_blocks, row_threads, vector);
  if (vector > 1) schedule.vectorize(made.element);
  return made;
}

/** (row, column): (row, turn, block, thread, element), so that a thread's elements are its own in every stage. */
const byThreads = (blocks: number, threads: number, lanes: number) =>
  indexMap(["r", "k"], (r, k) => [
    ...[r, floorDiv(k, blocks * threads * lanes)],
    ...(blocks > 1 ? [floorMod(floorDiv(k, threads * lanes), blocks)] : []),
    ...[floorMod(floorDiv(k, lanes), threads), floorMod(k, lanes)],
  ]);
