/**
 * The network of a cluster on one machine: a namespace with a bridge, a namespace for each pod, and addresses for services, which
 * network.mjs serves as kube-proxy does. Needs no privilege but user namespaces.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { request as plainRequest } from "node:http";
import { request as secureRequest } from "node:https";
import { connect as connectTcp, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { connect as connectTls } from "node:tls";
import { fileURLToPath } from "node:url";
import { until } from "../../../test-support/until.ts";

const helper = fileURLToPath(new URL("network.mjs", import.meta.url));
const host = "10.42.0.1";
/**
 * The bridge's own. Without one it has the lowest of its ports', which changes as pods come and go, and whatever pods send is
 * lost until their neighbour tables have found the new one: up to a minute.
 */
export const hostMac = "02:00:0a:2a:00:01";

/** A command in the network (and the user namespace) of a process. */
export const inNetworkOf = (pid: number): readonly string[] => [
  "/usr/bin/nsenter",
  ...["--target", String(pid), "--user", "--net", "--preserve-credentials", "--"],
];

export interface Address {
  readonly host: string;
  readonly port: number;
}
export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}
export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** HTTPS; verified where there is an authority. */
  readonly tls?: { readonly ca?: Buffer; readonly servername?: string };
  readonly timeoutMs?: number;
}

/** Connects from inside a namespace. */
export class Door {
  readonly #socket: string;
  constructor(socket: string) {
    this.#socket = socket;
  }

  async connect({ host, port }: Address): Promise<Socket> {
    const socket = connectTcp(this.#socket);
    await once(socket, "connect");
    socket.write(`${host} ${port}\n`);
    return socket;
  }

  async ask(
    address: Address,
    path: string,
    { method = "GET", headers = {}, body, tls, timeoutMs = 120_000 }: Asked = {},
  ): Promise<Answer> {
    const plain = await this.connect(address);
    const options = { method, path, headers };
    const ca = tls?.ca;
    const socket = tls
      ? connectTls({
          socket: plain,
          rejectUnauthorized: ca !== undefined,
          ...(ca ? { ca } : {}),
          servername: tls.servername ?? "",
        })
      : plain;
    const request = (tls ? secureRequest : plainRequest)({ ...options, createConnection: () => socket });
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => request.destroy(new Error(`${path}: no answer in ${timeoutMs} ms`)), timeoutMs);
      request.on("error", reject);
      request.on("close", () => {
        clearTimeout(timer);
        plain.destroy();
      });
      request.on("response", (reply) => {
        let text = "";
        reply.on("data", (chunk: Buffer) => (text += chunk.toString()));
        reply.on("end", () => resolve({ status: reply.statusCode ?? 0, text, headers: reply.headers }));
        reply.on("error", reject);
      });
      request.end(body);
    });
  }
}

/** A namespace of one pod, which lives as long as this process. */
export interface PodNetwork {
  readonly pid: number;
  readonly address: string;
  /** As `kubectl port-forward` reaches the pod: from its own loopback. */
  forward(): Promise<Door>;
  end(): void;
}

export interface Table {
  readonly services: readonly Address[];
  /** In turn, where a service has several. */
  readonly allowed: Readonly<Record<string, readonly Address[]>>;
}

export class Network implements AsyncDisposable {
  readonly #directory: string;
  readonly #processes: ChildProcess[] = [];
  readonly #made = new Map<string, boolean>();
  #proxy: ChildProcess | undefined;
  #applied = 0;
  #pods = 0;
  #services = 0;

  private constructor(directory: string) {
    this.#directory = directory;
  }

  static async open(directory: string): Promise<Network> {
    const network = new Network(directory);
    const wrap = ["/usr/bin/unshare", "--user", "--map-root-user", "--net"];
    network.#proxy = await network.#start([...wrap, process.execPath, helper, join(directory, "cluster.sock")], true);
    network.#ip(`link set lo up\nlink add br0 address ${hostMac} type bridge\naddr add ${host}/16 dev br0\nlink set br0 up\n`);
    return network;
  }

  get #pid(): number {
    return this.#proxy?.pid ?? -1;
  }

  /** From the node's network, as the kubelet probes. */
  get node(): Door {
    return new Door(join(this.#directory, "cluster.sock"));
  }

  /** Connections to services: "FROM SERVICE:PORT", and whether they were let through. */
  get made(): ReadonlyMap<string, boolean> {
    return this.#made;
  }

  forget(): void {
    this.#made.clear();
  }

  async pod(): Promise<PodNetwork> {
    const number = ++this.#pods;
    const address = `10.42.1.${number}`;
    // Ends with this process: its standard input closes.
    const pause = await this.#start([
      ...inNetworkOf(this.#pid),
      "/usr/bin/unshare",
      "--net",
      "/bin/sh",
      "-c",
      "echo ready; read -r _",
    ]);
    const pid = pause.pid ?? -1;
    this.#ip(`link add v${number} type veth peer name eth0 netns ${pid}\nlink set v${number} master br0 up\n`);
    const inside = `link set lo up\naddr add ${address}/16 dev eth0\nlink set eth0 up\nroute add default via ${host}\n`;
    execIn(inNetworkOf(pid), ["ip", "-batch", "-"], inside);
    let door: Promise<Door> | undefined;
    const forward = async () => {
      const socket = join(this.#directory, `pod-${number}.sock`);
      await this.#start([...inNetworkOf(pid), process.execPath, helper, socket], true);
      return new Door(socket);
    };
    return { pid, address, forward: () => (door ??= forward()), end: () => void pause.kill("SIGKILL") };
  }

  /** A new address for a service. */
  service(): string {
    const address = `10.43.0.${++this.#services}`;
    this.#ip(`addr add ${address}/32 dev br0\n`);
    return address;
  }

  async route(table: Table): Promise<void> {
    const before = this.#applied;
    this.#proxy?.stdin?.write(`${JSON.stringify(table)}\n`);
    await until(() => this.#applied > before, "the table of services");
  }

  #ip(batch: string): void {
    execIn(inNetworkOf(this.#pid), ["ip", "-batch", "-"], batch);
  }

  async #start(command: readonly string[], reads = false): Promise<ChildProcess> {
    const [program = "", ...args] = command;
    const child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"], env: { PATH: process.env.PATH ?? "" } });
    this.#processes.push(child);
    let isReady = false;
    let trouble = "";
    child.stderr?.on("data", (chunk: Buffer) => (trouble += chunk.toString()));
    child.stdin?.on("error", () => {});
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on("line", (line) => {
      if (line === "ready") isReady = true;
      else if (line === "applied") this.#applied++;
      else if (reads && line.startsWith("{")) {
        const { key, isAllowed } = JSON.parse(line);
        this.#made.set(key, isAllowed && (this.#made.get(key) ?? true));
      }
    });
    await until(() => {
      if (child.exitCode !== null) throw new Error(`${command.join(" ")}: ${trouble}`);
      return isReady;
    }, command.join(" "));
    return child;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#processes.toReversed()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill("SIGKILL");
      await once(child, "exit");
    }
  }
}

const execIn = (inside: readonly string[], command: readonly string[], input: string) => {
  const [program = "", ...args] = [...inside, ...command];
  execFileSync(program, args, { input, stdio: ["pipe", "pipe", "pipe"], env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" } });
};
