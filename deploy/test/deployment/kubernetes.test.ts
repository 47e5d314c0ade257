/**
 * The Kubernetes manifests, rendered with kubectl kustomize and checked against Kubernetes' schemas (unknown fields too), against
 * each other, and every container's arguments against the program's own parsers. The last part breaks the manifests on purpose.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { needs } from "../../../test-support/needs.ts";
import { type Parsed, parseWarpfarm } from "./flag-parsers.ts";
import { commandsIn, listingsOf } from "./listings.ts";
import {
  argsOf,
  envOf,
  filesOf,
  type Manifest,
  parseManifests,
  problemsOf,
  type Secrets,
  secretsNamed,
  workloadsOf,
} from "./manifests.ts";
import { at } from "./places.ts";
import { invalid, misfits } from "./schemas.ts";

const scratch = mkdtempSync(join(tmpdir(), "warpfarm-test-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const kustomize = (directory: string): readonly Manifest[] =>
  parseManifests(execFileSync("kubectl", ["kustomize", directory], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }));

/** An overlay with components on it, like a user's own kustomization. */
function compose(overlay: string, components: readonly string[]): readonly Manifest[] {
  const directory = join(scratch, [overlay, ...components].join("-"));
  mkdirSync(directory, { recursive: true });
  const to = (path: string) => `  - ${relative(directory, at(`deploy/kubernetes/${path}`))}`;
  const lines = [
    ...["apiVersion: kustomize.config.k8s.io/v1beta1", "kind: Kustomization", "namespace: warpfarm"],
    ...["resources:", to(`overlays/${overlay}`), "components:", ...components.map((name) => to(`components/${name}`))],
  ];
  writeFileSync(join(directory, "kustomization.yaml"), `${lines.join("\n")}\n`);
  return kustomize(directory);
}

/** The example with one word changed, as README.md says. */
function exampleOnProcessors(): readonly Manifest[] {
  const directory = join(scratch, "example");
  mkdirSync(directory, { recursive: true });
  const text = readFileSync(at("deploy/kubernetes/example/kustomization.yaml"), "utf8");
  const moved = text
    .replace("overlays/gpu\n", "overlays/cpu\n")
    .replaceAll("- ../", `- ${relative(directory, at("deploy/kubernetes"))}/`);
  writeFileSync(join(directory, "kustomization.yaml"), moved);
  return kustomize(directory);
}

/** The secrets that README.md tells the user to make, with contents of the right form. */
const secrets: Secrets = {
  "warpfarm-database": { url: "postgres://warpfarm:secret@warpfarm-postgres/warpfarm", password: "secret" },
  "warpfarm-tokens": {
    tracker: "client 0123456789abcdef\n",
    builder: "0123456789abcdef",
    runner: "0123456789abcdef",
    metrics: "0123456789abcdef",
    suites: "0123456789abcdef",
  },
  "warpfarm-tracker-tls": { "tls.crt": "PEM", "tls.key": "PEM", "ca.crt": "PEM" },
};

