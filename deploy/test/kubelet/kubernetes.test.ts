/**
 * The manifests as a cluster would run them, without a cluster: each different pod of every rendering (deploy/test/rendered.yaml)
 * is started from the bundled program, probed, and connected through services as the network policies allow. Metrics, the page
 * and the backup are asked for as their users ask. See kubelet.ts for what stands for what.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isFull } from "../../../test-support/campaign.ts";
import { until } from "../../../test-support/until.ts";
import { type Manifest, readRendered, type Secrets, selects, type Workload, workloadsOf } from "../deployment/manifests.ts";
import { makeSecrets } from "../deployment/readme-secrets.ts";
import { quickTune } from "../faults/campaign.ts";
import { fakeGpus } from "./gpus.ts";
import { Kubelet, type Pod } from "./kubelet.ts";
import { signIn } from "./page.ts";
import { isAllowed, mayAskNames } from "./policies.ts";
import { ask, portOf } from "./probes.ts";

const renderings = readRendered();
const names = [...renderings.keys()];
const objectsOf = (name: string): readonly Manifest[] => renderings.get(name) ?? [];
const isTls = (objects: readonly Manifest[]) => JSON.stringify(objects).includes("--tls-cert=");

const directory = mkdtempSync(join(tmpdir(), "warpfarm-kubelet-"));
let kubelet: Kubelet;
let secrets: Secrets;
const tokenOf = (name: string) => readFileSync(join(directory, `${name}.token`), "utf8").trim();

beforeAll(async () => {
  secrets = await makeSecrets(directory, "farm.example.com", process.env);
  mkdirSync(join(directory, "gpus"));
  // What a person puts where a pod of theirs finds it.
  const known = { ...secrets, "my-token": { token: tokenOf("client") } };
  kubelet = await Kubelet.start({ directory, secrets: known, gpu: fakeGpus(join(directory, "gpus")) });
});
afterAll(async () => {
  await kubelet?.[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
});

/** Whether a probe of each container of the pod that has one succeeds. */
const probe = async ({ probed }: Pod, kind: "readinessProbe" | "livenessProbe", timeoutMs?: number) =>
  Promise.all(
    probed.flatMap((one) => {
      const { [kind]: described } = one.described;
      return described ? [ask(kubelet.network.node, one, described, timeoutMs)] : [];
    }),
  );

/**
 * What a tracker's page has at a path, for an admin, through a forwarded port. A tracker on a busy machine may not reach its
 * store in time, and says so (503); it is asked again.
 */
async function read(objects: readonly Manifest[], path: string, of = tracker()): Promise<{ readonly nodes: readonly Node[] }> {
  const { host, port, tls } = await forwarded(objects);
  const door = await of.network.forward();
  const headers = { host: `127.0.0.1:${port}`, authorization: `Bearer ${tokenOf("admin")}` };
  let said = "";
  await until(async () => {
    const { status, text } = await door.ask({ host, port }, path, { headers, ...(tls ? { tls } : {}) });
    expect([200, 503], text).toContain(status);
    said = text;
    return status === 200;
  }, path);
  return JSON.parse(said);
}
interface Node {
  readonly node: string;
  readonly role: string;
  readonly state: string;
  readonly slots?: number;
  readonly devices: readonly unknown[];
}
/** The farm's own list of nodes. */
const nodes = async (objects: readonly Manifest[], of = tracker()) => (await read(objects, "/farm", of)).nodes;

const forwarded = async (objects: readonly Manifest[]) => ({
  host: "127.0.0.1",
  port: 9291,
  tls: isTls(objects) ? { ca: readFileSync(join(directory, "tracker.crt")), servername: "localhost" } : undefined,
});

