import { toWorkerId } from "@warpfarm/common";
import { type FarmSnapshot, localPrincipal, type Principal } from "@warpfarm/proto";
import type { RecordViewer } from "@warpfarm/records";
import type { Owner } from "../store/sql/sessions.ts";
import type { Secrets } from "./secrets.ts";

export const hasEveryRight = ({ role }: Principal): boolean => role === "admin" || role === "all";

/** The owner whose sessions it may change: itself, or everybody. */
export const ownerOf = (principal: Principal): Owner => (hasEveryRight(principal) ? undefined : principal.name);

/** The viewer as whom it reads records. */
export const viewerOf = (principal: Principal): RecordViewer | undefined =>
  principal.name === localPrincipal.name ? undefined : { name: principal.name, seesAll: hasEveryRight(principal) };

/** The farm as a principal may see it. */
export function viewOf(snapshot: FarmSnapshot, principal: Principal, secrets: Secrets): FarmSnapshot {
  if (hasEveryRight(principal)) return snapshot;
  return {
    nodes: snapshot.nodes.map(({ reason, ...node }) => ({
      ...node,
      workerId: toWorkerId(secrets.nameOf(node.workerId)),
      ...(reason === undefined ? {} : { reason: { what: reason.what } }),
    })),
    queues: snapshot.queues,
    sessions: snapshot.sessions.filter((s) => s.principal === principal.name),
  };
}