interface CommandLine extends Parsed {
  readonly image: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The command line of each of our containers, parsed by the program's parsers. */
async function commandLines(objects: readonly Manifest[]): Promise<readonly CommandLine[]> {
  const parsed: CommandLine[] = [];
  for (const { pod } of workloadsOf(objects))
    for (const container of pod.containers.filter(({ image }) => image.includes("warpfarm/"))) {
      const env = envOf(container, objects, secrets);
      const files = filesOf(container, pod, secrets);
      parsed.push({ image: container.image, env, ...(await parseWarpfarm(argsOf(container, env), { env, files })) });
    }
  return parsed;
}

/** Rendered once, when the first test asks. */
const cache = new Map<string, readonly Manifest[]>();
const farms = {
  "overlays/cpu": () => kustomize(at("deploy/kubernetes/overlays/cpu")),
  "overlays/gpu": () => kustomize(at("deploy/kubernetes/overlays/gpu")),
  example: () => kustomize(at("deploy/kubernetes/example")),
  "example on processors": exampleOnProcessors,
  "gpu with everything": () => compose("gpu", ["postgres", "ingress", "eight-gpus", "tls", "monitoring", "scaling-hpa"]),
  "cpu with postgres and tls": () => compose("cpu", ["postgres", "suites", "tls", "monitoring", "scaling-keda"]),
  "cpu with a Job of suites": () => compose("cpu", ["suites-job"]),
} as const;
const names = Object.keys(farms) as readonly (keyof typeof farms)[];
function rendered(name: keyof typeof farms): readonly Manifest[] {
  const objects = cache.get(name) ?? farms[name]();
  cache.set(name, objects);
  return objects;
}
const kinds = (objects: readonly Manifest[]) => objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
const find = (objects: readonly Manifest[], kind: string, name: string): Manifest => {
  const found = objects.find((object) => object.kind === kind && object.metadata.name === name);
  if (!found) throw new Error(`no ${kind}/${name} among ${kinds(objects).join(", ")}`);
  return found;
};

describe("what is rendered", () => {
  test("fits Kubernetes' schemas: types, what must be there, nothing unknown", (ctx) => {
    needs(ctx, "kubectl");
    const all = names.flatMap(rendered);
    expect(all.length).toBeGreaterThan(50);
    expect(invalid(all)).toEqual([]);
    expect(misfits(all)).toEqual([]);
  });

  test.for(names)("%s: selectors, ports, volumes, variables and the restricted standard", (name, ctx) => {
    needs(ctx, "kubectl");
    expect(problemsOf(rendered(name))).toEqual([]);
  });

  test.for(names)("%s: every container's command line is one the program takes", async (name, ctx) => {
    needs(ctx, "kubectl");
    const objects = rendered(name);
    const lines = await commandLines(objects);
    const tls = name.includes("tls") || name.includes("everything");
    const trackers = lines.filter(({ command }) => command === "tracker");
    expect(trackers).toHaveLength(1);
    expect(trackers[0]?.options).toMatchObject({
      data: secrets["warpfarm-database"]?.url,
      tls: tls ? { cert: expect.anything(), key: expect.anything() } : undefined,
      tokens: expect.anything(),
    });
    const port = find(objects, "Service", "warpfarm-tracker").spec.ports[0].port;
    const workers = lines.filter(({ command }) => command === "builder" || command === "runner");
    expect(workers.length).toBe(name === "gpu with everything" ? 10 : 2);
    for (const { command, image, env, options } of workers) {
      // The example names the images that a user's own registry must have, for either overlay.
      if (name.startsWith("example")) expect(image).toMatch(/^registry\.example\.com\//);
      expect(image).toMatch(new RegExp(`^(registry.example.com/)?warpfarm/${command}-(cpu|cuda):`));
      expect(env).toMatchObject({ WARPFARM_TRACKER: `warpfarm-tracker:${port}` });
      expect(env.WARPFARM_TLS_CA).toBe(tls ? "/etc/warpfarm/ca.crt" : undefined);
      expect(options).toMatchObject({ tokenFile: "/etc/warpfarm/token", node: "some-name" });
    }
  });

  test("suites are searched by a Deployment that stays, or by a Job that ends", async (ctx) => {
    needs(ctx, "kubectl");
    const ofSuites = async (name: keyof typeof farms) =>
      (await commandLines(rendered(name))).filter(({ image }) => image.includes("warpfarm/client"));
    const stays = await ofSuites("cpu with postgres and tls");
    const ends = await ofSuites("cpu with a Job of suites");
    expect(stays).toHaveLength(1);
    expect(ends).toHaveLength(1);
    expect(stays[0]?.options).toMatchObject({ tokenFile: "/etc/warpfarm/token" });
    expect(stays[0]?.options).not.toMatchObject({ once: true });
    expect(ends[0]?.options).toMatchObject({ tokenFile: "/etc/warpfarm/token", once: true });
    expect(find(rendered("cpu with a Job of suites"), "Job", "warpfarm-suites").spec.template.spec.restartPolicy).toBe(
      "OnFailure",
    );
  });

  test("a GPU runner is a DaemonSet on the nodes that GPU feature discovery names, with a GPU of its own", (ctx) => {
    needs(ctx, "kubectl");
    const { spec } = find(rendered("overlays/gpu"), "DaemonSet", "warpfarm-runner");
    const { nodeSelectorTerms } = spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution;
    const runsOn = (labels: Readonly<Record<string, string>>) =>
      nodeSelectorTerms.some((term: { matchExpressions: readonly { key: string; operator: string; values: string[] }[] }) =>
        term.matchExpressions.every(({ key, operator, values }) => {
          const value = labels[`nvidia.com/${key.replace("nvidia.com/", "")}`];
          if (operator === "In") return value !== undefined && values.includes(value);
          if (operator === "NotIn") return value === undefined || !values.includes(value);
          return operator === "Gt" && Number(value) > Number(values[0]);
        }),
      );
    const node = (major: string, minor: string, more = {}) => ({
      "nvidia.com/gpu.present": "true",
      "nvidia.com/gpu.compute.major": major,
      "nvidia.com/gpu.compute.minor": minor,
      ...more,
    });
    expect([runsOn(node("7", "0")), runsOn(node("7", "5")), runsOn(node("8", "0")), runsOn(node("12", "0"))]).toEqual([
      false,
      true,
      true,
      true,
    ]);
    expect(runsOn(node("9", "0", { "nvidia.com/gpu.sharing-strategy": "time-slicing" }))).toBe(false);
    expect(runsOn(node("9", "0", { "nvidia.com/gpu.sharing-strategy": "none" }))).toBe(true);
    expect(runsOn({})).toBe(false);
    expect(spec.template.spec.containers[0].resources.limits["nvidia.com/gpu"]).toBe(1);
  });

  test("two trackers, never both away; a store and a way in where they are asked for", (ctx) => {
    needs(ctx, "kubectl");
    const objects = rendered("example");
    expect(find(objects, "Deployment", "warpfarm-tracker").spec.replicas).toBe(2);
    expect(find(objects, "PodDisruptionBudget", "warpfarm-tracker").spec.minAvailable).toBe(1);
    expect(kinds(objects)).toEqual(expect.arrayContaining(["StatefulSet/warpfarm-postgres", "Ingress/warpfarm"]));
    expect(kinds(rendered("overlays/gpu")).filter((kind) => /postgres|Ingress/.test(kind))).toEqual([]);
    expect(find(objects, "Service", "warpfarm-postgres").metadata.name).toBe(
      new URL(secrets["warpfarm-database"]?.url ?? "").host,
    );
  });

  test("README.md makes the secrets that are named, and no others", (ctx) => {
    needs(ctx, "kubectl");
    const commands = listingsOf("deploy/README.md", "bash").flatMap(commandsIn);
    const made = commands.flatMap((line) => {
      const [, name] = /create secret generic (\S+)/.exec(line) ?? [];
      return [...line.matchAll(/--from-literal=([\w.]+)=/g)].map(([, key]) => `${name}/${key}`);
    });
    const named = names
      .flatMap((name) => [...secretsNamed(rendered(name))])
      .filter((one) => !one.startsWith("warpfarm-tracker-tls/"));
    expect(new Set(made)).toEqual(new Set(named));
  });
});

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

  test("a wrong type, a missing field, an unknown field", (ctx) => {
    needs(ctx, "kubectl");
    expect(invalid(broken(swap('"containerPort":9290', '"containerPort":"abc"')))).toHaveLength(1);
    expect(invalid(broken(swap('"mountPath":"/tmp",', "")))).toHaveLength(1);
    const unknown = broken(swap('"mountPath":"/tmp"', '"mountPath":"/tmp","readonly":true'));
    expect(invalid(unknown)).toEqual([]);
    expect(misfits(unknown).join()).toMatch(/"readonly"' does not exist in type 'IVolumeMount'/);
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
    ['"service":{"name":"warpfarm-tracker"', '"service":{"name":"tracker"', /no such backend/],
    ['"terminationGracePeriodSeconds":20', '"terminationGracePeriodSeconds":5', /more time to end/],
  ])("%s made %s", ([from, to, said], ctx) => {
    needs(ctx, "kubectl");
    expect(problemsOf(broken(swap(from, to))).join("\n")).toMatch(said);
  });

  test.for<[from: string, to: string, said: RegExp]>([
    ["--slots=$(SLOTS)", "--slot=$(SLOTS)", /unknown option '--slot=/],
    ["--slots=$(SLOTS)", "--slots=$(CPUS)", /--slots is/],
    ["--http=0.0.0.0:9291", "--http=0.0.0.0", /--?http|address/],
    ["--token-file=/etc/warpfarm/tokens/tracker", "--token-file=/etc/warpfarm/tokens", /token-file/],
    ['--token-file=/etc/warpfarm/token"', '--token-file=/etc/warpfarm/tokens/x"', /is not mounted there/],
    ['"--insecure",', "", /not loopback/],
  ])("in a command line: %s made %s", async ([from, to, said], ctx) => {
    needs(ctx, "kubectl");
    await expect(commandLines(broken(swap(from, to)))).rejects.toThrow(said);
  });
});