/** All workers are there, every probe succeeds, nothing has ended but jobs that are done. */
async function expectWell(objects: readonly Manifest[]): Promise<void> {
  const workers = kubelet.pods.flatMap(({ workload, probed }) => (/builder|runner/.test(workload.name) ? probed : []));
  await until(
    async () => {
      kubelet.revive();
      return (await nodes(objects)).filter(({ state }) => state !== "LOST").length >= workers.length;
    },
    "all workers to be there",
    300_000,
  );
  for (const pod of kubelet.pods)
    for (const kind of ["readinessProbe", "livenessProbe"] as const)
      await until(async () => !(await probe(pod, kind)).includes(false), `${pod.workload.name}: ${kind}`, 300_000);
  const jobs = kubelet.pods.filter(({ workload }) => workload.name.startsWith("Job/") && !/runner/.test(workload.name));
  await until(
    () => {
      kubelet.revive();
      return jobs.every(({ probed }) => probed.every(({ container }) => container.exitCode === 0));
    },
    "jobs to be done",
    300_000,
  );
}

const tracker = () => kubelet.pod("Deployment/warpfarm-tracker");
const trackerAt = (port: "grpc" | "http") => ({
  host: tracker().network.address,
  port: portOf(tracker().probed[0]?.described ?? never(), port),
});
const never = (): never => {
  throw new Error("the tracker has no container");
};

/** What Prometheus gets, by what the ServiceMonitor says, from a pod of the namespace `monitoring`. */
async function scraped(objects: readonly Manifest[]): Promise<string> {
  const { spec } = objects.find(({ kind }) => kind === "ServiceMonitor") ?? never();
  const [{ scheme, path, port, tlsConfig, authorization }] = spec.endpoints;
  const service =
    objects.find(({ kind, metadata }) => kind === "Service" && selects(spec.selector, metadata.labels ?? {})) ?? never();
  const { targetPort } = service.spec.ports.find(({ name }: { name: string }) => name === port);
  const to = trackerAt(targetPort);
  const prometheus = { namespace: "monitoring", labels: { "app.kubernetes.io/name": "prometheus" } };
  expect(isAllowed(objects, prometheus, kubelet.listenerOf(tracker()), to.port)).toBe(true);
  const { name, key } = authorization.credentials;
  const ca = tlsConfig.ca && secrets[tlsConfig.ca.secret.name]?.[tlsConfig.ca.secret.key];
  const tls = scheme === "https" ? { tls: { ca: Buffer.from(ca), servername: tlsConfig.serverName } } : {};
  const headers = { authorization: `${authorization.type} ${secrets[name]?.[key]}` };
  const { status, text } = await kubelet.network.node.ask(to, path, { headers, ...tls });
  expect([status, text.slice(0, 100)]).toEqual([200, expect.anything()]);
  return text;
}

/** A person who forwards the port, and one who comes from another machine. */
async function expectPage(objects: readonly Manifest[]): Promise<void> {
  const { host, port, tls } = await forwarded(objects);
  const door = await tracker().network.forward();
  const person = await signIn(door, { host, port }, tokenOf("client"), tls);
  expect(person).toMatchObject({ status: 200, name: "alice", nodes: expect.arrayContaining(["warpfarm-builder-1"]) });
  const other = await signIn(kubelet.network.node, trackerAt("http"), tokenOf("client"), tls);
  if (tls) expect(other).toMatchObject({ status: 200, name: "alice" });
  else expect(other).toMatchObject({ status: 403, name: "", refusal: expect.stringMatching(/kubectl port-forward/), nodes: [] });
}

/**
 * Every connection that policies allow was made, and nobody was turned away. Postgres' own pods are told apart by what they run.
 */
function expectPolicies(objects: readonly Manifest[]): void {
  const turnedAway = [...kubelet.made].filter(([, isLet]) => !isLet).map(([name]) => name);
  expect(turnedAway).toEqual([]);
  expect(kubelet.allowed.filter((name) => !kubelet.made.has(name))).toEqual([]);
  const otherPods = [
    { namespace: "default", labels: {} },
    { namespace: "warpfarm", labels: { app: "other" } },
  ];
  for (const pod of kubelet.pods) {
    expect([pod.workload.name, mayAskNames(objects, pod.workload.labels)]).toEqual([pod.workload.name, true]);
    for (const other of otherPods)
      for (const { containerPort } of pod.workload.pod.containers.flatMap(({ ports = [] }) => ports))
        expect([pod.workload.name, containerPort, isAllowed(objects, other, kubelet.listenerOf(pod), containerPort)]).toEqual([
          pod.workload.name,
          containerPort,
          false,
        ]);
  }
}

