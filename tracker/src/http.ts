/** The HTTP side: /healthz (the process answers) and /readyz (its store too) for probes, /metrics for Prometheus, /farm as JSON for people and scripts. Read only. */
import type { AddressInfo } from "node:net";
import { type ServerType, serve } from "@hono/node-server";
import { FarmError } from "@warpfarm/common";
import { parseAddress } from "@warpfarm/proto";
import { Hono } from "hono";
import type { Farm } from "./metrics.ts";
import { askStore } from "./readiness.ts";
import type { TrackerContext } from "./services/context.ts";
import { readBacklog } from "./snapshot.ts";

export interface HttpServer {
  readonly port: number;
  close(): Promise<void>;
}

const maxAgeMs = 1_000;

export function httpApp({ db, snapshots, metrics, clock, log }: TrackerContext): Hono {
  const app = new Hono();
  app.onError((error, c) => {
    log.error({ error, path: c.req.path }, "http");
    return c.text("internal error; the tracker's log has the cause\n", 500);
  });
  app.get("/healthz", (c) => c.text("ok\n"));
  app.get("/readyz", async (c) => {
    try {
      await askStore(db, clock);
      return c.text("ready\n");
    } catch (error) {
      log.warn({ error }, "not ready");
      return c.text(
        `not ready: ${error instanceof FarmError ? error.message : "the store fails; the tracker's log has the cause"}\n`,
        503,
      );
    }
  });
  /** Undefined when the store is away: what the tracker itself counted is still worth a scrape, then above all. */
  const readFarm = async (): Promise<Farm | undefined> => {
    try {
      return { snapshot: await snapshots.get(maxAgeMs), backlog: await readBacklog(db.lazy) };
    } catch (error) {
      if (!(error instanceof FarmError && error.code === "UNAVAILABLE")) throw error;
      log.warn({ error }, "metrics without the store");
      return undefined;
    }
  };
  app.get("/metrics", async (c) => {
    const { contentType, text } = await metrics.scrape(await readFarm());
    return c.text(text, 200, { "content-type": contentType });
  });
  app.get("/farm", async (c) => c.json(await snapshots.get(maxAgeMs)));
  return app;
}

export function serveHttp(app: Hono, listen: string): Promise<HttpServer> {
  const { host, port } = parseAddress(listen);
  return new Promise((resolve, reject) => {
    const server: ServerType = serve({ fetch: app.fetch, hostname: host, port }, (info: AddressInfo) => {
      server.off("error", failed);
      resolve({
        port: info.port,
        close: () =>
          new Promise((closed) => {
            server.close(() => closed());
            if ("closeAllConnections" in server) server.closeAllConnections();
          }),
      });
    });
    const failed = (error: Error) =>
      reject(new FarmError("FAILED_PRECONDITION", `cannot listen on ${listen}: ${error.message}`, { cause: error }));
    server.once("error", failed);
  });
}
