/**
 * Rules of clusters (ir/bulk.ts): blocks that run together and bring each other's boxes. All blocks of a cluster do the same
 * (channelRules: no turn depends on a block), so that what holds of one block's turns holds of all. What is left: a cluster is as
 * large as the launch says and the chip takes, a box goes to all of it, and it goes by a channel that all of it shares, whose
 * slots are empty when all have released them. A box that goes along one axis of the cluster differs between the blocks of this
 * axis.
 */
import { bulkLevel, clusterOf } from "../ir/bulk.ts";
import type { Kernel } from "../ir/prim-func.ts";
import { type Channel, type For, isClusterTag, type Stmt } from "../ir/stmt.ts";
import { eachPart, someStmt, usesVar } from "../ir/visit.ts";
import { type Rule, rule } from "./rule.ts";

/** The most blocks that fit on every chip. */
const mostInCluster = 8;

function channelsOfShares(body: Stmt): ReadonlyMap<Stmt, Channel | undefined> {
  const found = new Map<Stmt, Channel | undefined>();
  const run = (s: Stmt, within: Channel | undefined): void => {
    if (s.kind === "BulkCopy" && s.multicast !== undefined) found.set(s, within);
    eachPart(
      s,
      (part) => run(part, s.kind === "Fill" ? s.channel : within),
      () => {},
    );
  };
  run(body, undefined);
  return found;
}

/** The loops over the blocks of a cluster. */
export function ranksOf(body: Stmt): readonly For[] {
  const found: For[] = [];
  for (let s = body; s.kind === "For" && s.forKind === "bound"; s = s.body) if (isClusterTag(s.thread)) found.push(s);
  return found;
}

export function clusterRules(kernel: Kernel, level: number): readonly Rule[] {
  const { body } = kernel.func;
  const { cluster = 1, grid } = kernel;
  const shares = channelsOfShares(body);
  const ranks = ranksOf(body);
  const { x, y } = clusterOf(ranks);
  if (ranks.length === 0 && cluster === 1 && shares.size === 0 && !holdsShared(body)) return [];
  const named = ranks.map(({ loopVar, thread }) => `loop ${loopVar.name} bound to ${thread}`).join(" and ");
  const name = named === "" ? "a kernel without a loop bound to clusterIdx" : named;
  return [
    rule("device.cluster", "For", (s) => {
      if (s !== ranks[0]) return undefined;
      if (x * y > 1 && level < bulkLevel) return `${name}: sm_${level} has no clusters; sm_${bulkLevel} has`;
      if (x * y > mostInCluster) return `${name} has ${x * y} iterations; a cluster has at most ${mostInCluster} blocks`;
      return x * y === cluster && grid[0] % cluster === 0
        ? undefined
        : `${name} has ${x * y} iterations, but ${grid[0]} blocks are launched in clusters of ${cluster}`;
    }),
    rule("device.cluster", "AllocChannel", ({ channel }) =>
      channel.cluster === undefined || ([1, x].includes(channel.cluster.x) && [1, y].includes(channel.cluster.y))
        ? undefined
        : `channel ${channel.name} is of ${channel.cluster.x} by ${channel.cluster.y} blocks; ${name} has clusters of ${x} by ${y}`,
    ),
    rule("device.cluster", "BulkCopy", (s) => {
      if (s.multicast === undefined) return undefined;
      const { along, blocks } = s.multicast;
      const rank = ranks.find(({ thread }) => thread === along);
      const box = `a box of ${s.tensor.buffer.name} for ${blocks} blocks along ${along}`;
      if (blocks !== rank?.extent)
        return `${box}: ${name} has clusters of ${rank?.extent ?? 1} along it, and each of their blocks waits for it`;
      const channel = shares.get(s);
      if (channel?.cluster?.[along === "clusterIdx.x" ? "x" : "y"] !== blocks)
        return `${box} comes by channel ${channel?.name}, which one block has for itself: it would be filled while others read it`;
      return s.indices.some((e) => usesVar(e, rank.loopVar))
        ? undefined
        : `${box} begins at the same place for each of them: they would bring one share ${blocks} times`;
    }),
  ];
}

const holdsShared = (body: Stmt): boolean => someStmt(body, (s) => s.kind === "AllocChannel" && s.channel.cluster !== undefined);
