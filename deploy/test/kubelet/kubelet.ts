/**
 * A cluster of one machine for rendered manifests: starts what is new or changed, as `kubectl apply` and a kubelet would, waits
 * for startup probes, mounts secrets, and lets through the connections that network policies allow. A container that runs
 * already, unchanged, is not started again.
 */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { isFull } from "../../../test-support/campaign.ts";
import { until } from "../../../test-support/until.ts";
import {
  argsOf,
  type Container,
  envOf,
  type Manifest,
  type Secrets,
  selects,
  type Volume,
  type Workload,
  workloadsOf,
} from "../deployment/manifests.ts";
import { type Mount, Container as Running } from "./container.ts";
import { imageOf } from "./image.ts";
import { immutableChanges } from "./immutable.ts";
import { Network, type PodNetwork } from "./network.ts";
import { farmNamespace, isAllowed, type Listener } from "./policies.ts";
import { ask, type Probed, stateOf } from "./probes.ts";

export interface Pod {
  readonly workload: Workload;
  readonly node: string;
  readonly network: PodNetwork;
  readonly probed: readonly Probed[];
}

export interface KubeletOptions {
  readonly directory: string;
  readonly secrets: Secrets;
  /** Folders of libraries by device number, each with a libcuda.so.1 of one GPU. */
  readonly gpu: (number: number) => string;
}

/** What a pod is made of, but for where it is scheduled. Images of one part are one image, in whatever registry. */
const formOf = ({ labels, pod }: Workload): string =>
  JSON.stringify([labels, { ...pod, affinity: undefined, tolerations: undefined }]).replaceAll(
    /"image":"[^"]*\/(?=warpfarm\/)/g,
    '"image":"',
  );

/** The form, and the ConfigMaps that its variables come from. */
const keyOf = (workload: Workload, objects: readonly Manifest[]): string => {
  const named = workload.pod.containers.flatMap(({ envFrom = [] }) => envFrom.map(({ configMapRef }) => configMapRef?.name));
  const maps = objects.filter(({ kind, metadata }) => kind === "ConfigMap" && named.includes(metadata.name));
  return JSON.stringify([formOf(workload), maps.map(({ data }) => data)]);
};

/** What tells the containers of one pod apart: each has a GPU, a cache and a port of its own. */
const own = ["name", "env", "ports", "startupProbe", "livenessProbe", "readinessProbe"];
const isLike = (a: Container, b: Container): boolean =>
  isDeepStrictEqual(
    ...([a, b].map((one) => Object.entries(one).filter(([field]) => !own.includes(field))) as [unknown, unknown]),
  );

/** As many trackers as there are to be. Of the others one is started, because nothing tells a second one from the first. */
const copiesOf = (workload: Workload): readonly Workload[] =>
  Array.from({ length: /tracker/.test(workload.name) ? workload.replicas : 1 }, (_, i) =>
    i === 0 ? workload : { ...workload, name: `${workload.name}-${i + 1}` },
  );

export class Kubelet implements AsyncDisposable {
  readonly network: Network;
  readonly #options: KubeletOptions;
  readonly #pods = new Map<string, Pod & { readonly key: string }>();
  readonly #services = new Map<string, string>();
  readonly #volumes = new Map<string, string>();
  readonly #seen = new Set<string>();
  /** Forms of which all containers were started. */
  readonly #whole = new Set<string>();
  /** Names of pods that `runPod` runs. */
  readonly #once = new Set<string>();
  #objects: readonly Manifest[] = [];
  #gpus = 0;

  private constructor(network: Network, options: KubeletOptions) {
    this.network = network;
    this.#options = options;
  }

  static async start(options: KubeletOptions): Promise<Kubelet> {
    return new Kubelet(await Network.open(options.directory), options);
  }

