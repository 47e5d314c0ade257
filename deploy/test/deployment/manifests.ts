/**
 * Rendered Kubernetes objects and the conditions between them: selectors that match, ports that exist, files and variables that
 * are provided, pods that keep to the restricted standard. The schemas check single objects (schemas.ts).
 */
import { readFileSync } from "node:fs";
import { livenessService } from "@warpfarm/proto";
import { parseAllDocuments } from "yaml";
import { at } from "./places.ts";

export type Labels = Readonly<Record<string, string>>;
export interface Selector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly { readonly key: string; readonly operator: string; readonly values?: readonly string[] }[];
}
interface KeyRef {
  readonly name: string;
  readonly key: string;
}
interface EnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly secretKeyRef?: KeyRef;
    readonly fieldRef?: { readonly fieldPath: string };
    readonly resourceFieldRef?: { readonly containerName: string; readonly resource: string };
  };
}
export interface Probe {
  readonly grpc?: { readonly port: number; readonly service?: string };
  readonly httpGet?: { readonly path: string; readonly port: number | string; readonly scheme?: "HTTP" | "HTTPS" };
  readonly exec?: { readonly command: readonly string[] };
}
export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly EnvVar[];
  readonly envFrom?: readonly { readonly configMapRef?: { readonly name: string } }[];
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[];
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly resources?: {
    readonly requests?: Labels;
    readonly limits?: Labels;
    readonly claims?: readonly { readonly name: string }[];
  };
  readonly securityContext?: Readonly<Record<string, unknown>>;
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[];
}
interface Items {
  readonly items?: readonly { readonly key: string; readonly path: string }[];
}
export interface Volume {
  readonly name: string;
  readonly secret?: Items & { readonly secretName: string; readonly defaultMode?: number };
  readonly projected?: {
    readonly sources: readonly { readonly secret?: Items & { readonly name: string; readonly optional?: boolean } }[];
  };
  readonly configMap?: Items & { readonly name: string };
  readonly persistentVolumeClaim?: { readonly claimName: string };
  readonly emptyDir?: unknown;
}
export interface PodSpec {
  readonly containers: readonly Container[];
  readonly volumes?: readonly Volume[];
  readonly resourceClaims?: readonly { readonly name: string; readonly resourceClaimTemplateName: string }[];
  readonly automountServiceAccountToken?: boolean;
  readonly serviceAccountName?: string;
  readonly priorityClassName?: string;
  readonly terminationGracePeriodSeconds?: number;
  readonly securityContext?: Readonly<Record<string, unknown>>;
}
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Labels };
  readonly data?: Labels;
  // biome-ignore lint/suspicious/noExplicitAny: the schemas have checked its form; each use names what it takes.
  readonly spec?: any;
}

export interface Workload {
  /** Like Deployment/warpfarm-builder. */
  readonly name: string;
  readonly labels: Labels;
  readonly pod: PodSpec;
  readonly replicas: number;
  /** A Job whose pods are not made until somebody resumes it. */
  readonly isSuspended?: boolean;
}

export const parseManifests = (text: string): readonly Manifest[] =>
  parseAllDocuments(text).map((document) => document.toJS() as Manifest);

/** What kubectl renders, by the renderings' names (deploy/test/rendered.yaml, which render.mjs makes). */
export function readRendered(): ReadonlyMap<string, readonly Manifest[]> {
  const renderings = new Map<string, Manifest[]>();
  for (const part of readFileSync(at("deploy/test/rendered.yaml"), "utf8").split("---\n# in ").slice(1)) {
    const [names = "", ...lines] = part.split("\n");
    const objects = parseManifests(lines.join("\n"));
    for (const name of names.split(" ")) renderings.set(name, [...(renderings.get(name) ?? []), ...objects]);
  }
  return renderings;
}

