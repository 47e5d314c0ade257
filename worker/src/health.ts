/**
 * GET /healthz of a worker, for a liveness probe: 200 while its work continues, whether or not a tracker answers it, else 503.
 */
import { createServer } from "node:http";
import { FarmError } from "@warpfarm/common";
import { parseAddress } from "@warpfarm/proto";

/** A held call and a connection attempt end within half a minute. */
export const stuckAfterMs = 120_000;

export interface Health extends AsyncDisposable {
  readonly port: number;
}

/** `idleMs`: the time since the worker last did something. */
export function serveHealth(listen: string, idleMs: () => number): Promise<Health> {
  const { host, port } = parseAddress(listen);
  const server = createServer(({ url, method }, reply) => {
    if (url !== "/healthz" || (method !== "GET" && method !== "HEAD")) return void reply.writeHead(404).end();
    const idle = idleMs();
    if (idle < stuckAfterMs) reply.writeHead(200).end("ok\n");
    else reply.writeHead(503).end(`stuck for ${Math.round(idle / 1000)} s\n`);
  });
  return new Promise((resolve, reject) => {
    server.once("error", (error) =>
      reject(new FarmError("FAILED_PRECONDITION", `--health: cannot listen on ${listen}: ${error.message}`, { cause: error })),
    );
    server.listen(port, host, () => {
      const address = server.address();
      resolve({
        port: typeof address === "object" && address !== null ? address.port : port,
        async [Symbol.asyncDispose]() {
          server.closeAllConnections();
          await new Promise<void>((closed) => server.close(() => closed()));
        },
      });
    });
  });
}
