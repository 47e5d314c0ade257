/** `nodes`: what is registered at a tracker, by match key. */
import type { FarmSnapshot, NodeView } from "@warpfarm/proto";
import type { CliContext, RegisterCommand } from "./context.ts";
import { addFarmFlags, channelOf, type FarmFlags, reaching } from "./farm-flags.ts";
import { readSettings } from "./settings.ts";
import { table } from "./table.ts";

const DEFAULT_TRACKER = "127.0.0.1:9290";

/** Runners by the keys of their devices, builders by what they build for; one row a node and key. */
function rows(nodes: readonly NodeView[], now: number): string[][] {
  const seen = (node: NodeView) => `${Math.max(0, Math.round((now - node.lastSeenMs) / 1000))} s ago`;
  const labels = (node: NodeView) =>
    Object.entries(node.labels)
      .map(([name, value]) => `${name}=${value}`)
      .join(",");
  return nodes
    .flatMap((node): string[][] => {
      const tail = [node.state, seen(node), labels(node)];
      if (node.role === "builder")
        return [[node.targets.join(" "), "builder", node.node, `${node.leases}/${node.slots} slots busy`, ...tail]];
      return node.devices.map(({ facts, busy }) => [
        facts.key,
        "runner",
        node.node,
        `${facts.name}${busy ? ", busy" : ", idle"}`,
        ...tail,
      ]);
    })
    .sort(([a = "", b = ""], [c = "", d = ""]) => a.localeCompare(c) || d.localeCompare(b));
}

const toJson = ({ nodes, queues, sessions }: FarmSnapshot) => ({
  nodes: nodes.map((node) => ({
    worker_id: node.workerId,
    node: node.node,
    role: node.role,
    state: node.state,
    keys: node.role === "runner" ? node.devices.map((device) => device.facts.key) : node.targets,
    devices: node.devices.map(({ facts, busy }) => ({ ...facts, busy })),
    slots: node.slots,
    leases: node.leases,
    labels: node.labels,
    last_seen_ms: node.lastSeenMs,
  })),
  queues: queues.map((queue) => ({
    key: queue.key,
    waiting_builds: queue.waitingBuilds,
    waiting_runs: queue.waitingRuns,
    running: queue.running,
  })),
  sessions: sessions.map((s) => ({
    session_id: s.sessionId,
    task: s.task,
    selector: s.selector,
    accepted: s.accepted,
    finished: s.finished,
  })),
});

function print(context: CliContext, snapshot: FarmSnapshot): void {
  const head = ["key", "role", "node", "device or slots", "state", "seen", "labels"];
  const all = rows(snapshot.nodes, context.clock.now());
  context.stdout.write(all.length === 0 ? "no builder and no runner is registered\n" : table(head, all));
  for (const queue of snapshot.queues)
    context.stdout.write(
      `${queue.key}: ${queue.waitingBuilds} to build, ${queue.waitingRuns} to run, ${queue.running} running\n`,
    );
}

export const register: RegisterCommand = (program, context) => {
  const command = program.command("nodes").description("list the builders and runners registered at a tracker, by match key");
  addFarmFlags(command, `default ${DEFAULT_TRACKER}`)
    .option("--json", "one line of JSON on stdout")
    .action(async (flags: FarmFlags & { readonly json?: boolean }) => {
      const channel = channelOf(flags, await readSettings(context), context) ?? { address: DEFAULT_TRACKER };
      const { connect } = await import("@warpfarm/proto");
      await using tracker = connect(channel);
      const snapshot = await reaching(channel.address, tracker.farm.listNodes({ signal: context.signal }));
      if (flags.json) context.stdout.write(`${JSON.stringify(toJson(snapshot))}\n`);
      else print(context, snapshot);
    });
};