/** Each worker's share of its node is what its limits say; no two runners have a cache folder in common. */
async function expectShares(objects: readonly Manifest[]): Promise<void> {
  const folders = new Map<string, string>();
  for (const { workload, probed } of kubelet.pods)
    for (const { described, container } of probed) {
      const cache = container.words.find((word) => word.startsWith("--cache="))?.slice("--cache=".length);
      if (cache === undefined) continue;
      const mount = container.mounts.filter(({ to }) => cache === to || cache.startsWith(`${to}/`)).at(-1);
      const folder = `${mount?.from}${cache.slice(mount?.to.length)}`;
      expect([folder, existsSync(folder)]).toEqual([folder, true]);
      expect(folders.get(folder)).toBeUndefined();
      folders.set(folder, `${workload.name}/${described.name}`);
      const cpus = Number(described.resources?.limits?.cpu);
      const flag = container.words.find((word) => /^--(slots|threads)=/.test(word));
      if (flag !== undefined) expect([workload.name, flag]).toEqual([workload.name, expect.stringMatching(`=${cpus}$`)]);
    }
  const builder = objects.find(({ kind, metadata }) => kind === "Deployment" && metadata.name === "warpfarm-builder");
  const slots = Number(builder?.spec.template.spec.containers[0].resources.limits.cpu);
  const ofBuilder = async () => {
    const { nodes: fleet } = await read(objects, "/api/fleet");
    return fleet.find(({ role, state }) => role === "builder" && state !== "LOST");
  };
  // A pod that has just started may be ready before the tracker's list names it.
  await until(async () => (await ofBuilder()) !== undefined, "a builder to be there");
  expect(await ofBuilder()).toMatchObject({ slots });
}

/** One GPU, and of the node with eight those that the kubelet starts. */
const runners = isFull ? 9 : 3;

test("each runner of a node with eight GPUs has a name, a cache and a port of its own, which its probes ask", () => {
  const eight = workloadsOf(objectsOf("gpu+all")).find(({ pod }) => pod.containers.length === 8) ?? never();
  const facts = eight.pod.containers.map((one) => {
    const [gpu, port] = ["GPU", "HEALTH_PORT"].map((name) => one.env?.find((each) => each.name === name)?.value);
    for (const probe of [one.startupProbe, one.livenessProbe])
      expect([one.name, portOf(one, probe?.httpGet?.port ?? "")]).toEqual([one.name, Number(port)]);
    return [one.name, gpu, port];
  });
  for (const column of [0, 1, 2]) expect(new Set(facts.map((each) => each[column])).size).toBe(8);
});

