/** Blocks of a cluster in text, by the places of the block that names them: `ranks` are the loops over the cluster. */
import * as b from "../../ir/build.ts";
import { clusterOf, receiversOf } from "../../ir/bulk.ts";
import type { Expr } from "../../ir/expr.ts";
import type { ClusterShape, ClusterTag, For, Multicast } from "../../ir/stmt.ts";
import { level } from "../c-family/operators.ts";
import type { CPrinter } from "../c-family/printer.ts";

const placeAt = (ranks: readonly For[], tag: ClusterTag): Expr =>
  ranks.find(({ thread, extent }) => thread === tag && extent > 1)?.loopVar ?? b.int(0);

/** A bit for each block that a box goes to. */
export function receiversText(p: CPrinter, ranks: readonly For[], multicast: Multicast): string {
  const { x } = clusterOf(ranks);
  const bits = receiversOf(multicast, 0, x).reduce((sum, block) => sum + 2 ** block, 0);
  const first =
    multicast.along === "clusterIdx.x" ? b.mul(placeAt(ranks, "clusterIdx.y"), b.int(x)) : placeAt(ranks, "clusterIdx.x");
  const text = `0x${bits.toString(16)}`;
  return b.isInt(first, 0) ? text : `${text} << ${p.expr(first, level.sum + 1)}`;
}

/** The i-th block that a channel reaches, in the order of reachedFrom. */
export function reached(ranks: readonly For[], channel: ClusterShape, i: Expr): Expr {
  const { x, y } = clusterOf(ranks);
  if (y === 1) return i;
  const [column, row] = [placeAt(ranks, "clusterIdx.x"), placeAt(ranks, "clusterIdx.y")];
  const own = b.add(b.mul(row, b.int(x)), i);
  // Of the column, without the block itself where its row has been reached.
  const place = b.sub(i, b.int(channel.x - 1));
  const other = channel.x > 1 ? b.select(b.le(place, row), b.sub(place, b.int(1)), place) : i;
  const across = b.add(b.mul(other, b.int(x)), column);
  return channel.y === 1 ? own : channel.x > 1 ? b.select(b.lt(i, b.int(x)), own, across) : across;
}