export const workloadsOf = (objects: readonly Manifest[]): readonly Workload[] =>
  objects
    .filter(({ kind }) => ["Deployment", "DaemonSet", "StatefulSet", "Job", "CronJob"].includes(kind))
    .map(({ kind, metadata, spec }) => {
      const { template } = kind === "CronJob" ? spec.jobTemplate.spec : spec;
      const { replicas = 1, suspend: isSuspended = false } = spec;
      return { name: `${kind}/${metadata.name}`, labels: template.metadata.labels, pod: template.spec, replicas, isSuspended };
    });

export function selects(selector: Selector, labels: Labels): boolean {
  const equal = Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value);
  return (
    equal &&
    (selector.matchExpressions ?? []).every(({ key, operator, values = [] }) =>
      operator === "In" ? values.includes(labels[key] ?? "") : operator === "NotIn" && !values.includes(labels[key] ?? ""),
    )
  );
}

const expand = (text: string, env: Labels): string => text.replace(/\$\((\w+)\)/g, (all, name: string) => env[name] ?? all);

/** What a container without a limit may have. */
const nodeCpus = "64";

/** Variables as the kubelet would set them; `secrets` gives the values of keys. */
export function envOf(container: Container, objects: readonly Manifest[], secrets: Secrets, fields: Labels = {}): Labels {
  const env: Record<string, string> = {};
  for (const { configMapRef } of container.envFrom ?? []) {
    const map = objects.find(({ kind, metadata }) => kind === "ConfigMap" && metadata.name === configMapRef?.name);
    Object.assign(env, map?.data);
  }
  for (const { name, value, valueFrom } of container.env ?? []) {
    if (value !== undefined) env[name] = expand(value, env);
    else if (valueFrom?.fieldRef) env[name] = fields[valueFrom.fieldRef.fieldPath] ?? "some-name";
    else if (valueFrom?.resourceFieldRef) {
      const [kind = "", resource = ""] = valueFrom.resourceFieldRef.resource.split(".");
      const quantity = (kind === "limits" ? container.resources?.limits : container.resources?.requests)?.[resource] ?? nodeCpus;
      // Rounded up to the divisor, which is 1.
      env[name] = String(quantity.endsWith("m") ? Math.ceil(Number.parseFloat(quantity) / 1_000) : Number(quantity));
    } else if (valueFrom?.secretKeyRef) {
      const { name: secret, key } = valueFrom.secretKeyRef;
      const value = secrets[secret]?.[key];
      if (value === undefined) throw new Error(`${container.name} waits for the secret ${secret}/${key}`);
      env[name] = value;
    }
  }
  return env;
}

/** Contents of secrets, by name and key. */
export type Secrets = Readonly<Record<string, Readonly<Record<string, string>>>>;

export const argsOf = (container: Container, env: Labels): readonly string[] =>
  (container.args ?? []).map((arg) => expand(arg, env));

/** Secrets and keys that are named, optional ones included, since they have a meaning. */
export function secretsNamed(objects: readonly Manifest[]): ReadonlySet<string> {
  const named = new Set<string>();
  for (const { pod } of workloadsOf(objects)) {
    for (const { env = [] } of pod.containers)
      for (const { valueFrom } of env)
        if (valueFrom?.secretKeyRef) named.add(`${valueFrom.secretKeyRef.name}/${valueFrom.secretKeyRef.key}`);
    for (const { secret, projected } of pod.volumes ?? [])
      for (const each of [secret && { ...secret, name: secret.secretName }, ...(projected?.sources.map((s) => s.secret) ?? [])])
        for (const item of each?.items ?? []) named.add(`${each?.name}/${item.key}`);
  }
  for (const { kind, spec } of objects)
    for (const { authorization } of kind === "ServiceMonitor" ? spec.endpoints : [])
      if (authorization) named.add(`${authorization.credentials.name}/${authorization.credentials.key}`);
  for (const { kind, spec } of objects)
    for (const { tlsConfig } of kind === "ServiceMonitor" ? spec.endpoints : [])
      if (tlsConfig?.ca) named.add(`${tlsConfig.ca.secret.name}/${tlsConfig.ca.secret.key}`);
  return named;
}

