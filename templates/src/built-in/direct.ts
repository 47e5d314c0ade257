/**
 * The schedule of the *_direct templates, for operators, types and layouts that no other template takes. A thread computes one
 * element after the other, straight from global memory. Any shape: the last block has guards.
 *
 *   out[all]: block, item, thread     items of a thread lie `threads` apart, so that lanes read and write neighbours (CUDA)
 *   out[all]: task, item              items of a task are neighbours (CPU)
 *
 * The sum of an element stays in a register; stages before it are inlined.
 */
import { parseTarget } from "@warpfarm/common";
import type { Schedule, SpaceBuilder } from "@warpfarm/compiler/language";
import { exactly } from "../exactly.ts";

const isCpu = (target: string): boolean => parseTarget(target).kind === "cpu";

export const directKnobs = (space: SpaceBuilder, target: string) => ({
  threads: space.choice("threads", isCpu(target) ? [1] : [32, 64, 128, 256, 512]),
  items: space.choice("items", isCpu(target) ? [1, 8, 64, 512, 4096] : [1, 2, 4, 8]),
  unroll: space.choice("unroll", [0, 16, 64]),
});

interface DirectKnobs {
  readonly threads: number;
  readonly items: number;
  readonly unroll: number;
}

export function scheduleDirect(sch: Schedule, { threads, items, unroll }: DirectKnobs, target: string): void {
  const [output] = exactly(1, sch.graph.outputs);
  const out = sch.stage(output.name);
  const summed = sch.graph.ops.find(({ reduce }) => reduce.length > 0)?.output.name;
  for (const { output: between } of sch.graph.ops)
    if (between !== output && between.name !== summed) sch.computeInline(sch.stage(between.name));
  let sums = summed === undefined ? undefined : sch.stage(summed);
  if (sums === out) sums = sch.cacheWrite(out, "local");
  else if (sums !== undefined) sch.setScope(sums, "local");

  const axes = sch.axes(out);
  const all = axes.length > 1 ? sch.fuse(axes) : exactly(1, axes)[0];
  const [outer, item, thread] = exactly(3, sch.split(all, [null, items, threads]));
  if (isCpu(target)) sch.parallel(outer);
  else {
    sch.bind(outer, "blockIdx.x");
    sch.bind(item, "vthread");
    sch.bind(thread, "threadIdx.x");
  }
  if (sums === undefined) return;
  sch.computeAt(sums, out, thread);
  sch.pragma(exactly(1, sch.reduceAxes(sums).slice(0, 1))[0], "auto_unroll_max_step", unroll);
}
