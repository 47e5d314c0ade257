/**
 * Gateway API's objects, by the fields that its specification has in the standard channel of 1.4
 * (gateway-api.sigs.k8s.io/reference /spec), written anew: no package of its schemas runs on every Node that is supported. An
 * unknown field is a fault, as a typo of an optional field would change nothing and be noticed by nobody.
 */
import { z } from "@warpfarm/records/schema";
import type { Manifest } from "./manifests.ts";

const label = "[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?";
const domain = new RegExp(`^${label}(?:\\.${label})*$`);
const hostname = z
  .string()
  .max(253)
  .regex(new RegExp(`^(?:\\*\\.)?${domain.source.slice(1)}`))
  .refine((name) => !/^\d+(?:\.\d+){3}$/.test(name), "an IP");
const sectionName = z.string().min(1).max(253).regex(domain);
const group = z
  .string()
  .max(253)
  .regex(new RegExp(`^$|${domain.source}`));
const kind = z
  .string()
  .max(63)
  .regex(/^[a-zA-Z](?:[-a-zA-Z0-9]*[a-zA-Z0-9])?$/);
const name = z.string().min(1).max(253);
const namespace = z
  .string()
  .max(63)
  .regex(new RegExp(`^${label}$`));
const port = z.int().min(1).max(65_535);
const isUnique = (names: readonly unknown[]): boolean => new Set(names).size === names.length;

const object = z.strictObject({ group: group.optional(), kind: kind.optional(), name, namespace: namespace.optional() });
const local = z.strictObject({ group, kind, name });
/** A reference to another namespace, and a service by its port, need more than these fields: a ReferenceGrant, a port. */
const backend = object
  .extend({ port: port.optional(), weight: z.int().min(0).max(1_000_000).optional() })
  .refine(({ kind = "Service", port }) => kind !== "Service" || port !== undefined, "a Service needs a port");

const listener = z
  .strictObject({
    name: sectionName,
    hostname: hostname.optional(),
    port,
    protocol: z.enum(["HTTP", "HTTPS", "TLS", "TCP", "UDP"]),
    tls: z
      .strictObject({
        mode: z.enum(["Terminate", "Passthrough"]).default("Terminate"),
        certificateRefs: z.array(object).max(64).optional(),
        options: z.record(z.string(), z.string()).optional(),
      })
      .refine(
        ({ mode, certificateRefs = [] }) => mode !== "Terminate" || certificateRefs.length > 0,
        "Terminate needs certificateRefs",
      )
      .optional(),
    allowedRoutes: z
      .strictObject({
        namespaces: z.strictObject({ from: z.enum(["All", "Selector", "Same"]), selector: z.unknown().optional() }).optional(),
        kinds: z
          .array(z.strictObject({ group: group.optional(), kind }))
          .max(8)
          .optional(),
      })
      .optional(),
  })
  .refine(({ protocol, tls }) => !/^(?:HTTP|TCP|UDP)$/.test(protocol) || tls === undefined, "tls is not for HTTP, TCP and UDP")
  .refine(({ protocol, tls }) => protocol !== "HTTPS" || tls?.mode === "Terminate", "HTTPS terminates TLS");

const specs = {
  Gateway: z.strictObject({
    gatewayClassName: name,
    listeners: z
      .array(listener)
      .min(1)
      .max(64)
      .refine((all) => isUnique(all.map(({ name }) => name)), "names of listeners are unique")
      .refine(
        (all) => isUnique(all.map(({ port, protocol, hostname }) => `${port} ${protocol} ${hostname}`)),
        "port, protocol and hostname are unique",
      ),
  }),
  GRPCRoute: z.strictObject({
    parentRefs: z.array(object.extend({ sectionName: sectionName.optional(), port: port.optional() })).max(32),
    hostnames: z.array(hostname).max(16).optional(),
    rules: z
      .array(
        z.strictObject({
          name: sectionName.optional(),
          matches: z
            .array(
              z.strictObject({
                method: z
                  .strictObject({
                    type: z.enum(["Exact", "RegularExpression"]).optional(),
                    service: z.string().max(1024).optional(),
                    method: z.string().max(1024).optional(),
                  })
                  .refine(({ service, method }) => service !== undefined || method !== undefined, "service or method")
                  .optional(),
              }),
            )
            .max(64)
            .optional(),
          backendRefs: z.array(backend).max(16).optional(),
        }),
      )
      .min(1)
      .max(16),
  }),
  BackendTLSPolicy: z.strictObject({
    targetRefs: z
      .array(local.extend({ sectionName: sectionName.optional() }))
      .min(1)
      .max(16),
    validation: z
      .strictObject({
        hostname: z.string().max(253).regex(domain),
        caCertificateRefs: z.array(local).max(8).optional(),
        wellKnownCACertificates: z.literal("System").optional(),
      })
      .refine(
        ({ caCertificateRefs = [], wellKnownCACertificates }) =>
          caCertificateRefs.length > 0 !== (wellKnownCACertificates !== undefined),
        "either caCertificateRefs or wellKnownCACertificates",
      ),
  }),
} as const;

const top = z.strictObject({
  apiVersion: z.literal("gateway.networking.k8s.io/v1"),
  kind: z.enum(Object.keys(specs) as (keyof typeof specs)[]),
  metadata: z.strictObject({
    name: z.string().max(253).regex(domain),
    namespace: namespace.optional(),
    labels: z.record(z.string(), z.string()).optional(),
    annotations: z.record(z.string(), z.string()).optional(),
  }),
  spec: z.unknown(),
});

/** What is wrong with an object of Gateway API; undefined when nothing is. */
export function gatewayFault(object: Manifest): string | undefined {
  const read = top.safeParse(object);
  const { error } = read.success ? specs[read.data.kind].safeParse(read.data.spec) : read;
  const [issue] = error?.issues ?? [];
  if (!issue) return undefined;
  const field = read.success ? ["spec", ...issue.path] : issue.path;
  return `${field.map(String).join(".") || "the object"}: ${issue.message}`;
}