/** Sentences about parts that do not fit together; empty when all fit. */
export function problemsOf(objects: readonly Manifest[]): readonly string[] {
  const problems: string[] = [];
  const workloads = workloadsOf(objects);
  const ports = (pods: readonly Workload[]) => pods.flatMap(({ pod }) => pod.containers.flatMap((c) => c.ports ?? []));
  const hasPort = (pods: readonly Workload[], port: number | string) =>
    ports(pods).some(({ name, containerPort }) => name === port || containerPort === port);
  const selected = (selector: Selector) => workloads.filter(({ labels }) => selects(selector, labels));

  for (const { kind, metadata, spec } of objects) {
    const at = `${kind}/${metadata.name}`;
    if (!["Namespace", "PriorityClass"].includes(kind) && metadata.namespace !== "warpfarm")
      problems.push(`${at} is in no namespace of ours`);
    if (["Deployment", "DaemonSet", "StatefulSet"].includes(kind)) {
      if (selected(spec.selector).length !== 1)
        problems.push(`${at}: its selector fits ${selected(spec.selector).length} workloads`);
      for (const spread of spec.template.spec.topologySpreadConstraints ?? [])
        if (!selects(spread.labelSelector, spec.template.metadata.labels)) problems.push(`${at}: spread selects others`);
    }
    if (kind === "PodDisruptionBudget" && selected(spec.selector).length !== 1) problems.push(`${at} protects nothing`);
    if (kind === "Service") {
      const pods = selected({ matchLabels: spec.selector });
      if (pods.length !== 1) problems.push(`${at}: its selector fits ${pods.length} workloads`);
      for (const { targetPort } of spec.ports) if (!hasPort(pods, targetPort)) problems.push(`${at}: no port ${targetPort}`);
    }
    if (kind === "GRPCRoute") {
      const gateway = objects.find((o) => o.kind === "Gateway" && o.metadata.name === spec.parentRefs[0].name);
      const listener = gateway?.spec.listeners.find(({ name }: { name: string }) => name === spec.parentRefs[0].sectionName);
      if (!spec.hostnames.includes(listener?.hostname)) problems.push(`${at}: no listener for ${spec.hostnames}`);
      for (const { name, port } of spec.rules.flatMap(({ backendRefs }: { backendRefs: object[] }) => backendRefs)) {
        const service = objects.find((o) => o.kind === "Service" && o.metadata.name === name);
        if (!service?.spec.ports.some((one: { port: number }) => one.port === port)) problems.push(`${at}: no such backend`);
        const isTls = service?.spec.ports.find((one: { port: number }) => one.port === port)?.appProtocol === "https";
        const verified = objects.some((o) => o.kind === "BackendTLSPolicy" && o.spec.targetRefs[0].name === name);
        if (isTls !== verified) problems.push(`${at}: ${isTls ? "its backend speaks TLS" : "its backend speaks no TLS"}`);
      }
    }
    if (kind === "ServiceMonitor") {
      const services = objects.filter((o) => o.kind === "Service" && selects(spec.selector, o.metadata.labels ?? {}));
      if (services.length !== 1) problems.push(`${at}: its selector fits ${services.length} services`);
      for (const { port } of spec.endpoints)
        if (!services.some((s) => s.spec.ports.some(({ name }: { name: string }) => name === port)))
          problems.push(`${at}: no port ${port}`);
    }
    if (kind === "HorizontalPodAutoscaler" || kind === "ScaledObject") {
      const { kind: of = "Deployment", name } = spec.scaleTargetRef;
      if (!objects.some((o) => o.kind === of && o.metadata.name === name)) problems.push(`${at}: no ${of} ${name} to scale`);
    }
    if (kind === "NetworkPolicy") {
      const pods = selected(spec.podSelector);
      // Pods of users come and go.
      const isOfUsers = metadata.name === "warpfarm-clients";
      if (pods.length === 0 && !isOfUsers) problems.push(`${at} selects nothing`);
      for (const { ports: opened = [] } of spec.ingress ?? [])
        for (const { port } of opened) if (!hasPort(pods, port)) problems.push(`${at}: no port ${port}`);
      for (const { to = [], ports: opened = [] } of spec.egress ?? [])
        for (const { podSelector } of to)
          for (const { port } of opened)
            if (podSelector && !hasPort(selected(podSelector), port)) problems.push(`${at}: nobody listens on ${port}`);
    }
  }
  for (const workload of workloads) problems.push(...problemsOfPod(workload, objects));
  return problems;
}

