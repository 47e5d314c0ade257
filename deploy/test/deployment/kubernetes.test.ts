/**
 * The rendered manifests (deploy/test/rendered.yaml, which render.mjs makes): against Kubernetes' schemas (unknown fields too),
 * against each other and README.md, and what a scheduler makes of them. kubelet/kubernetes.test.ts starts their pods. The last
 * part breaks the manifests on purpose.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { needs } from "../../../test-support/needs.ts";
import { immutableChanges } from "../kubelet/immutable.ts";
import { isAllowed } from "../kubelet/policies.ts";
import { commandsIn, listingsOf } from "./listings.ts";
import { type Manifest, problemsOf, readRendered, secretsNamed, selects, workloadsOf } from "./manifests.ts";
import { at } from "./places.ts";
import { invalid, misfits } from "./schemas.ts";

const renderings = readRendered();
const names = [...renderings.keys()];
const rendered = (name: string): readonly Manifest[] => renderings.get(name) ?? [];
const kinds = (objects: readonly Manifest[]) => objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
const find = (objects: readonly Manifest[], kind: string, name: string): Manifest => {
  const found = objects.find((object) => object.kind === kind && object.metadata.name === name);
  if (!found) throw new Error(`no ${kind}/${name} among ${kinds(objects).join(", ")}`);
  return found;
};
const imagesOf = (objects: readonly Manifest[]) =>
  workloadsOf(objects).flatMap(({ pod }) => pod.containers.map(({ image }) => image));

describe("what is rendered", () => {
  test("is what kubectl renders", (ctx) => {
    needs(ctx, "kubectl");
    execFileSync(process.execPath, [at("deploy/test/render.mjs")], { stdio: "pipe" });
  });

  test("fits Kubernetes' schemas: types, what must be there, nothing unknown", () => {
    const all = [...new Map(names.flatMap(rendered).map((object) => [JSON.stringify(object), object] as const)).values()];
    expect(all.length).toBeGreaterThan(40);
    expect(invalid(all)).toEqual([]);
    expect(misfits(all)).toEqual([]);
  });

  test.for(names)("%s: selectors, ports, volumes, variables and the restricted standard", (name) =>
    expect(problemsOf(rendered(name))).toEqual([]));

  test.for(
    names.filter((name) => rendered(name).some(({ kind }) => kind === "GRPCRoute")),
  )("%s: the gateway's pods reach what the route leads to, and nothing else of the tracker", (name) => {
    const objects = rendered(name);
    const [backend] = objects.find(({ kind }) => kind === "GRPCRoute")?.spec.rules[0].backendRefs ?? [];
    const service = find(objects, "Service", backend.name);
    const workload = workloadsOf(objects).find(({ labels }) => selects({ matchLabels: service.spec.selector }, labels));
    const ports = (workload?.pod.containers ?? []).flatMap((container) => container.ports ?? []);
    const numberOf = (port: string | number) =>
      ports.find((one) => one.name === port || one.containerPort === port)?.containerPort;
    const gateway = { namespace: "envoy-gateway-system", labels: {} };
    const listener = { namespace: "warpfarm", labels: workload?.labels ?? {}, port: numberOf };
    const { targetPort } = service.spec.ports.find(({ port }: { port: number }) => port === backend.port);
    const reached = ports.filter(({ containerPort }) => isAllowed(objects, gateway, listener, containerPort));
    expect(reached.map(({ containerPort }) => containerPort)).toEqual([numberOf(targetPort)]);
  });

  test.for(names)("%s: Prometheus reaches /metrics alone, and a tracker names, its store and nothing else", (name) => {
    const objects = rendered(name);
    const tracker = workloadsOf(objects).find(({ name }) => name === "Deployment/warpfarm-tracker");
    const ports = tracker?.pod.containers[0]?.ports ?? [];
    const own = { namespace: "warpfarm", labels: tracker?.labels ?? {} };
    const listener = { ...own, port: (port: string | number) => ports.find((one) => one.name === port)?.containerPort };
    const prometheus = { namespace: "monitoring", labels: {} };
    const reached = ports.filter(({ containerPort }) => isAllowed(objects, prometheus, listener, containerPort));
    expect(reached.map(({ name }) => name)).toEqual(["http"]);
    const elsewhere = { namespace: "elsewhere", labels: {}, port: Number };
    expect([53, 80, 443, 5432, 9290].filter((port) => isAllowed(objects, own, elsewhere, port))).toEqual([53, 5432]);
  });

  test.for(names)("%s: a cache fits its volume, and a drain can move a pod of each budget", (name) => {
    const objects = rendered(name);
    for (const { pod } of workloadsOf(objects))
      for (const { name: container, args = [], volumeMounts = [] } of pod.containers) {
        const [folder, mb] = ["--cache=", "--cache-mb="].map((flag) =>
          args.find((arg) => arg.startsWith(flag))?.slice(flag.length),
        );
        const mount = volumeMounts.find(({ mountPath }) => folder?.startsWith(mountPath));
        const { sizeLimit } = (pod.volumes?.find((volume) => volume.name === mount?.name)?.emptyDir ?? {}) as {
          sizeLimit?: string;
        };
        if (sizeLimit !== undefined && folder !== undefined)
          expect([container, Number.parseInt(sizeLimit, 10) * 1024]).toEqual([
            container,
            expect.toSatisfy((mib) => mib > Number(mb)),
          ]);
      }
    for (const { metadata, spec } of objects.filter(({ kind }) => kind === "PodDisruptionBudget")) {
      const scaled = objects.find(({ spec }) => spec?.scaleTargetRef?.name === metadata.name)?.spec;
      const least = scaled?.minReplicas ?? scaled?.minReplicaCount ?? find(objects, "Deployment", metadata.name).spec.replicas;
      expect([metadata.name, spec.minAvailable >= 1, spec.minAvailable < least]).toEqual([metadata.name, true, true]);
    }
  });

  test("one may be applied over any other: nothing immutable differs, and the order of components changes nothing", () => {
    const changes = names.flatMap((before) => names.flatMap((after) => immutableChanges(rendered(before), rendered(after))));
    expect([...new Set(changes)]).toEqual([]);
    expect(rendered("cpu+all-tls-backwards")).toEqual(rendered("cpu+all-tls"));
  });

  test("the example has every image in its own registry, those of components to come too", () => {
    const mapped = [
      ...readFileSync(at("deploy/kubernetes/example/kustomization.yaml"), "utf8").matchAll(/name: (warpfarm\/[\w-]+)$/gm),
    ];
    const named = new Set(
      names.flatMap((name) => imagesOf(rendered(name))).flatMap((image) => /^(warpfarm\/[\w-]+):/.exec(image)?.[1] ?? []),
    );
    expect(named.size).toBeGreaterThan(5);
    expect(new Set(mapped.map(([, name]) => name))).toEqual(named);
    for (const name of ["example", "example-cpu"])
      for (const image of imagesOf(rendered(name))) expect(image).toMatch(/^(registry\.example\.com\/warpfarm\/|postgres:)/);
  });

  test("with an autoscaler nothing says how many builders there are", () => {
    for (const name of names) {
      const objects = rendered(name);
      const isScaled = objects.some(({ kind }) => kind === "ScaledObject" || kind === "HorizontalPodAutoscaler");
      expect([name, find(objects, "Deployment", "warpfarm-builder").spec.replicas]).toEqual([name, isScaled ? undefined : 2]);
    }
  });

  test("kube-prometheus-stack finds its rules and what to scrape; every pod has a priority that exists", () => {
    const monitored = rendered("cpu+monitoring");
    for (const kind of ["ServiceMonitor", "PrometheusRule"])
      expect(monitored.find((one) => one.kind === kind)?.metadata.labels).toMatchObject({ release: "kube-prometheus-stack" });
    for (const name of names) {
      const classes = rendered(name)
        .filter(({ kind }) => kind === "PriorityClass")
        .map(({ metadata }) => metadata.name);
      for (const workload of workloadsOf(rendered(name))) {
        const core = /tracker|postgres|backup/.test(workload.name);
        expect([workload.name, workload.pod.priorityClassName]).toEqual([
          workload.name,
          core ? "warpfarm-core" : "warpfarm-workers",
        ]);
      }
      expect(classes.toSorted()).toEqual(["warpfarm-core", "warpfarm-workers"]);
    }
  });

  const node = (major: string, minor: string, more: Readonly<Record<string, string>> = {}) => ({
    "nvidia.com/gpu.present": "true",
    "nvidia.com/gpu.count": "1",
    "nvidia.com/gpu.compute.major": major,
    "nvidia.com/gpu.compute.minor": minor,
    ...more,
  });
  const eight = { "nvidia.com/gpu.count": "8" };
  test.each<[what: string, labels: Readonly<Record<string, string>>, alone: readonly string[], both: readonly string[]]>([
    ["no GPU", {}, [], []],
    ["sm_70, too old", node("7", "0"), [], []],
    ["sm_75", node("7", "5"), ["warpfarm-runner"], ["warpfarm-runner"]],
    ["sm_80", node("8", "0"), ["warpfarm-runner"], ["warpfarm-runner"]],
    ["sm_120", node("12", "0"), ["warpfarm-runner"], ["warpfarm-runner"]],
    ["eight of sm_90", node("9", "0", eight), ["warpfarm-runner"], ["warpfarm-runner-x8"]],
    ["eight of sm_75", node("7", "5", eight), ["warpfarm-runner"], ["warpfarm-runner-x8"]],
    ["cut by time-slicing", node("9", "0", { "nvidia.com/gpu.sharing-strategy": "time-slicing" }), [], []],
    ["cut by MPS", node("9", "0", { ...eight, "nvidia.com/gpu.sharing-strategy": "mps" }), [], []],
    [
      "shared with nobody",
      node("9", "0", { "nvidia.com/gpu.sharing-strategy": "none" }),
      ["warpfarm-runner"],
      ["warpfarm-runner"],
    ],
    [
      "MIG, single, cut into eight",
      node("8", "0", { ...eight, "nvidia.com/mig.strategy": "single", "nvidia.com/gpu.slices.gi": "1" }),
      [],
      [],
    ],
    [
      "MIG, single, and nothing cut",
      node("8", "0", { "nvidia.com/mig.strategy": "single" }),
      ["warpfarm-runner"],
      ["warpfarm-runner"],
    ],
    [
      "MIG, mixed: nvidia.com/gpu are whole",
      node("8", "0", { "nvidia.com/mig.strategy": "mixed" }),
      ["warpfarm-runner"],
      ["warpfarm-runner"],
    ],
  ])("on a node with %s", (_what, labels, alone, both) => {
    const on = (objects: readonly Manifest[]) =>
      objects
        .filter(({ kind, spec }) => kind === "DaemonSet" && runsOn(spec.template.spec, labels))
        .map(({ metadata }) => metadata.name);
    expect([on(rendered("gpu")), on(rendered("gpu+eight-gpus"))]).toEqual([alone, both]);
  });

  const gpu = (architecture: string, capability: string, type = "gpu") => ({
    type,
    architecture,
    cudaComputeCapability: { compareTo: (other: string) => capability.localeCompare(other, "en", { numeric: true }) },
  });
  test.each([
    [gpu("Hopper", "9.0.0"), true],
    [gpu("Blackwell", "12.0.0"), true],
    [gpu("Ada Lovelace", "8.9.0"), true],
    [gpu("Turing", "7.5.0"), true],
    [gpu("Volta", "7.0.0"), false],
    [gpu("Turing", "7.4.9"), false],
    [gpu("Hopper", "9.0.0", "mig"), false],
  ])("a claim of dynamic resource allocation takes %j: %s", (attributes, takes) => {
    const { spec } = find(rendered("gpu+dra"), "ResourceClaimTemplate", "warpfarm-gpu");
    const [{ exactly }] = spec.spec.devices.requests;
    expect(exactly).toMatchObject({ deviceClassName: "gpu.nvidia.com", count: 1 });
    // CEL's `a in [..]` is the one part of it that JavaScript says otherwise.
    const script = exactly.selectors[0].cel.expression.replace(/(device\S+) in (\[.*?\])/g, "$2.includes($1)");
    const take = new Function("device", "semver", `return ${script}`);
    expect(take({ attributes: { "gpu.nvidia.com": attributes } }, (text: string) => text)).toBe(takes);
  });

  test("with it no runner asks the device plugin, and each has a claim of its own; without it nobody has one", () => {
    const runner = (objects: readonly Manifest[]) =>
      workloadsOf(objects).find(({ name }) => name === "DaemonSet/warpfarm-runner")?.pod;
    const [dra, plugin] = [runner(rendered("gpu+dra")), runner(rendered("gpu"))];
    expect([dra?.containers[0]?.resources?.limits?.["nvidia.com/gpu"], dra?.resourceClaims]).toEqual([
      undefined,
      [{ name: "gpu", resourceClaimTemplateName: "warpfarm-gpu" }],
    ]);
    expect([plugin?.containers[0]?.resources?.limits?.["nvidia.com/gpu"], plugin?.resourceClaims]).toEqual([1, undefined]);
  });

  test("Kueue gets runners as a suspended Job of its queue, with a priority below all others", () => {
    const objects = rendered("gpu+kueue");
    const { spec, metadata } = find(objects, "Job", "warpfarm-runner-borrowed");
    expect([spec.suspend, metadata.labels?.["kueue.x-k8s.io/queue-name"]]).toEqual([
      true,
      objects.find(({ kind }) => kind === "LocalQueue")?.metadata.name,
    ]);
    // Its name is not that of the node's own runner, and selectors can tell it apart.
    const words = ["--label=borrowed=yes", "--node=$(NODE)-borrowed"];
    expect(spec.template.spec.containers[0].args).toEqual(expect.arrayContaining(words));
    const { priorityClassName } = spec.template.spec;
    expect(find(objects, "PriorityClass", priorityClassName)).toMatchObject({ value: -1, preemptionPolicy: "Never" });
  });

  test("two trackers, never both away; a store, its backup and a way in where they are asked for", () => {
    const objects = rendered("example");
    expect(find(objects, "Deployment", "warpfarm-tracker").spec.replicas).toBe(2);
    const more = ["StatefulSet/warpfarm-postgres", "CronJob/warpfarm-backup", "Gateway/warpfarm", "GRPCRoute/warpfarm"];
    expect(kinds(objects)).toEqual(expect.arrayContaining(more));
    expect(kinds(rendered("gpu")).filter((kind) => more.includes(kind))).toEqual([]);
    for (const { limits } of workloadsOf(rendered("gpu+eight-gpus"))
      .filter(({ name }) => name.includes("runner"))
      .flatMap(({ pod }) => pod.containers.map(({ resources }) => resources ?? {})))
      expect(limits).toMatchObject({ "nvidia.com/gpu": 1 });
  });

  test("README.md makes the secrets that are named, and no others", () => {
    const texts = [...listingsOf("deploy/README.md", "bash"), readFileSync(at("deploy/kubernetes/make-secrets.sh"), "utf8")];
    const commands = texts.flatMap(commandsIn);
    const made = commands.flatMap((line) => {
      const [, name] = /create secret generic (\S+)/.exec(line) ?? [];
      return [...line.matchAll(/--from-(?:literal|file)=([\w.]+)=/g)].flatMap(([, key]) => (name ? [`${name}/${key}`] : []));
    });
    expect(new Set(made)).toEqual(new Set(names.flatMap((name) => [...secretsNamed(rendered(name))])));
  });
});

interface Affinity {
  readonly affinity?: {
    readonly nodeAffinity?: {
      readonly requiredDuringSchedulingIgnoredDuringExecution: {
        readonly nodeSelectorTerms: readonly {
          readonly matchExpressions: readonly { key: string; operator: string; values?: string[] }[];
        }[];
      };
    };
  };
}
/** As the scheduler reads node affinity: one term holds, with all its expressions. */
function runsOn({ affinity }: Affinity, labels: Readonly<Record<string, string>>): boolean {
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms ?? [
    { matchExpressions: [] },
  ];
  return terms.some(({ matchExpressions }) =>
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      if (operator === "In") return value !== undefined && values.includes(value);
      if (operator === "NotIn") return value === undefined || !values.includes(value);
      if (operator === "DoesNotExist") return value === undefined;
      if (operator === "Gt") return Number(value) > Number(values[0]);
      throw new Error(`an operator that is not known here: ${operator}`);
    }),
  );
}

