/** Fields that the API server refuses to change, between two renderings of one farm. */
import { isDeepStrictEqual } from "node:util";
import type { Manifest } from "../deployment/manifests.ts";

const fields: Readonly<Record<string, readonly string[]>> = {
  Deployment: ["selector"],
  DaemonSet: ["selector"],
  StatefulSet: ["selector", "serviceName", "volumeClaimTemplates", "podManagementPolicy"],
  PersistentVolumeClaim: ["accessModes", "storageClassName", "volumeName"],
  Job: ["selector", "completions"],
};

export function immutableChanges(before: readonly Manifest[], after: readonly Manifest[]): readonly string[] {
  return after.flatMap(({ kind, metadata, spec, ...own }) => {
    const old = before.find((one) => one.kind === kind && one.metadata.name === metadata.name);
    if (!old) return [];
    const changed = (fields[kind] ?? []).filter((field) => !isDeepStrictEqual(old.spec[field], spec[field]));
    if (kind === "PriorityClass" && !isDeepStrictEqual({ ...old, spec: 0, metadata: 0 }, { ...own, kind, spec: 0, metadata: 0 }))
      changed.push("value");
    return changed.map((field) => `${kind}/${metadata.name}: ${field} is immutable`);
  });
}