function problemsOfPod({ name, pod }: Workload, objects: readonly Manifest[]): readonly string[] {
  const problems: string[] = [];
  const demand = (holds: unknown, what: string) => holds || problems.push(`${name}: ${what}`);
  const user = pod.securityContext ?? {};
  demand(user.runAsNonRoot === true && Number(user.runAsUser) >= 100, "runs as a user that is not root");
  demand(JSON.stringify(user.seccompProfile) === '{"type":"RuntimeDefault"}', "has the runtime's seccomp profile");
  demand(pod.automountServiceAccountToken === false, "is given no token of the cluster's API");
  demand((pod.terminationGracePeriodSeconds ?? 0) >= 15, "has more time to end than its process takes");
  if (pod.serviceAccountName)
    demand(
      objects.some((o) => o.kind === "ServiceAccount" && o.metadata.name === pod.serviceAccountName),
      `has its service account ${pod.serviceAccountName}`,
    );
  for (const container of pod.containers) {
    const { image, resources, securityContext = {}, volumeMounts = [], envFrom = [] } = container;
    const own = (holds: unknown, what: string) => demand(holds, `container ${container.name} ${what}`);
    own(/:\d+\.\d+[\w.-]*(@sha256:[0-9a-f]{64})?$/.test(image), `has an image with a version, not ${image}`);
    own(securityContext.allowPrivilegeEscalation === false, "cannot gain privileges");
    own(securityContext.readOnlyRootFilesystem === true, "writes to volumes only");
    own(JSON.stringify(securityContext.capabilities) === '{"drop":["ALL"]}', "drops all capabilities");
    own(resources?.requests?.cpu && resources.requests.memory, "requests processor and memory");
    own(resources?.limits?.memory, "has a limit of memory");
    for (const { name: claim } of resources?.claims ?? []) {
      const template = pod.resourceClaims?.find((one) => one.name === claim)?.resourceClaimTemplateName;
      own(
        objects.some(({ kind, metadata }) => kind === "ResourceClaimTemplate" && metadata.name === template),
        `claims ${claim} of a template that is there`,
      );
    }
    for (const { name: volume } of volumeMounts)
      own(pod.volumes?.some((v) => v.name === volume) || volume === "data", `mounts ${volume}`);
    for (const { configMapRef } of envFrom)
      own(
        objects.some((o) => o.kind === "ConfigMap" && o.metadata.name === configMapRef?.name),
        `finds its variables in ${configMapRef?.name}`,
      );
    for (const { grpc } of [container.startupProbe ?? {}, container.livenessProbe ?? {}])
      own(grpc === undefined || grpc.service === livenessService, "is not started again because its store is away");
    for (const probe of [container.startupProbe, container.livenessProbe, container.readinessProbe]) {
      const port = probe?.grpc?.port ?? probe?.httpGet?.port;
      if (port !== undefined)
        own(
          container.ports?.some((p) => p.name === port || p.containerPort === port),
          `is probed on a port it has, not ${port}`,
        );
    }
  }
  return problems;
}