describe("a farm of GPUs with everything, plain", () => {
  const objects = objectsOf("gpu+all");
  test("starts, and every probe succeeds; both trackers have all workers, which came to either", async () => {
    await kubelet.apply(objects);
    await expectWell(objects);
    const all = [...Array(runners).fill("runner"), "builder"].sort();
    for (const of of [tracker(), kubelet.pod("Deployment/warpfarm-tracker-2")])
      await until(
        async () =>
          (await nodes(objects, of))
            .map(({ role }) => role)
            .sort()
            .join() === all.join(),
        `a builder and ${runners} runners on a tracker`,
      );
  });

  test("shares of nodes are the limits, and caches are apart", () => expectShares(objects));

  test("a person reaches the page by a forwarded port, and from elsewhere no token is taken", () => expectPage(objects));

  test("Prometheus scrapes, and each waiting build counts once for the autoscaler, whatever the number of trackers", async () => {
    // A tracker's count of nodes may be a moment old.
    const isCounted = new RegExp(`^warpfarm_nodes\\{role="runner",state="ACTIVE"\\} ${runners}$`, "m");
    await until(async () => isCounted.test(await scraped(objects)), "all runners to be counted");
    expect(await scraped(objects)).toMatch(/^warpfarm_store_up 1$/m);
  });

  test("a dump is made in the night, whole, by its own way to the store; of those there the last seven stay", async () => {
    const volume = kubelet.volume("warpfarm-backup");
    const older = Array.from({ length: 8 }, (_, day) => `warpfarm-2020010${day + 1}T021700Z.dump`);
    for (const name of [...older, "warpfarm-20200109T021700Z.dump.part"]) writeFileSync(join(volume, name), "");
    const { code, said } = await kubelet.run("CronJob/warpfarm-backup");
    expect([code, said]).toEqual([0, expect.stringMatching(/^backup warpfarm-\d{8}T\d{6}Z\.dump$/m)]);
    const [, dump = ""] = /^backup (\S+)$/m.exec(said) ?? [];
    expect(readdirSync(volume).sort()).toEqual([...older.slice(2), dump]);
    expect(statSync(join(volume, dump)).size).toBeGreaterThan(1_000);
  });

  test("every connection that the policies allow was made, none that they refuse, and other pods reach nothing", () =>
    expectPolicies(objects));

  test("a tracker without its store is not ready, lives on, and is ready again", async () => {
    await kubelet.without("warpfarm-postgres", async () => {
      await until(async () => (await probe(tracker(), "readinessProbe")).includes(false), "the tracker not to be ready");
      expect(await probe(tracker(), "livenessProbe")).toEqual([true]);
    });
    await until(async () => !(await probe(tracker(), "readinessProbe")).includes(false), "the tracker to be ready again");
  });

  test("a builder and a runner that hang fail their liveness probe", async () => {
    for (const name of ["Deployment/warpfarm-builder", "DaemonSet/warpfarm-runner"]) {
      const [{ container } = never()] = kubelet.pod(name).probed;
      container.signal("SIGSTOP");
      expect(await probe(kubelet.pod(name), "livenessProbe", 2_000)).toEqual([false]);
      container.signal("SIGCONT");
      await until(async () => !(await probe(kubelet.pod(name), "livenessProbe")).includes(false), `${name} to live`);
    }
  });
});

