import { readFileSync } from "node:fs";
import { pageApp } from "@warpfarm/web";
import type { Hono } from "hono";
import type { HttpDoors } from "../doors/http-doors.ts";
import type { TrackerContext } from "../services/context.ts";
import type { BusyHistory } from "./busy-history.ts";
import { pageDoors } from "./sign-in.ts";
import { trackerSource } from "./tracker-source.ts";

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  readonly version: string;
};

interface Listening {
  readonly isLoopback: boolean;
  readonly isTls: boolean;
}

export function trackerPage(
  context: TrackerContext,
  history: BusyHistory,
  doors: HttpDoors | undefined,
  { isLoopback, isTls }: Listening,
): Hono {
  return pageApp({
    source: trackerSource(context, history),
    doors: pageDoors(context, doors, { isTls }),
    clock: context.clock,
    version,
    isLoopback,
    onError: (error, path) => context.log.error({ error, path }, "page"),
  });
}
