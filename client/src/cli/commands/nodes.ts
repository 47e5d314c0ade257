/** `nodes`: lists the workers of a tracker, by match key. */
import { countWords, spanWords } from "@warpfarm/common";
import type { FarmSnapshot, NodeView } from "@warpfarm/proto";
import type { CliContext, RegisterCommand } from "../context.ts";
import { askTracker, type FarmFlags } from "../farm/farm-flags.ts";
import { connection, takes } from "../flags/shared-flags.ts";
import { hanging, type Paint, screenOf } from "../terminal/screen.ts";
import { reasonWords, table, targetWords } from "../terminal/table.ts";

function rows(nodes: readonly NodeView[], now: number): string[][] {
  const seen = (node: NodeView) => `${Math.max(0, Math.round((now - node.lastSeenMs) / 1000))} s ago`;
  const labels = (node: NodeView) =>
    Object.entries(node.labels)
      .map(([name, value]) => `${name}=${value}`)
      .join(",");
  return nodes
    .flatMap((node): string[][] => {
      const tail = [node.state, seen(node), labels(node), reasonWords(node)];
      if (node.role === "builder")
        return [
          [
            targetWords(node.targets),
            "builder",
            node.node,
            node.state === "LOST" ? countWords(node.slots, "slot") : `${node.leases}/${node.slots} slots busy`,
            ...tail,
          ],
        ];
      return node.devices.map(({ facts, busy }) => [
        facts.key,
        "runner",
        node.node,
        // The state of a silent node is unknown.
        node.state === "LOST" ? facts.name : `${facts.name}${busy ? ", busy" : ", idle"}`,
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
    devices: node.devices.map(({ facts, memoryBytes, busy, limits }) => ({ ...facts, memory_bytes: memoryBytes, busy, limits })),
    slots: node.slots,
    leases: node.leases,
    labels: node.labels,
    last_seen_ms: node.lastSeenMs,
    reason: node.reason ?? null,
  })),
  queues: queues.map((queue) => ({
    key: queue.key,
    waiting_builds: queue.waitingBuilds,
    waiting_runs: queue.waitingRuns,
    running: queue.running,
    oldest_build_ms: queue.oldestBuildMs ?? null,
    oldest_run_ms: queue.oldestRunMs ?? null,
    devices: queue.devices,
    idle_devices: queue.idleDevices,
    unread: queue.unread ?? [],
  })),
  sessions: sessions.map((s) => ({
    session_id: s.sessionId,
    principal: s.principal,
    task: s.task,
    selector: s.selector,
    accepted: s.accepted,
    finished: s.finished,
  })),
});

const paints: Readonly<Record<string, Paint>> = { ACTIVE: "good", LOST: "bad" };

function print(context: CliContext, snapshot: FarmSnapshot): void {
  const head = ["key", "role", "node", "device or slots", "state", "seen", "labels", "why"];
  const all = rows(snapshot.nodes, context.clock.now());
  const { width, paint } = screenOf(context);
  const painted = (column: string, text: string) => (column === "state" ? paint(paints[text] ?? "warning", text) : text);
  const options = { width, fold: 2, paint: painted };
  context.stdout.write(all.length === 0 ? "no builder and no runner is registered\n" : table(head, all, options));
  for (const queue of snapshot.queues) {
    const { key, waitingBuilds, waitingRuns, running, devices, idleDevices, oldestBuildMs, oldestRunMs } = queue;
    const since = (ms: number | undefined) => (ms === undefined ? "" : ` (${spanWords(ms)})`);
    const words =
      `${waitingBuilds} to build${since(oldestBuildMs)}, ${waitingRuns} to run${since(oldestRunMs)}, ${running} running; ` +
      `${idleDevices} of ${devices} devices idle`;
    for (const sentence of [words, ...(queue.unread ?? [])]) context.stdout.write(hanging(`${key}: `, sentence, width, 4));
  }
}

export const register: RegisterCommand = (program, context) => {
  const command = program.command("nodes");
  takes(command, ...connection, "json").action(async (flags: FarmFlags & { readonly json?: boolean }) => {
    const snapshot = await askTracker(flags, context, ({ farm }) => farm.listNodes({ signal: context.signal }));
    if (flags.json) context.stdout.write(`${JSON.stringify(toJson(snapshot))}\n`);
    else print(context, snapshot);
  });
};
