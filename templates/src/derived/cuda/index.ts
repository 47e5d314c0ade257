/** The parts of a computation's schedule on a GPU. */
import { parseTarget } from "@warpfarm/common";
import type { ComputeOp, Graph } from "@warpfarm/compiler/language";
import { directPart } from "../direct.ts";
import { divide, type Group } from "../groups.ts";
import type { Nest, Planned } from "../planned.ts";
import { canonical, type Product } from "./canonical.ts";
import { type Factors, factorsOf } from "./factors.ts";
import { mapPart } from "./map.ts";
import { mmaPart } from "./mma.ts";
import { rowsPart } from "./rows.ts";
import { simtPart } from "./simt.ts";
import { sumsPart } from "./sums.ts";

/** From this capability on tensor cores multiply tiles by mma.sync. */
const leastForMma = 80;

/** The group's stages in the graph whose products are written as matrices. */
function groupIn(graph: Graph, { kind, root, sums, kept, inside }: Group): Group {
  const now = (op: ComputeOp): ComputeOp => graph.ops.find(({ output }) => output.name === op.output.name) as ComputeOp;
  return { kind, root: now(root), sums: sums.map(now), kept: kept.map(now), inside: inside.map(now) };
}

function nestOf(group: Group, product: Product | undefined, why: string | undefined, target: string): Nest {
  const direct = directPart(group, target);
  const nest = (part: Nest["part"]): Nest => ({ group, part, direct, ...(why === undefined ? {} : { why }) });
  switch (group.kind) {
    case "map":
      return nest(mapPart(group));
    case "rows":
      return nest(rowsPart(group));
    default: {
      if (!product) return nest(sumsPart(group));
      const isFit = product.half !== undefined && parseTarget(target).level >= leastForMma;
      return nest(isFit ? mmaPart(group, product, product.half as "float16") : simtPart(group, product, target));
    }
  }
}

export function cudaParts(given: Graph, target: string): Planned {
  const { groups, inlined } = divide(given, () => false);
  const factors = new Map<ComputeOp, Factors>();
  const reasons = new Map<Group, string>();
  for (const group of groups) {
    const [sum] = group.sums;
    if (!sum || group.kind === "rows") continue;
    const found = factorsOf(sum);
    if (typeof found === "string") reasons.set(group, `no product of tiles: ${found}`);
    else factors.set(sum, found);
  }
  const { graph, products } = canonical(given, factors);
  const nests = groups.map((group) => {
    const product = products.get(group.sums[0]?.output.name ?? "");
    const isUnproven = factors.has(group.sums[0] as ComputeOp) && !product;
    const why = isUnproven ? "no product of tiles: it is not proven that views stay within their operands" : reasons.get(group);
    return nestOf(groupIn(graph, group), group.kind === "rows" ? undefined : product, why, target);
  });
  return { graph, nests, inlined: inlined.map(({ output }) => output.name) };
}
