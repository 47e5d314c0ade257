/**
 * Objects of two APIs that no package of schemas for every supported Node has, by their fields, written anew; an unknown field is
 * a fault. resource.k8s.io/v1 is as in Kubernetes 1.34 (kubernetes-models 5.1.0, MIT, has it and needs Node 22),
 * kueue.x-k8s.io/v1beta1 as in Kueue 0.13.
 */
import { z } from "@warpfarm/records/schema";
import type { Manifest } from "./manifests.ts";

const name = z
  .string()
  .max(253)
  .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/);
const label = z
  .string()
  .max(63)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);
const metadata = z.strictObject({ name, namespace: label, labels: z.record(z.string(), z.string()).optional() });
const selector = z.strictObject({ cel: z.strictObject({ expression: z.string().min(1).max(10_240) }) });

const exactly = z
  .strictObject({
    deviceClassName: name,
    allocationMode: z.enum(["ExactCount", "All"]).default("ExactCount"),
    count: z.int().min(1).optional(),
    selectors: z.array(selector).max(32).optional(),
  })
  .refine(({ allocationMode, count }) => allocationMode === "ExactCount" || count === undefined, "All has no count");
const claim = z.strictObject({
  devices: z.strictObject({
    requests: z
      .array(z.strictObject({ name: label, exactly }))
      .min(1)
      .max(32),
  }),
});

const forms: Readonly<Record<string, z.ZodType>> = {
  "resource.k8s.io/v1 ResourceClaimTemplate": z.strictObject({ spec: claim }),
  "kueue.x-k8s.io/v1beta1 LocalQueue": z.strictObject({ clusterQueue: name }),
};
const groups = ["resource.k8s.io/", "kueue.x-k8s.io/"];

export const isOfClusterApi = ({ apiVersion }: Manifest): boolean => groups.some((group) => apiVersion.startsWith(group));

/** What is wrong with an object of these; undefined when nothing is. */
export function clusterApiFault({ apiVersion, kind, ...object }: Manifest): string | undefined {
  const spec = forms[`${apiVersion} ${kind}`];
  if (spec === undefined) return `${apiVersion} has no ${kind} here`;
  const { error } = z.strictObject({ metadata, spec }).safeParse(object);
  const [issue] = error?.issues ?? [];
  return issue && `${issue.path.map(String).join(".")}: ${issue.message}`;
}
