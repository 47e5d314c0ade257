/**
 * Softmax, norms and the like on a GPU: `row_threads` threads share a row, and their reductions are combined by shuffles. What a
 * row needs more than once is
 *
 *   hold again       computed again
 *   hold shared      kept in shared memory, a row for each row of threads
 *   hold registers   kept by the thread that uses it: element (turn, thread, e) of a row is the thread's own in every stage, so
 *                    memory is read once
 */
import {
  type Axis,
  accessesOf,
  type Buffer,
  type ComputeOp,
  floorDiv,
  floorMod,
  indexMap,
  type LoopRef,
  type Schedule,
  type StageRef,
  type Var,
} from "@warpfarm/compiler/language";
import type { Group } from "../groups.ts";
import { allowed, fused, knobsOf, type Part } from "../part.ts";
import { hasKind, isAlongRow, sizeOf } from "../stages.ts";

const usualThreads = 256;
/** Bytes of a row, for each kept stage, in shared memory. */
const mostShared = 48 << 10;
/** Elements of each held stage in a thread. */
const mostHeld = 64;

/** Tensors from outside of which several stages read a row. */
function outsideOf({ root, sums, kept }: Group, prefix: number): ReadonlyMap<Buffer, readonly ComputeOp[]> {
  const members = [...sums, ...kept, root];
  const found = new Map<Buffer, ComputeOp[]>();
  const others = new Set<Buffer>();
  for (const op of members)
    for (const load of accessesOf(op.body)) {
      const { buffer } = load;
      if (members.some(({ output }) => output === buffer) || buffer.shape.length !== root.axes.length) continue;
      if (!isAlongRow(op, load, prefix)) others.add(buffer);
      else if (!found.get(buffer)?.includes(op)) found.set(buffer, [...(found.get(buffer) ?? []), op]);
    }
  return new Map([...found].filter(([buffer, ops]) => ops.length > 1 && !others.has(buffer)));
}

export function rowsPart(group: Group): Part {
  const { root, sums, kept } = group;
  const name = root.output.name;
  const prefix = (sums[0] as ComputeOp).axes.length;
  const columns = sizeOf(root.axes.slice(prefix));
  const rows = sizeOf(root.axes.slice(0, prefix));
  const isSingle = root.axes.length === prefix + 1;
  const inLastPrefix = (root.axes[prefix - 1] as Axis).extent;
  const knobs = knobsOf(name, {
    row_threads: allowed([32, 64, 128, 256, 512, 1024], (threads) => threads === 32 || threads <= columns),
    // Rows of a block do not pass the end of an axis, which the kept stages hold.
    rows: allowed([1, 2, 4, 8], (n) => n <= rows && (prefix === 1 || inLastPrefix % n === 0)),
    vector: allowed([1, 2, 4], (lanes) => (root.axes.at(-1) as Axis).extent % lanes === 0),
    hold: allowed(["again", "shared", "registers"], (hold) =>
      hold === "registers" ? isSingle : hold === "again" || (kept.length > 0 && columns * 4 * kept.length <= mostShared),
    ),
  });
  const { names } = knobs;
  return {
    rule: "rows",
    knobs: knobs.knobs,
    constraints: [
      `${names.row_threads} * ${names.rows} <= 1024`,
      `${names.row_threads} * ${names.vector} <= ${Math.max(32, columns)}`,
      `${names.hold} != "registers" or ${columns} <= ${mostHeld} * ${names.row_threads}`,
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
    apply: (schedule, values) => scheduleRows(schedule, group, prefix, knobs.of(values)),
  };
}

interface Choice {
  readonly row_threads: number;
  readonly rows: number;
  readonly vector: number;
  readonly hold: string;
}

function scheduleRows(schedule: Schedule, group: Group, prefix: number, choice: Choice): void {
  const { root, sums, kept, inside } = group;
  const { row_threads, rows, vector, hold } = choice;
  for (const { output } of inside) schedule.computeInline(schedule.stage(output.name));
  const out = schedule.stage(root.output.name);
  const held = hold === "registers" ? heldByThreads(schedule, group, prefix, choice) : [];
  const axes = schedule.axes(out);
  const [block, row] = schedule.split(fused(schedule, axes.slice(0, prefix)), [null, rows]);
  schedule.bind(block, "blockIdx.x");
  schedule.bind(row, "threadIdx.y");
  const { turn, thread } = shareOut(schedule, fused(schedule, axes.slice(prefix)), row_threads, vector);
  if (hold === "registers") {
    schedule.reorder([thread, turn]);
    schedule.unroll(turn);
  }
  for (const op of hold === "registers" ? [] : kept) {
    const stage = schedule.stage(op.output.name);
    if (hold === "again") {
      schedule.computeInline(stage);
      continue;
    }
    schedule.setScope(stage, "shared");
    schedule.computeAt(stage, out, row);
    const own = schedule.axes(stage);
    // Each row of threads fills its own row, not that of the others too.
    if (rows > 1) schedule.bind(fused(schedule, own.slice(0, prefix)), "threadIdx.y");
    shareOut(schedule, fused(schedule, own.slice(prefix)), row_threads, 1);
  }
  for (const stage of held) {
    schedule.computeAt(stage, out, thread);
    const loops = schedule.axes(stage);
    if (vector > 1) schedule.vectorize(loops.at(-1) as LoopRef);
    schedule.unroll(loops.at(-3) as LoopRef);
  }
  for (const op of sums) sumByThreads(schedule, schedule.stage(op.output.name), out, hold === "registers" ? thread : row, choice);
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

/**
 * Copies of outside tensors and the kept stages that are dear, laid out so that a thread's elements are its own in every stage.
 */
function heldByThreads(schedule: Schedule, group: Group, prefix: number, { row_threads, vector }: Choice): readonly StageRef[] {
  const held: StageRef[] = [];
  for (const [buffer, readers] of outsideOf(group, prefix)) {
    const source = schedule.graph.inputs.includes(buffer) ? buffer : schedule.stage(buffer.name);
    held.push(
      schedule.cacheRead(
        source,
        "local",
        readers.map(({ output }) => schedule.stage(output.name)),
      ),
    );
  }
  for (const op of group.kept) {
    const stage = schedule.stage(op.output.name);
    if (hasKind(op.body, ["Call", "Div"])) {
      schedule.setScope(stage, "local");
      held.push(stage);
    } else schedule.computeInline(stage);
  }
  const names = group.root.axes.map((_, d) => `x${d}`);
  const layout = indexMap(names, (...axes: Var[]) => {
    const last = axes.at(-1) as Var;
    return [
      ...axes.slice(0, -1),
      floorDiv(last, row_threads * vector),
      floorMod(floorDiv(last, vector), row_threads),
      floorMod(last, vector),
    ];
  });
  for (const stage of held) schedule.transformLayout(stage, layout);
  return held;
}
