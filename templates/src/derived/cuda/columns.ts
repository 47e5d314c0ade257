/**
 * Reductions of which neighbours in the result read neighbours in memory, and no other dimension's: windows and means with
 * channels last, a row times a matrix. A thread sums a vector of columns. Threads along y take further rows; or, where there
 * are few elements, parts of the terms, which are added out of shared memory.
 *
 *   out[rows of columns, columns]: blocks of tiles; [rows]: threadIdx.y; [lanes]: threadIdx.x; [vector]: vectorized
 *   parts[terms // each]: threadIdx.y
 */
import { dtypeBytes } from "@warpfarm/common";
import { usualMultiprocessors } from "@warpfarm/common/occupancy";
import {
  type Axis,
  accessesOf,
  type ComputeOp,
  type LoopRef,
  moveOf,
  type Schedule,
  type StageRef,
} from "@warpfarm/compiler/language";
import { exactly } from "../../exactly.ts";
import type { Group } from "../groups.ts";
import { accumulator, allowed, fused, knobsOf, type Part } from "../part.ts";
import { sizeOf } from "../stages.ts";

const leastOfPart = 4;
const [warp, mostThreads] = [32, 1024];
/** Bytes that a thread reads at once at most, and those of memory that come together. */
const [vectorBytes, sectorBytes] = [16, 32];
/**
 * Threads and blocks of a multiprocessor that hide each other's loads; cycles of a term, of its lanes, of a part that is added.
 */
const estimate = { threads: 512, blocks: 16, term: 8, lane: 1, part: 4, exchange: 60 };

const columnOf = ({ axes }: ComputeOp): Axis => axes.at(-1) as Axis;

/** Does each operand have the column as its last index, or not at all? */
function readsColumns(sum: ComputeOp): boolean {
  const { loopVar } = columnOf(sum);
  const moves = accessesOf(sum.body).map((load) => [moveOf(load, loopVar).kind, load.indices.at(-1) === loopVar] as const);
  return moves.every(([kind, isLast]) => kind === "none" || isLast) && moves.some(([, isLast]) => isLast);
}

/** Undefined where the group's sum reads no columns. */
export function columnsPart({ root, sums, inside }: Group, target: string): Part | undefined {
  const sum = sums[0] as ComputeOp;
  const columns = columnOf(sum).extent;
  const bytes = Math.max(...accessesOf(sum.body).map(({ buffer }) => dtypeBytes(buffer.dtype, 1)));
  if (columns === 1 || !readsColumns(sum)) return undefined;
  const [terms, elements] = [sizeOf(sum.reduce), sizeOf(root.axes)];
  const knobs = knobsOf(sum.output.name, {
    vector: allowed([1, 2, 4, 8], (vector) => columns % vector === 0 && vector * bytes <= vectorBytes),
    lanes: [2, 4, 8, 16, 32, 64, 128, 256],
    rows: allowed([1, 2, 4, 8, 16], (rows) => rows === 1 || elements / columns >= 2 * rows),
    /** Of the terms, each the sum of a thread. */
    parts: allowed([1, 2, 4, 8, 16, 32, 64, 128], (parts) => parts === 1 || terms >= leastOfPart * parts),
    unroll_most: [16, 0, 64],
  });
  const { names } = knobs;
  return {
    rule: "sums by columns",
    knobs: knobs.knobs,
    constraints: [
      `${names.rows} == 1 or ${names.parts} == 1`,
      `${names.lanes} * ${names.parts} * ${names.rows} <= ${mostThreads}`,
      // Lanes beyond the last column are idle.
      `${names.lanes} * ${names.vector} < ${2 * columns} or ${names.lanes} == 2`,
    ],
    score(values) {
      const { vector, lanes, rows, parts, unroll_most } = knobs.of(values);
      const blocks = Math.ceil(elements / columns / rows) * Math.ceil(columns / (lanes * vector));
      const processors = usualMultiprocessors(target);
      const threads = lanes * parts * rows;
      const together = Math.max(
        1,
        (blocks * Math.max(warp, threads)) / (processors * estimate.threads),
        blocks / processors / estimate.blocks,
      );
      const each = (terms / parts) * (estimate.term + estimate.lane * vector);
      const adding = parts > 1 ? estimate.exchange + estimate.part * parts * vector : 0;
      const narrow = Math.max(0, Math.log2(sectorBytes / (lanes * vector * bytes)));
      return (
        -4 * Math.log2((each + adding) * together) -
        narrow -
        0.2 * Math.abs(Math.log2(threads / 128)) -
        0.02 * Math.abs(unroll_most - 16)
      );
    },
    apply(schedule, values) {
      const { vector, lanes, rows, parts, unroll_most } = knobs.of(values);
      for (const { output } of inside) schedule.computeInline(schedule.stage(output.name));
      const part = parts > 1 ? partOf(schedule, sum, parts) : undefined;
      const own = accumulator(schedule, sum, root);
      const out = schedule.stage(root.output.name);
      const tile = tileOf(schedule, schedule.axes(out), { rows, lanes, vector });
      schedule.bind(tile.block, "blockIdx.x");
      schedule.computeAt(own, out, tile.lane);
      inVectors(schedule, own, part ? 0 : unroll_most);
      if (!part) return;
      schedule.computeAt(part.stage, out, tile.block);
      const [number, ...rest] = schedule.axes(part.stage);
      schedule.bind(number as LoopRef, "threadIdx.y");
      schedule.computeAt(part.sums, part.stage, tileOf(schedule, rest, { rows: 1, lanes, vector }).lane);
      inVectors(schedule, part.sums, unroll_most);
    },
  };
}

/** Sums of parts of the terms, which the sum adds. */
function partOf(schedule: Schedule, sum: ComputeOp, parts: number) {
  const terms = fused(schedule, schedule.reduceAxes(schedule.stage(sum.output.name)));
  const stage = schedule.rfactor(exactly(2, schedule.split(terms, [parts, null]))[0], 0);
  const sums = schedule.cacheWrite(stage, "local");
  return { stage, sums };
}

interface Tile {
  readonly rows: number;
  readonly lanes: number;
  readonly vector: number;
}

function tileOf(schedule: Schedule, axes: readonly LoopRef[], { rows, lanes, vector }: Tile) {
  const [outer, lane, element] = exactly(3, schedule.split(axes.at(-1) as LoopRef, [null, lanes, vector]));
  const others = axes.slice(0, -1);
  const before = others.length > 0 ? [fused(schedule, others)] : [];
  const [blocks, row] = rows > 1 ? exactly(2, schedule.split(exactly(1, before)[0], [null, rows])) : [...before];
  if (row && blocks) {
    schedule.reorder([blocks, outer, row, lane, element]);
    schedule.bind(row, "threadIdx.y");
  }
  schedule.bind(lane, "threadIdx.x");
  if (vector > 1) schedule.vectorize(element);
  return { block: fused(schedule, blocks ? [blocks, outer] : [outer]), lane };
}

function inVectors(schedule: Schedule, stage: StageRef, unrollMost: number): void {
  const [terms, elements] = [schedule.reduceAxes(stage), schedule.axes(stage)];
  schedule.reorder([...terms, ...elements]);
  schedule.vectorize(elements.at(-1) as LoopRef);
  schedule.pragma(terms[0] as LoopRef, "auto_unroll_max_step", unrollMost);
}
