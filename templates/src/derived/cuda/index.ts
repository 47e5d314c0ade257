/** The parts of a computation's schedule on a GPU. */
import { parseTarget } from "@warpfarm/common";
import type { ComputeOp, Graph } from "@warpfarm/compiler/language";
import { directPart, inOrder } from "../direct.ts";
import { eitherPart } from "../either.ts";
import { divide, type Group } from "../groups.ts";
import type { Part } from "../part.ts";
import type { Nest, Planned } from "../planned.ts";
import { groupIn, unprovenRows, withRows } from "../rows-graph.ts";
import { canonical, type Product } from "./canonical.ts";
import { columnsPart } from "./columns.ts";
import { type Factors, factorsOf } from "./factors.ts";
import { mapPart } from "./map.ts";
import { mmaPart } from "./mma.ts";
import { rowsPart } from "./rows.ts";
import { simtPart } from "./simt.ts";
import { sumsPart } from "./sums.ts";
import { unfedBy, wgmmaPart } from "./wgmma.ts";

/** From this capability on tensor cores multiply tiles by mma.sync. */
const leastForMma = 80;
/** Its devices alone have wgmma, in code for `sm_90a`. */
const levelOfWgmma = 90;

function nestOf(group: Group, product: Product | undefined, why: string | undefined, target: string): Nest {
  const direct = directPart(group, target);
  const nest = (part: Nest["part"]): Nest => ({ group, part, direct, ...(why === undefined ? {} : { why }) });
  switch (group.kind) {
    case "map":
      return nest(mapPart(group));
    case "rows":
      return nest(rowsPart(group, target));
    case "serial":
      return inOrder(group, target);
    default: {
      if (!product) return nest(columnsPart(group, target) ?? sumsPart(group));
      return nest(tensorCorePart(group, product, target) ?? simtPart(group, product, target));
    }
  }
}

/** Undefined where the device or the types have none. By wgmma too, where the copy engine brings both operands. */
function tensorCorePart(group: Group, product: Product, target: string): Part | undefined {
  const { level, features } = parseTarget(target);
  if (product.half === undefined || level < leastForMma) return undefined;
  const bySync = mmaPart(group, product, product.half, target);
  if (level !== levelOfWgmma || !features.has("a") || unfedBy(product) !== undefined) return bySync;
  const ways = { mma_sync: bySync, wgmma: wgmmaPart(group, product, target) };
  return eitherPart(`${bySync.rule}, by mma.sync or wgmma`, `${product.name}.cores`, ways);
}

export function cudaParts(given: Graph, target: string): Planned {
  const divided = divide(given, () => false);
  const { graph: matrices, groups, unproven } = withRows(given, divided.groups);
  const factors = new Map<ComputeOp, Factors>();
  const reasons = new Map<Group, string>();
  for (const group of groups) {
    const [sum] = group.sums;
    if (!sum || group.kind === "rows" || group.kind === "serial") continue;
    const found = factorsOf(sum);
    if (typeof found === "string") reasons.set(group, `no product of tiles: ${found}`);
    else factors.set(sum, found);
  }
  const { graph, products } = canonical(matrices, factors);
  const nests = groups.map((group): Nest => {
    if (unproven.includes(group)) return unprovenRows(groupIn(graph, group), target);
    const product = products.get(group.sums[0]?.output.name ?? "");
    const isUnproven = factors.has(group.sums[0] as ComputeOp) && !product;
    const why = isUnproven ? "no product of tiles: it is not proven that views stay within their operands" : reasons.get(group);
    return nestOf(groupIn(graph, group), group.kind === "rows" ? undefined : product, why, target);
  });
  return { graph, nests, inlined: divided.inlined.map(({ output }) => output.name) };
}
