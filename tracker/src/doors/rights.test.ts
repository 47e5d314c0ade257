import { randomBytes } from "node:crypto";
import { toWorkerId } from "@warpfarm/common";
import type { FarmSnapshot, NodeView, Principal, Role } from "@warpfarm/proto";
import { expect, it } from "vitest";
import { viewOf } from "./rights.ts";
import { Secrets } from "./secrets.ts";

const node: NodeView = {
  workerId: toWorkerId("w-1"),
  node: "n",
  role: "runner",
  state: "SUSPECT",
  devices: [],
  slots: 0,
  targets: [],
  labels: {},
  lastSeenMs: 0,
  leases: 0,
  toolchains: [],
};
const detail = 'the kernel wrote outside of buffer "alices_weights"; the last: x; the disk is full';

it("tells what is wrong with a node to everybody, and the words of a job to admins alone", () => {
  const reasons = [{ what: "quarantined: 5 faults in a row", detail }, { what: "the disk is full" }, undefined];
  const nodes = reasons.map((reason) => ({ ...node, ...(reason && { reason }) }));
  const snapshot: FarmSnapshot = { nodes, queues: [], sessions: [] };
  const seenBy = (role: Role) =>
    viewOf(snapshot, { name: "bob", role }, new Secrets(Buffer.alloc(32), randomBytes)).nodes.map((n) => n.reason);
  expect(seenBy("admin")).toEqual(reasons);
  expect(seenBy("client")).toEqual([{ what: "quarantined: 5 faults in a row" }, { what: "the disk is full" }, undefined]);
});

it("shows a principal its own sessions, and names in place of what workers prove themselves with; all to admins and where nobody is asked", () => {
  const sessions = ["bob", "ada", "bob"].map((principal, i) => ({ principal, sessionId: `s-${i}` }));
  const snapshot = { nodes: [node, { ...node, workerId: toWorkerId("w-2") }], queues: [], sessions } as unknown as FarmSnapshot;
  const secrets = new Secrets(Buffer.alloc(32), randomBytes);
  const seenBy = (name: string, role: Principal["role"]) => viewOf(snapshot, { name, role }, secrets);
  for (const role of ["admin", "all"] as const) expect(seenBy("bob", role)).toBe(snapshot);
  for (const role of ["client", "builder", "runner"] as const) {
    const { nodes, sessions: own } = seenBy("bob", role);
    expect(own.map(({ sessionId }) => sessionId)).toEqual(["s-0", "s-2"]);
    expect(nodes.map(({ workerId }) => workerId)).toEqual(["w-1", "w-2"].map((id) => secrets.nameOf(toWorkerId(id))));
    expect(seenBy("eve", role).sessions).toEqual([]);
  }
});