/** Plain ones first, and of those the ones with GPUs, so that a pod is started once for each of the two. */
const [plain, secure] = [false, true].map((tls) => names.filter((name) => isTls(objectsOf(name)) === tls)) as [
  string[],
  string[],
];
const isOfGpus = (name: string) => Number(!JSON.stringify(objectsOf(name)).includes("runner-cuda"));
describe("what else is rendered", () => {
  const starts = async (name: string): Promise<void> => {
    const objects = objectsOf(name);
    // A store of one's own.
    const stored = objects.some(({ kind }) => kind === "StatefulSet")
      ? objects
      : [...objects, ...storeOf(objectsOf("cpu+postgres"))];
    if (!kubelet.isNews(stored)) return;
    await kubelet.apply(stored);
    await expectWell(stored);
    await expectShares(stored);
    await expectPage(stored);
    if (stored.some(({ kind }) => kind === "ServiceMonitor")) await scraped(stored);
    expect([...kubelet.made].filter(([, isLet]) => !isLet)).toEqual([]);
  };
  const what = "%s: new pods start, are probed, and are reached as their policies say";
  test.each(plain.toSorted((a, b) => isOfGpus(a) - isOfGpus(b)))(what, starts);

  test("on processors a pod of a client tunes through the service, on trials that builder and runner of the cluster did", async () => {
    const client: Workload = {
      name: "Pod/search",
      labels: { "warpfarm.dev/client": "true" },
      replicas: 1,
      pod: {
        securityContext: { runAsUser: 65532, runAsGroup: 65532 },
        containers: [
          {
            name: "search",
            image: "warpfarm/client:0.1.0",
            args: [
              ...[
                "tune",
                "matmul_derived",
                "--args",
                '{"M":32,"N":32,"K":32}',
                "--trials",
                "2",
                "--log",
                "/tmp/log.jsonl",
                "--json",
              ],
              ...["--tracker", "warpfarm-tracker:9290", "--token-file", "/etc/warpfarm/token", ...quickTune],
            ],
            securityContext: { readOnlyRootFilesystem: true },
            volumeMounts: [
              { name: "identity", mountPath: "/etc/warpfarm", readOnly: true },
              { name: "tmp", mountPath: "/tmp" },
            ],
          },
        ],
        volumes: [
          { name: "identity", secret: { secretName: "my-token" } },
          { name: "tmp", emptyDir: {} },
        ],
      },
    };
    const farm = async () => JSON.stringify(await read(objectsOf("cpu"), "/farm"), undefined, 1);
    const { code, said } = await kubelet.runPod(client, { look: farm });
    expect([code, said]).toEqual([0, expect.stringContaining('"NO_ERROR":2')]);
    expect(kubelet.made.get("Pod/search warpfarm-tracker:9290")).toBe(true);
  });

  test("a pod that does not end is ended, and the error says how the others are, which are started again", async () => {
    const container = { name: "idle", image: "warpfarm/client:0.1.0", command: ["/bin/sleep", "1000"] };
    const pod = { securityContext: { runAsUser: 65532, runAsGroup: 65532 }, containers: [container] };
    const [{ container: builder } = never()] = kubelet.pod("Deployment/warpfarm-builder").probed;
    builder.kill();
    await builder.finished();
    const look = async () => "what was looked at";
    const idle = kubelet.runPod({ name: "Pod/idle", labels: {}, replicas: 1, pod }, { limitMs: 0, look });
    const { message } = await idle.then(never, (error: Error) => error);
    for (const line of [
      /^waited 0 ms in vain for Pod\/idle to end$/m,
      /^Pod\/idle\/idle: runs$/m,
      /^Deployment\/warpfarm-tracker\/tracker: runs.*; its probe (succeeds|fails)$/m,
      /^Deployment\/warpfarm-builder\/builder: runs, started again \d+ times; its probe (succeeds|fails)$/m,
      /^what was looked at$/m,
    ])
      expect(message).toMatch(line);
    expect(kubelet.pods.map(({ workload }) => workload.name)).not.toContain("Pod/idle");
    // A program that has just begun ends by SIGTERM as well, and not by the SIGKILL that would come after it.
    await until(() => builder.hasProgram, "the builder's program to begin");
    expect(await builder.stop()).toBe(143);
    kubelet.revive();
  });

  test("what Kueue resumes are runners, and what it suspends hands back its work and goes", async () => {
    const objects = [...objectsOf("gpu+kueue"), ...storeOf(objectsOf("cpu+postgres"))];
    const resumed = objects.map((one) => (one.kind === "Job" ? { ...one, spec: { ...one.spec, suspend: false } } : one));
    const name = "Job/warpfarm-runner-borrowed";
    const isBorrowed = ({ node, state }: { node: string; state: string }) => node.endsWith("-borrowed") && state !== "LOST";
    const borrowed = async () => (await nodes(objects)).filter(isBorrowed).map(({ state }) => state);
    await kubelet.apply(objects);
    expect(kubelet.pods.map(({ workload }) => workload.name)).not.toContain(name);
    for (let times = 0; times < (isFull ? 2 : 1); times++) {
      await kubelet.apply(resumed);
      await expectWell(resumed);
      // Two trackers list nodes, and each one's list may be a moment old.
      await until(async () => (await borrowed()).join() === "ACTIVE", "its row to say that it is there");
      const [{ container } = never()] = kubelet.pod(name).probed;
      await kubelet.apply(objects);
      // It ended in order.
      expect(container.exitCode).toBe(143);
      await until(async () => (await borrowed()).length === 0, "its row to say that it left");
    }
  });

  test.each(secure)(what, starts);
});

const storeOf = (objects: readonly Manifest[]) => objects.filter(({ metadata }) => metadata.name === "warpfarm-postgres");
