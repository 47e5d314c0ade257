/** What the farm says of a node that gets no work: what everybody may know, and the fault's words while they are the reason. */
import { expect, it } from "vitest";
import { freshStore } from "../../../test-support/farm/scripted.ts";
import { readSnapshot } from "./snapshot.ts";

const facts = JSON.stringify({
  kind: "builder",
  slots: 1,
  targets: ["cpu/x86-64-v1"],
  toolchains: ["cc 1"],
  programVersions: [1],
});

it("tells trouble, quarantine and doubt, each with the last fault only where that is the reason", async () => {
  const store = await freshStore();
  for (const [node, trouble, quarantine, suspect] of [
    ["doubted", "", "", "now() + interval '1 hour'"],
    ["quarantined", "", "5 faults in a row", "null"],
    ["troubled", "the disk is full", "", "null"],
    ["trusted again", "", "", "now() - interval '1 second'"],
  ] as const)
    await store.query(
      `insert into workers (worker_id, instance_id, epoch, role, node, facts, labels, trouble, quarantine, suspect_until, last_fault)
       values ($1, $1, 1, 'builder', $1, $2::jsonb, '{}', $3, $4, ${suspect}, 'the words of a job')`,
      [node, facts, trouble, quarantine],
    );
  const { nodes } = await readSnapshot(store, 1_000);
  expect(nodes.map(({ node, state, reason }) => [node, state, reason])).toEqual([
    ["doubted", "SUSPECT", { what: "its last fault put the node itself in doubt", detail: "the words of a job" }],
    ["quarantined", "SUSPECT", { what: "quarantined: 5 faults in a row", detail: "the words of a job" }],
    ["troubled", "SUSPECT", { what: "the disk is full" }],
    ["trusted again", "ACTIVE", undefined],
  ]);
});
