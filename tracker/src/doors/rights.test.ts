import { randomBytes } from "node:crypto";
import { toWorkerId } from "@warpfarm/common";
import type { FarmSnapshot, NodeView, Role } from "@warpfarm/proto";
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
