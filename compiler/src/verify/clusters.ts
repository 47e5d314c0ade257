/**
 * Rules of clusters (ir/bulk.ts): blocks that run together and bring each other's boxes. All blocks of a cluster do the same
 * (channelRules: no turn depends on a block), so that what holds of one block's turns holds of all. What is left: a cluster is as
 * large as the launch says and the chip takes, a box goes to all of it, and it goes by a channel that all of it shares, whose
 * slots are empty when all have released them.
 */
import { bulkLevel } from "../ir/bulk.ts";
import type { Kernel } from "../ir/prim-func.ts";
import { type Channel, clusterTag, type For, type Stmt } from "../ir/stmt.ts";
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

export function rankOf(body: Stmt): For | undefined {
  let s = body;
  while (s.kind === "For" && s.forKind === "bound") {
    if (s.thread === clusterTag) return s;
    s = s.body;
  }
  return undefined;
}

export function clusterRules(kernel: Kernel, level: number): readonly Rule[] {
  const { body } = kernel.func;
  const { cluster = 1, grid } = kernel;
  const shares = channelsOfShares(body);
  const rank = rankOf(body);
  if (rank === undefined && cluster === 1 && shares.size === 0 && !holdsShared(body)) return [];
  const name = rank ? `loop ${rank.loopVar.name} bound to ${clusterTag}` : `a kernel without a loop bound to ${clusterTag}`;
  return [
    rule("device.cluster", "For", (s) => {
      if (s !== rank) return undefined;
      if (s.extent > 1 && level < bulkLevel) return `${name}: sm_${level} has no clusters; sm_${bulkLevel} has`;
      if (s.extent > mostInCluster) return `${name} has ${s.extent} iterations; a cluster has at most ${mostInCluster} blocks`;
      return s.extent === cluster && grid[0] % cluster === 0
        ? undefined
        : `${name} has ${s.extent} iterations, but ${grid[0]} blocks are launched in clusters of ${cluster}`;
    }),
    rule("device.cluster", "AllocChannel", ({ channel }) =>
      channel.cluster === undefined || channel.cluster === cluster
        ? undefined
        : `channel ${channel.name} is of ${channel.cluster} blocks; ${name} has clusters of ${cluster}`,
    ),
    rule("device.cluster", "BulkCopy", (s) => {
      const blocks = s.multicast;
      if (blocks === undefined) return undefined;
      const box = `a box of ${s.tensor.buffer.name} for ${blocks} blocks`;
      if (blocks !== cluster) return `${box}: ${name} has clusters of ${cluster}, and each of their blocks waits for it`;
      const channel = shares.get(s);
      if (channel?.cluster !== blocks)
        return `${box} comes by channel ${channel?.name}, which one block has for itself: it would be filled while others read it`;
      return rank !== undefined && s.indices.some((e) => usesVar(e, rank.loopVar))
        ? undefined
        : `${box} begins at the same place for each of them: they would bring one share ${blocks} times`;
    }),
  ];
}

const holdsShared = (body: Stmt): boolean => someStmt(body, (s) => s.kind === "AllocChannel" && s.channel.cluster !== undefined);
