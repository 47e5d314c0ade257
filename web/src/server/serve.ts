import type { AddressInfo } from "node:net";
import { type ServerType, serve } from "@hono/node-server";
import { FarmError } from "@warpfarm/common";
import type { Hono } from "hono";

export interface PageServer extends AsyncDisposable {
  readonly address: string;
}

/** Port 0 chooses a free port. Throws FAILED_PRECONDITION when the port is in use. */
export function servePage(app: Hono, port: number): Promise<PageServer> {
  return new Promise((resolve, reject) => {
    const server: ServerType = serve({ fetch: app.fetch, hostname: "127.0.0.1", port }, (info: AddressInfo) => {
      server.off("error", failed);
      resolve({
        address: `http://127.0.0.1:${info.port}/`,
        [Symbol.asyncDispose]: () =>
          new Promise((closed) => {
            server.close(() => closed());
            if ("closeAllConnections" in server) server.closeAllConnections();
          }),
      });
    });
    const failed = (error: Error) =>
      reject(
        new FarmError("FAILED_PRECONDITION", `cannot listen on 127.0.0.1:${port}: ${error.message}; --port names another`, {
          cause: error,
        }),
      );
    server.once("error", failed);
  });
}