describe("what the checks find", () => {
  type Change = (text: string) => string;
  const broken = (change: Change): readonly Manifest[] => {
    const text = JSON.stringify(rendered("example"));
    const changed = change(text);
    expect(changed).not.toBe(text);
    return JSON.parse(changed);
  };
  const swap =
    (from: string, to: string): Change =>
    (text) =>
      text.replace(from, to);

  test("a wrong type, a missing field, an unknown field", () => {
    expect(invalid(broken(swap('"containerPort":9290', '"containerPort":"abc"')))).toHaveLength(1);
    expect(invalid(broken(swap('"mountPath":"/tmp",', "")))).toHaveLength(1);
    const unknown = broken(swap('"mountPath":"/tmp"', '"mountPath":"/tmp","readonly":true'));
    expect(invalid(unknown)).toEqual([]);
    expect(misfits(unknown).join()).toMatch(/"readonly"' does not exist in type 'IVolumeMount'/);
  });

  test.for<[from: string, to: string, said: RegExp]>([
    ['"gatewayClassName":"eg"', '"gatewayClass":"eg"', /^Gateway\/warpfarm: spec\.gatewayClassName: /],
    ['"protocol":"HTTPS"', '"protocol":"GRPC"', /^Gateway\/warpfarm: spec\.listeners\.0\.protocol: /],
    ['"port":443', '"port":"443"', /spec\.listeners\.0\.port: /],
    ['"port":443', '"port":70000', /spec\.listeners\.0\.port: /],
    ['"certificateRefs":[{"name":"warpfarm-gateway-tls"}]', '"certificateRefs":[]', /Terminate needs certificateRefs/],
    ['"mode":"Terminate"', '"mode":"Passthrough"', /HTTPS terminates TLS/],
    ['"sectionName":"grpc"', '"section":"grpc"', /^GRPCRoute\/warpfarm: spec\.parentRefs\.0: /],
    ['"hostnames":["farm.example.com"]', '"hostnames":["Farm.example.com"]', /spec\.hostnames\.0: /],
    ['"rules":[{"backendRefs"', '"rules":[{"timeouts":{"request":"10s"},"backendRefs"', /^GRPCRoute\/warpfarm: spec\.rules\.0: /],
    [
      '"backendRefs":[{"name":"warpfarm-tracker","port":9290}]',
      '"backendRefs":[{"name":"warpfarm-tracker"}]',
      /a Service needs a port/,
    ],
    [
      '"apiVersion":"gateway.networking.k8s.io/v1","kind":"GRPCRoute"',
      '"apiVersion":"gateway.networking.k8s.io/v1alpha2","kind":"GRPCRoute"',
      /^GRPCRoute\/warpfarm: apiVersion: /,
    ],
  ])("of Gateway API %s made %s", ([from, to, said]) => {
    expect(invalid(broken(swap(from, to))).join("\n")).toMatch(said);
  });

  test("of claims and queues too", () => {
    const faults: [rendering: string, from: string, to: string, said: RegExp][] = [
      [
        "gpu+dra",
        '"count":1',
        '"count":0',
        /ResourceClaimTemplate\/warpfarm-gpu: spec\.spec\.devices\.requests\.0\.exactly\.count/,
      ],
      ["gpu+dra", '"exactly":', '"exact":', /requests\.0/],
      ["gpu+dra", "resource.k8s.io/v1", "resource.k8s.io/v1beta1", /has no ResourceClaimTemplate here/],
      ["gpu+kueue", '"clusterQueue":', '"queue":', /LocalQueue\/warpfarm: spec/],
    ];
    for (const [name, from, to, said] of faults) {
      const changed = JSON.parse(JSON.stringify(rendered(name)).replace(from, to));
      expect(invalid(changed).join("\n")).toMatch(said);
    }
    const other = JSON.stringify(rendered("gpu+dra")).replace('TemplateName":"warpfarm-gpu', 'TemplateName":"other');
    expect(problemsOf(JSON.parse(other)).join("\n")).toMatch(/claims gpu of a template that is there/);
  });

  test.for<[from: string, to: string, said: RegExp]>([
    ['"targetPort":"grpc"', '"targetPort":"rpc"', /no port rpc/],
    ['"grpc":{"port":9290,', '"grpc":{"port":9292,', /probed on a port it has, not 9292/],
    ['"grpc":{"port":9290,"service":"liveness"}', '"grpc":{"port":9290}', /not started again because its store is away/],
    ['"configMapRef":{"name":"warpfarm-workers"}', '"configMapRef":{"name":"workers"}', /finds its variables in workers/],
    [
      '"volumeMounts":[{"mountPath":"/etc/warpfarm","name":"identity"',
      '"volumeMounts":[{"mountPath":"/etc/warpfarm","name":"token"',
      /mounts token/,
    ],
    ['"readOnlyRootFilesystem":true', '"readOnlyRootFilesystem":false', /writes to volumes only/],
    ['"runAsUser":65532', '"runAsUser":0', /not root/],
    ['warpfarm/tracker:0.1.0"', 'warpfarm/tracker:latest"', /an image with a version/],
    ['"limits":{"memory":"1Gi"}', '"limits":{}', /limit of memory/],
    ['"backendRefs":[{"name":"warpfarm-tracker"', '"backendRefs":[{"name":"tracker"', /no such backend/],
    ['"terminationGracePeriodSeconds":20', '"terminationGracePeriodSeconds":5', /more time to end/],
  ])("%s made %s", ([from, to, said]) => {
    expect(problemsOf(broken(swap(from, to))).join("\n")).toMatch(said);
  });
});
