/**
 * The HTTP side: /healthz (the process answers) and /readyz (its store too) for probes, /metrics for Prometheus, /farm as JSON
 * for scripts, and the page for people. Probes need no token. Everything else has gRPC's authorization: off loopback every caller
 * shows a token, and on loopback a caller without one sees what every client may see.
 */
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { type ServerType, serve } from "@hono/node-server";
import { FarmError } from "@warpfarm/common";
import { parseAddress, type TlsFiles, tlsOptions } from "@warpfarm/proto";
import { guard, httpError } from "@warpfarm/web";
import { Hono } from "hono";
import { type HttpDoors, principalOf } from "../doors/http-doors.ts";
import { viewOf } from "../doors/rights.ts";
import type { TrackerContext } from "../services/context.ts";
import { claimBacklog } from "../store/sql/claims.ts";
import type { Farm } from "./metrics.ts";
import { askStore } from "./readiness.ts";
import { countQuarantined, readBacklog } from "./snapshot.ts";

export interface HttpServer {
  readonly port: number;
  close(): Promise<void>;
}

const maxAgeMs = 1_000;

interface HttpAppOptions {
  /** Absent: callers are not identified. */
  readonly doors?: HttpDoors | undefined;
  /** Whether only this machine reaches the port, so only its own names are answered. */
  readonly isLoopback?: boolean;
  readonly page?: Hono;
}

export function httpApp(
  { db, snapshots, metrics, clock, log, audit, secrets }: TrackerContext,
  { doors, isLoopback = false, page }: HttpAppOptions = {},
): Hono {
  const app = new Hono();
  app.onError((error, c) => {
    const { status, message } = httpError(error);
    if (status === 401 || status === 403) audit.refused(c.req.path, "http", error as FarmError);
    if (status === 500) log.error({ error, path: c.req.path }, "http");
    return c.text(`${message}\n`, status, status === 401 ? { "www-authenticate": "Bearer" } : {});
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
  /** Undefined when the store is away. The tracker's own counts are still worth a scrape then. */
  const readFarm = async (): Promise<Farm | undefined> => {
    try {
      return {
        snapshot: await snapshots.get(maxAgeMs),
        backlog: await readBacklog(db.lazy),
        quarantined: await countQuarantined(db.lazy),
        claims: await claimBacklog(db.lazy),
      };
    } catch (error) {
      if (!(error instanceof FarmError && error.code === "UNAVAILABLE")) throw error;
      log.warn({ error }, "metrics without the store");
      return undefined;
    }
  };
  for (const path of ["/metrics", "/farm"]) app.use(path, guard(isLoopback));
  app.get("/metrics", async (c) => {
    principalOf(c, doors);
    const { contentType, text } = await metrics.scrape(await readFarm());
    return c.text(text, 200, { "content-type": contentType });
  });
  app.get("/farm", async (c) => {
    const principal = principalOf(c, doors);
    return c.json(snakeCased(viewOf(await snapshots.get(maxAgeMs), principal, secrets)));
  });
  if (page) app.route("/", page);
  return app;
}

/** Names of fields as on the wire. Names within labels and limits belong to their users. */
export function snakeCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCased);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      name === "labels" || name === "limits" ? inner : snakeCased(inner),
    ]),
  );
}

/** Requests a certificate but requires none: probes have none, and Prometheus may have a token. */
const asksWhoHasOne = ({ ca }: TlsFiles) => (ca === undefined ? {} : { requestCert: true, rejectUnauthorized: false });

export function serveHttp(app: Hono, listen: string, tls?: TlsFiles): Promise<HttpServer> {
  const { host, port } = parseAddress(listen);
  const secure = tls ? { createServer, serverOptions: { ...tlsOptions, ...tls, ...asksWhoHasOne(tls) } } : {};
  return new Promise((resolve, reject) => {
    const server: ServerType = serve({ fetch: app.fetch, hostname: host, port, ...secure }, (info: AddressInfo) => {
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