  pod(name: string): Pod {
    const found = this.#pods.get(name);
    if (!found) throw new Error(`${name} does not run; ${[...this.#pods.keys()].join(", ")} do`);
    return found;
  }
  get pods(): readonly Pod[] {
    return [...this.#pods.values()];
  }
  /** Whether some pod of these was never started. */
  isNews(objects: readonly Manifest[]): boolean {
    return workloadsOf(objects).some((workload) => !workload.isSuspended && !this.#seen.has(keyOf(workload, objects)));
  }

  /**
   * Throws where the cluster would refuse it, or a pod does not start. Jobs of a schedule are only
   * made by `run`, and pods of a suspended Job not at all.
   */
  async apply(objects: readonly Manifest[]): Promise<void> {
    const refused = immutableChanges(this.#objects, objects);
    if (refused.length > 0) throw new Error(refused.join("\n"));
    const wanted = new Map(
      workloadsOf(objects)
        .filter(({ name, isSuspended }) => !name.startsWith("CronJob/") && isSuspended !== true)
        .flatMap(copiesOf)
        .map((one) => [one.name, one]),
    );
    const ending = [...this.#pods].filter(([name, { key }]) => {
      const workload = wanted.get(name);
      return workload === undefined || keyOf(workload, objects) !== key;
    });
    await Promise.all(ending.map(([name]) => this.#end(name)));
    this.#objects = objects;
    for (const { kind, metadata } of objects)
      if (kind === "Service" && !this.#services.has(metadata.name)) this.#services.set(metadata.name, this.network.service());
    // A cluster has no order; without one here a tracker would be started in vain until its store is there.
    for (const wave of [/postgres/, /tracker/, /./]) {
      const starting = [...wanted.values()].filter(({ name }) => wave.test(name) && !this.#pods.has(name));
      await Promise.all(starting.map((workload) => this.#place(workload)));
      await this.#route();
      const pods = starting.map((workload) => this.#begin(workload));
      await Promise.all(pods.map((pod) => this.#startUp(pod)));
    }
  }

  /** Starts again what has ended, except a job that is done and what runs once. */
  revive(): void {
    for (const { workload, probed } of this.pods)
      for (const { container } of probed) {
        const isDone = workload.name.startsWith("Job/") && container.exitCode === 0;
        if (container.hasEnded && !isDone && !this.#once.has(workload.name)) container.restart();
      }
  }

  /** Runs a scheduled job once. Resolves to its exit code and what it said. */
  async run(name: string): Promise<{ readonly code: number | null; readonly said: string }> {
    const workload = workloadsOf(this.#objects).find((one) => one.name === name);
    if (!workload) throw new Error(`no ${name}`);
    return this.runPod(workload);
  }

  /**
   * As `kubectl run`: one pod, to its end. Others that end meanwhile are started again. One that does not end is killed, and the
   * error says how the others are; what all said is shown with any test that fails. `look`: what else is to be told then.
   */
  async runPod(
    workload: Workload,
    { limitMs = 300_000, look = async () => "" }: { limitMs?: number; look?: () => Promise<string> } = {},
  ): Promise<{ readonly code: number | null; readonly said: string }> {
    const { name } = workload;
    this.#once.add(name);
    await this.#place(workload);
    await this.#route();
    const pod = this.#begin(workload);
    const [{ container } = this.#none(name)] = pod.probed;
    try {
      const hasEnded = () => {
        this.revive();
        return container.hasEnded;
      };
      await until(hasEnded, `${name} to end`, limitMs).catch(async (error: Error) => {
        const states = this.pods.flatMap(({ probed }) => probed.map((one) => stateOf(this.network.node, one)));
        const more = look().catch((reason: Error) => reason.message);
        throw new Error([error.message, container.said, ...(await Promise.all([...states, more]))].join("\n"));
      });
      return { code: await container.finished(), said: container.said };
    } finally {
      container.kill();
      await container.finished();
      pod.network.end();
      this.#pods.delete(name);
    }
  }

  /** Lets nobody reach a service, as where its node is cut off, for as long as `work` takes. */
  async without(service: string, work: () => Promise<void>): Promise<void> {
    await this.#route(service);
    await work();
    await this.#route();
    this.network.forget();
  }

  /** "FROM-WORKLOAD SERVICE:PORT" of each connection that was tried, and whether it was let through. */
  get made(): ReadonlyMap<string, boolean> {
    return new Map(
      [...this.network.made].flatMap(([key, isLet]) =>
        this.#names.has(key) ? [[this.#names.get(key) as string, isLet]] : [[key, isLet]],
      ),
    );
  }
  /** "FROM-WORKLOAD SERVICE:PORT" of each connection that the policies allow. */
  get allowed(): readonly string[] {
    return this.#allowed;
  }
  readonly #names = new Map<string, string>();
  #allowed: readonly string[] = [];

  #none(name: string): never {
    throw new Error(`${name} has no container`);
  }

  listenerOf({ workload }: Pod): Listener {
    const ports = workload.pod.containers.flatMap((container) => container.ports ?? []);
    return {
      namespace: farmNamespace,
      labels: workload.labels,
      port: (wanted) => (typeof wanted === "number" ? wanted : ports.find(({ name }) => name === wanted)?.containerPort),
    };
  }

  async #route(away?: string): Promise<void> {
    const services: { host: string; port: number }[] = [];
    const allowed: Record<string, readonly { host: string; port: number }[]> = {};
    const names: string[] = [];
    for (const { kind, metadata, spec } of this.#objects) {
      const host = this.#services.get(metadata.name);
      if (kind !== "Service" || host === undefined) continue;
      const endpoints = this.pods.filter(({ workload }) => selects({ matchLabels: spec.selector }, workload.labels));
      const [to] = endpoints;
      for (const { port, targetPort } of spec.ports) {
        services.push({ host, port });
        if (!to) continue;
        // Equal pods are selected by equal policies.
        const listener = this.listenerOf(to);
        const target = listener.port(targetPort);
        for (const { workload, network } of this.pods) {
          const key = `${network.address} ${host}:${port}`;
          const name = `${workload.name} ${metadata.name}:${port}`;
          this.#names.set(key, name);
          if (
            target === undefined ||
            !isAllowed(this.#objects, { namespace: farmNamespace, labels: workload.labels }, listener, target)
          )
            continue;
          if (!endpoints.some((one) => one.workload.name === workload.name)) names.push(name);
          if (metadata.name !== away) allowed[key] = endpoints.map((one) => ({ host: one.network.address, port: target }));
        }
      }
    }
    this.#allowed = names;
    await this.network.route({ services, allowed });
  }

  /** Gives a pod its address. */
  async #place(workload: Workload): Promise<void> {
    const key = keyOf(workload, this.#objects);
    this.#seen.add(key);
    const node = `node-of-${workload.name.replace(/.*\//, "")}`;
    this.#pods.set(workload.name, { workload, node, network: await this.network.pod(), probed: [], key });
  }

  /** Starts its containers. */
  #begin({ name }: Workload): Pod {
    const placed = this.#pods.get(name) ?? this.#none(name);
    const { workload, network, node } = placed;
    const { pod } = workload;
    const short = name.replace(/.*\//, "");
    const home = mkdtempSync(join(this.#options.directory, `${short}-`));
    const hosts = join(home, "hosts");
    writeFileSync(
      hosts,
      [
        "127.0.0.1 localhost",
        ...[...this.#services].map(([service, address]) => `${address} ${service} ${service}.warpfarm ${service}.warpfarm.svc`),
      ].join("\n"),
    );
    const volumes = new Map((pod.volumes ?? []).map((volume) => [volume.name, this.#volume(volume, home)]));
    // Of containers that are like the first, as those of eight GPUs, npm test starts two. Where only a ConfigMap is new, what it
    // does to one it does to all.
    const [first] = pod.containers;
    const alike = pod.containers.filter((one) => isLike(one, first as Container));
    const most = this.#whole.has(formOf(workload)) ? 1 : isFull ? alike.length : 2;
    const containers = pod.containers.filter((one) => !alike.slice(most).includes(one));
    this.#whole.add(formOf(workload));
    const probed = containers.map((described): Probed => {
      const env = {
        ...envOf(described, this.#objects, this.#options.secrets, { "metadata.name": `${short}-1`, "spec.nodeName": node }),
      };
      const mounts: Mount[] = [{ from: hosts, to: "/etc/hosts", isReadOnly: true }];
      for (const { name: volume, mountPath, readOnly = false } of described.volumeMounts ?? []) {
        const from = volumes.get(volume) ?? this.#claim(`${short}-${volume}`);
        mounts.push({ from, to: mountPath.replace(/^\/var\/run\//, "/run/"), isReadOnly: readOnly });
      }
      if (described.resources?.limits?.["nvidia.com/gpu"] !== undefined || described.resources?.claims !== undefined) {
        // What the NVIDIA container toolkit brings, for the device plugin and for the DRA driver.
        mounts.push({ from: this.#options.gpu(this.#gpus++), to: "/opt/nvidia", isReadOnly: true });
        env.LD_LIBRARY_PATH = "/opt/nvidia";
      }
      const { runAsUser: uid, runAsGroup: gid } = pod.securityContext ?? {};
      const container = new Running({
        name: `${name}/${described.name}`,
        image: imageOf(described.image, "bundled"),
        ...(described.command ? { command: described.command } : {}),
        ...(described.args ? { args: argsOf(described, env) } : {}),
        env,
        mounts,
        user: { uid: Number(uid), gid: Number(gid) },
        isRootReadOnly: described.securityContext?.readOnlyRootFilesystem === true,
        hostname: `${short}-1`,
        network: network.pid,
      });
      return { described, container, address: network.address };
    });
    const made = { ...placed, probed };
    this.#pods.set(name, made);
    return made;
  }

  async #startUp({ workload, probed }: Pod): Promise<void> {
    for (const one of probed) {
      const { described, container } = one;
      const probe = described.startupProbe ?? described.readinessProbe;
      if (probe)
        await until(
          async () => {
            this.revive();
            return ask(this.network.node, one, probe);
          },
          `${workload.name}/${described.name} to start: ${container.words.join(" ")}`,
          300_000,
        ).catch((error: Error) => {
          throw new Error(`${error.message}\n${container.said.slice(-2_000)}`);
        });
    }
  }

  /** A folder of this machine for a volume. Throws where a pod would wait for ever. */
  #volume({ name, secret, projected, configMap, persistentVolumeClaim }: Volume, home: string): string {
    if (persistentVolumeClaim) return this.#claim(persistentVolumeClaim.claimName);
    const directory = join(home, name);
    mkdirSync(directory);
    const put = (content: Readonly<Record<string, string>> | undefined, what: string, items: PodItems, isOptional = false) => {
      if (content === undefined && !isOptional) throw new Error(`no ${what}`);
      for (const { key, path } of items ?? Object.keys(content ?? {}).map((one) => ({ key: one, path: one }))) {
        if (content?.[key] === undefined && isOptional) continue;
        if (content?.[key] === undefined) throw new Error(`${what} has no ${key}`);
        mkdirSync(dirname(join(directory, path)), { recursive: true });
        // A kubelet's files are root's, and the group of the pod reads them. Here they are the container's own user's, which gets
        // the rights of the group.
        const mode = secret?.defaultMode ?? 0o644;
        writeFileSync(join(directory, path), content[key], { mode: ((mode & 0o070) << 3) | (mode & 0o007) | 0o200 });
      }
    };
    const { secrets } = this.#options;
    if (secret) put(secrets[secret.secretName], `secret ${secret.secretName}`, secret.items);
    for (const { secret: source } of projected?.sources ?? [])
      if (source) put(secrets[source.name], `secret ${source.name}`, source.items, source.optional);
    if (configMap)
      put(
        this.#objects.find(({ kind, metadata }) => kind === "ConfigMap" && metadata.name === configMap.name)?.data,
        `ConfigMap ${configMap.name}`,
        configMap.items,
      );
    return directory;
  }

  /** What outlives its pods. */
  #claim(name: string): string {
    const known = this.#volumes.get(name) ?? mkdtempSync(join(this.#options.directory, `${name}-`));
    this.#volumes.set(name, known);
    return known;
  }
  volume(claim: string): string {
    return this.#claim(claim);
  }

  async #end(name: string): Promise<void> {
    const { probed, network } = this.pod(name);
    await Promise.all(probed.map(({ container }) => container.stop()));
    network.end();
    this.#pods.delete(name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const containers = this.pods.flatMap(({ probed }) => probed.map(({ container }) => container));
    for (const container of containers) container.kill();
    await Promise.all(containers.map((container) => container.finished()));
    await this.network[Symbol.asyncDispose]();
  }
}

type PodItems = readonly { readonly key: string; readonly path: string }[] | undefined;
