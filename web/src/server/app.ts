/** The page and its API (api.ts) over HTTP, for any data source. */
import { type Clock, defined, FarmError } from "@warpfarm/common";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { Me } from "../api.ts";
import type { PageSource, RecordsAsked, Viewer } from "../source.ts";
import { type Assets, answerAsset, readAssets } from "./assets.ts";
import { eventStreams } from "./events.ts";
import { guard } from "./guard.ts";
import { httpError } from "./http-error.ts";

export interface PageDoors {
  readonly signIn: Me["signIn"];
  refusalOf?(c: Context): string | undefined;
  /** Throws FarmError UNAUTHENTICATED when the request needs a sign-in first. */
  viewerOf(c: Context): Viewer;
  /** Sets a cookie; throws FarmError UNAUTHENTICATED. */
  enter(c: Context, token: string): Viewer;
  leave(c: Context): void;
}

export interface PageAppOptions {
  readonly source: PageSource;
  readonly doors: PageDoors;
  readonly clock: Clock;
  readonly version: string;
  readonly isLoopback: boolean;
  readonly onError: (error: unknown, path: string) => void;
  readonly assets?: Assets;
}

/** For log files: one viewer, who may see everything and stop nothing. */
export const openDoors: PageDoors = {
  signIn: "none",
  viewerOf: () => ({ name: "local", isAdmin: true }),
  enter: () => ({ name: "local", isAdmin: true }),
  leave: () => {},
};

const longestBody = 64 * 1024;

export function pageApp({ source, doors, clock, version, isLoopback, onError, assets }: PageAppOptions): Hono {
  const app = new Hono();
  app.onError((error, c) => {
    const { status, code, message } = httpError(error);
    if (status === 500) onError(error, c.req.path);
    return c.json({ error: { code, message } }, status);
  });
  app.use("*", guard(isLoopback));
  app.use("/api/*", async (c, next) => {
    c.header("cache-control", "no-store");
    await next();
  });
  const events = eventStreams(source, clock, (error) => onError(error, "/api/events"));
  app.post("/api/*", async (_, next) => {
    await next();
    events.forget();
  });
  app.use("/api/*", bodyLimit({ maxSize: longestBody, onError: () => Promise.reject(tooLong()) }));
  addMe(app, { source, doors, version });
  addViews(app, source, doors);
  addActions(app, source, doors);
  app.get("/api/events", (c) => events.open(c, () => doors.viewerOf(c)));
  app.all("/api/*", (c) => {
    throw new FarmError("NOT_FOUND", `this server has no ${c.req.method} ${c.req.path}`);
  });
  // The assets are read at the first request: most processes that could serve the page never do.
  let read = assets;
  app.get("*", (c) => {
    read ??= readAssets();
    return answerPage(c, read);
  });
  return app;
}

const tooLong = () => new FarmError("INVALID_ARGUMENT", `a request has at most ${longestBody} bytes`);

/** Every view has its own address, which the page reads; the same file answers all of them. */
function answerPage(c: Context, assets: Assets): Response {
  const path = c.req.path.slice(1);
  const found = answerAsset(c, assets, path);
  if (found) return found;
  if (path.startsWith("assets/")) throw new FarmError("NOT_FOUND", `there is no ${c.req.path}`);
  return answerAsset(c, assets, "index.html") ?? c.text("the page was not built: npm run build\n", 503);
}

function addMe(app: Hono, { source, doors, version }: Pick<PageAppOptions, "source" | "doors" | "version">): void {
  const me = (c: Context, viewer: Viewer | undefined): Me => ({
    source: source.kind,
    version,
    principal: viewer?.name ?? "",
    role: viewer?.isAdmin ? "admin" : "client",
    signIn: doors.signIn,
    ...defined({ refusal: doors.refusalOf?.(c) }),
  });
  app.get("/api/me", (c) => c.json(me(c, viewerOrNobody(doors, c))));
  app.post("/api/sign-in", async (c) => {
    const { token } = await bodyOf(c);
    if (typeof token !== "string" || token === "") throw new FarmError("INVALID_ARGUMENT", "token: a text that is not empty");
    return c.json(me(c, doors.enter(c, token)));
  });
  app.post("/api/sign-out", (c) => {
    doors.leave(c);
    return c.json({});
  });
}

function viewerOrNobody(doors: PageDoors, c: Context): Viewer | undefined {
  try {
    return doors.viewerOf(c);
  } catch (error) {
    if (error instanceof FarmError && error.code === "UNAUTHENTICATED") return undefined;
    throw error;
  }
}

