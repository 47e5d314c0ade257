/**
 * Sums of two levels. Tensor cores add up `chunk` steps of the reduction in their fragment, where floats of 8 bits keep about 14
 * bits; then lanes add it to float32 sums of their own, which lie as the fragment does, and the fragment starts anew. Source: the
 * accumulation of "DeepSeek-V3 Technical Report", 2024, section 3.3.2.
 */
import {
  type Expr,
  floorDiv,
  floorMod,
  indexMap,
  type LoopRef,
  type Schedule,
  ScheduleError,
  type StageRef,
} from "@warpfarm/compiler/language";
import { exactly } from "../exactly.ts";

/** Warp, lane (two axes), then what is a lane's own: rows 8 apart, groups of 8 columns, two neighbours (intrinsic wgmma). */
const byLanes = (i: Expr, j: Expr): readonly Expr[] => [
  ...[floorDiv(i, 16), floorMod(i, 8), floorDiv(floorMod(j, 8), 2)],
  ...[floorMod(floorDiv(i, 8), 2), floorDiv(j, 8), floorMod(j, 2)],
];

export const mostColumns = 128;
export const mostConsumers = 2;

/** A lane has a fragment and as many sums of its own, from the start of a tile to the end of its columns. */
export function checkLaneSums(knobs: {
  readonly columns: number;
  readonly consumers: number;
  readonly epilogue: string | number;
  readonly parts: number;
}): void {
  const { columns, consumers, epilogue, parts } = knobs;
  const refuse = (message: string): never => {
    throw new ScheduleError({ rule: "lane_sums", message: `sums of two levels ${message}` });
  };
  if (columns > mostColumns || consumers > mostConsumers)
    refuse(
      `take twice the registers, for up to ${mostColumns} columns and ${mostConsumers} consumers; here are ${columns} and ${consumers}`,
    );
  if (typeof epilogue === "number") refuse(`are not split over blocks as well; epilogue is ${epilogue}`);
  if (epilogue === "tma" && parts > 1) refuse(`are stored in one part; here are ${parts}`);
}

/** Lanes add up at their loop of the result, of a matrix or of each of a batch; returns the loop over chunks. */
export function addByLanes(sch: Schedule, sums: StageRef, out: StageRef, lanes: LoopRef): LoopRef {
  sch.setScope(sums, "local");
  const isBatch = sch.axes(sums).length > 2;
  sch.transformLayout(
    sums,
    isBatch ? indexMap(["z", "i", "j"], (z, i, j) => [z, ...byLanes(i, j)]) : indexMap(["i", "j"], byLanes),
  );
  sch.computeAt(sums, out, lanes);
  const [chunks] = exactly(1, sch.reduceAxes(sums));
  const axes = sch.axes(sums);
  sch.reorder([chunks, ...axes]);
  for (const own of axes.slice(-3)) sch.unroll(own);
  return chunks;
}
