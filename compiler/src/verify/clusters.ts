/**
 * Rules of clusters (ir/bulk.ts): blocks that run together and bring each other's boxes. All blocks of a cluster do the same
 * (channelRules: no turn depends on a block). What is left: a cluster is as large as the launch says and the chip takes. A box
 * goes to all blocks along one axis, each of which brings another part, by a channel that they share. A slot is released to the
 * blocks along each axis of the channel. Along two axes these are others for each block, so each turn has boxes along both: by
 * waiting for them a block knows that the others are not a turn behind.
 */
import { blocksIn, bulkLevel, clusterOf, ranksIn } from "../ir/bulk.ts";
import type { Kernel } from "../ir/prim-func.ts";
import type { Channel, ClusterTag, For, Stmt } from "../ir/stmt.ts";
import { eachPart, someStmt, usesVar, walkStmt } from "../ir/visit.ts";
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

function axesOfBoxes(body: Stmt): ReadonlySet<ClusterTag> {
  const found = new Set<ClusterTag>();
  walkStmt(body, (s) => {
    if (s.kind === "BulkCopy" && s.multicast) found.add(s.multicast.along);
  });
  return found;
}

export function clusterRules(kernel: Kernel, level: number, heads: readonly For[]): readonly Rule[] {
  const { body } = kernel.func;
  const { cluster = 1, grid } = kernel;
  const shares = channelsOfShares(body);
  const ranks = ranksIn(heads);
  const { x, y } = clusterOf(ranks);
  const count = blocksIn({ x, y });
  if (ranks.length === 0 && cluster === 1 && shares.size === 0 && !holdsShared(body)) return [];
  const named = ranks.map(({ loopVar, thread }) => `loop ${loopVar.name} bound to ${thread}`).join(" and ");
  const name = named === "" ? "a kernel without a loop bound to clusterIdx" : named;
  return [
    rule("device.cluster", "For", (s) => {
      if (s !== ranks[0]) return undefined;
      if (count > 1 && level < bulkLevel) return `${name}: sm_${level} has no clusters; sm_${bulkLevel} has`;
      if (count > mostInCluster) return `${name} has ${count} iterations; a cluster has at most ${mostInCluster} blocks`;
      return count === cluster && grid[0] % cluster === 0
        ? undefined
        : `${name} has ${count} iterations, but ${grid[0]} blocks are launched in clusters of ${cluster}`;
    }),
    rule("device.cluster", "AllocChannel", ({ channel: { name: channel, cluster: shared } }) => {
      if (shared === undefined) return undefined;
      return blocksIn(shared) > 1 && [1, x].includes(shared.x) && [1, y].includes(shared.y)
        ? undefined
        : `channel ${channel} is of ${shared.x} by ${shared.y} blocks; ${name} has clusters of ${x} by ${y}`;
    }),
    rule("device.cluster", "Fill", ({ channel: { name: channel, cluster: shared }, body: boxes }) =>
      shared === undefined || shared.x === 1 || shared.y === 1 || axesOfBoxes(boxes).size === 2
        ? undefined
        : `a turn of channel ${channel}, of ${shared.x} by ${shared.y} blocks, has no boxes along both axes: a block that waits for none could be a turn ahead of those that still read`,
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