async function bodyOf(c: Context): Promise<{ readonly [name: string]: unknown }> {
  const text = await c.req.text();
  if (text === "") return {};
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === "object" && body !== null && !Array.isArray(body)) return body as { readonly [name: string]: unknown };
  } catch {
    // Reported below.
  }
  throw new FarmError("INVALID_ARGUMENT", "the body is a JSON object");
}

/** Throws NOT_FOUND in place of undefined. */
function there<T>(found: T | undefined, what: string, id: string): T {
  if (found === undefined)
    throw new FarmError("NOT_FOUND", `there is no ${what} ${JSON.stringify(id)} here, or it is not yours to see`);
  return found;
}

function addViews(app: Hono, source: PageSource, doors: PageDoors): void {
  app.get("/api/runs", async (c) => c.json({ runs: await source.runs(doors.viewerOf(c)) }));
  app.get("/api/runs/:id", async (c) => {
    const id = c.req.param("id");
    return c.json(there(await source.run(id, doors.viewerOf(c)), "run", id));
  });
  app.get("/api/runs/:id/trials", async (c) => {
    const id = c.req.param("id");
    const after = wholeNumber("after", c.req.query("after"), 0, Number.MAX_SAFE_INTEGER) ?? 0;
    return c.json(there(await source.trials(id, after, doors.viewerOf(c)), "run", id));
  });
  app.get("/api/records", async (c) => c.json(await source.records(askedOf(c), doors.viewerOf(c))));
  // Ids of records have slashes.
  app.get("/api/records/:id{.+}", async (c) => {
    const id = c.req.param("id");
    if (c.req.query("code") !== undefined) {
      const { name, bytes } = there(await source.code?.(id, doors.viewerOf(c)), "code of the record", id);
      c.header("content-disposition", `attachment; filename="${name}"`);
      c.header("content-type", "application/octet-stream");
      return c.body(new Uint8Array(bytes));
    }
    return c.json(there(await source.record(id, doors.viewerOf(c)), "record", id));
  });
  const farm = () => there(source.farm, "farm behind", "files");
  app.get("/api/fleet", async (c) => c.json(await farm().fleet(doors.viewerOf(c))));
  app.get("/api/queue", async (c) => c.json(await farm().queue(doors.viewerOf(c))));
  app.get("/api/suites", async (c) => c.json({ suites: await farm().suites(doors.viewerOf(c)) }));
  app.get("/api/suites/:id", async (c) => {
    const id = c.req.param("id");
    return c.json(there(await farm().suite(id, doors.viewerOf(c)), "suite", id));
  });
}

function addActions(app: Hono, source: PageSource, doors: PageDoors): void {
  const farm = () => there(source.farm, "farm behind", "files");
  app.post("/api/runs/:id/stop", async (c) => {
    await farm().stop(c.req.param("id"), doors.viewerOf(c));
    return c.json({});
  });
  app.post("/api/runs/:id/pause", async (c) => {
    await farm().pause(c.req.param("id"), await undoOf(c), doors.viewerOf(c));
    return c.json({});
  });
  app.post("/api/runs/:id/extend", async (c) => {
    const { trials } = await bodyOf(c);
    if (typeof trials !== "number") throw new FarmError("INVALID_ARGUMENT", "trials: a number, how many more");
    await farm().extend(c.req.param("id"), trials, doors.viewerOf(c));
    return c.json({});
  });
  app.post("/api/nodes/:name/drain", async (c) => {
    await farm().drain(c.req.param("name"), await undoOf(c), doors.viewerOf(c));
    return c.json({});
  });
}

async function undoOf(c: Context): Promise<boolean> {
  const { undo = false } = await bodyOf(c);
  if (typeof undo !== "boolean") throw new FarmError("INVALID_ARGUMENT", "undo: true or false");
  return undo;
}

function askedOf(c: Context): RecordsAsked {
  const { task, device, cursor } = c.req.query();
  const outcome = oneOf("outcome", c.req.query("outcome"), ["timed", "slower", "failed"] as const);
  const order = oneOf("order", c.req.query("order"), ["newest", "oldest", "fastest"] as const);
  const limit = wholeNumber("limit", c.req.query("limit"), 1, 1_000);
  return {
    ...defined({ task, device, cursor, outcome, order, limit }),
  };
}

function wholeNumber(name: string, text: string | undefined, low: number, high: number): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= low && value <= high))
    throw new FarmError("INVALID_ARGUMENT", `${name} is ${JSON.stringify(text)}; it is a whole number from ${low} to ${high}`);
  return value;
}

function oneOf<T extends string>(name: string, text: string | undefined, words: readonly T[]): T | undefined {
  if (text === undefined) return undefined;
  const found = words.find((word) => word === text);
  if (found === undefined)
    throw new FarmError("INVALID_ARGUMENT", `${name} is ${JSON.stringify(text)}; it is one of ${words.join(", ")}`);
  return found;
}
