/**
 * A container's probes as the kubelet asks them: from the node, at the pod's address, with the rendered scheme, path and port.
 */
import { connect as connectHttp2 } from "node:http2";
import type { Container as Described, Probe } from "../deployment/manifests.ts";
import type { Container } from "./container.ts";
import type { Door } from "./network.ts";

export interface Probed {
  readonly described: Described;
  readonly container: Container;
  readonly address: string;
}

export const portOf = ({ ports = [] }: Described, port: number | string): number => {
  const found = typeof port === "number" ? port : ports.find(({ name }) => name === port)?.containerPort;
  if (found === undefined) throw new Error(`no port ${port}`);
  return found;
};

/**
 * Whether a probe succeeds; undefined where there is none. `timeoutMs` replaces its own, which is for a machine that is not busy.
 */
export async function ask(
  node: Door,
  { described, container, address }: Probed,
  probe: Probe,
  timeoutMs = 60_000,
): Promise<boolean> {
  try {
    if (probe.exec) return (await container.exec(probe.exec.command, timeoutMs)) === 0;
    if (probe.grpc) return (await health(node, address, probe.grpc, timeoutMs)) === "SERVING";
    if (!probe.httpGet) throw new Error("a probe of no kind that is known here");
    const { path, port, scheme = "HTTP" } = probe.httpGet;
    const to = { host: address, port: portOf(described, port) };
    // The kubelet does not verify certificates.
    const { status } = await node.ask(to, path, { timeoutMs, ...(scheme === "HTTPS" ? { tls: {} } : {}) });
    return status >= 200 && status < 400;
  } catch {
    return false;
  }
}

/** For a person: how a container is, by its process and by its probe. */
export async function stateOf(node: Door, one: Probed): Promise<string> {
  const { container, described } = one;
  const state = `${container.name}: ${container.state}`;
  const probe = described.readinessProbe ?? described.livenessProbe;
  if (!probe || container.hasEnded) return state;
  return `${state}; its probe ${(await ask(node, one, probe, 5_000)) ? "succeeds" : "fails"}`;
}

/** grpc.health.v1, without TLS, as the kubelet speaks it. */
async function health(
  node: Door,
  host: string,
  { port, service = "" }: { port: number; service?: string },
  timeoutMs: number,
): Promise<string> {
  const socket = await node.connect({ host, port });
  const session = connectHttp2(`http://${host}:${port}`, { createConnection: () => socket });
  try {
    return await new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error("no answer")), timeoutMs);
      session.on("error", reject);
      session.on("close", () => reject(new Error("closed")));
      const headers = {
        ":method": "POST",
        ":path": "/grpc.health.v1.Health/Check",
        "content-type": "application/grpc",
        te: "trailers",
      };
      const call = session.request(headers);
      let bytes = Buffer.alloc(0);
      call.on("data", (chunk: Buffer) => (bytes = Buffer.concat([bytes, chunk])));
      call.on("error", reject);
      // A frame of five bytes, then field 1 (status): 1 is SERVING.
      call.on("end", () => {
        clearTimeout(timer);
        resolve(bytes.length >= 7 && bytes[5] === 8 && bytes[6] === 1 ? "SERVING" : "NOT_SERVING");
      });
      const name = Buffer.from(service);
      const message = name.length === 0 ? Buffer.alloc(0) : Buffer.concat([Buffer.from([10, name.length]), name]);
      call.end(Buffer.concat([Buffer.from([0, 0, 0, 0, message.length]), message]));
    });
  } finally {
    session.destroy();
  }
}
