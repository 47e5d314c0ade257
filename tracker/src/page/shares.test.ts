import { toSessionId } from "@warpfarm/common";
import { expect, it } from "vitest";
import type { WaitingSession } from "../views/waiting.ts";
import { sharesOf } from "./shares.ts";

const session = (id: string, principal: string, weight: number, deviceMs: number, waiting: readonly [number, number]) =>
  ({
    ...{ sessionId: toSessionId(id), principal, task: `task of ${id}`, weight, deviceMs },
    ...{ building: waiting[0], ready: waiting[1] },
    ...{ queueMs: 5 * deviceMs, buildMs: 4 * deviceMs, transferMs: deviceMs / 10, timedMs: deviceMs / 2 },
  }) as unknown as WaitingSession;

const times = (deviceSeconds: number) => ({
  ...{ queueSeconds: 5 * deviceSeconds, buildSeconds: 4 * deviceSeconds },
  ...{ transferSeconds: deviceSeconds / 10, timedSeconds: deviceSeconds / 2 },
});

it("users share equally, and each one's sessions divide its part by weight", () => {
  const sessions = [
    session("a1", "ada", 3, 6_000, [1, 2]),
    session("a2", "ada", 1, 2_000, [0, 0]),
    session("b1", "bob", 9, 0, [0, 5]),
  ];
  // Ada had more in the last hour than what her open sessions had.
  expect(sharesOf(sessions, new Map([["ada", 30]]))).toEqual([
    {
      ...{ principal: "ada", entitled: 0.5, used: 1, deviceSeconds: 30, waiting: 3, ...times(8) },
      sessions: [
        { id: "a1", task: "task of a1", weight: 3, entitled: 0.75, used: 0.75, deviceSeconds: 6, waiting: 3, ...times(6) },
        { id: "a2", task: "task of a2", weight: 1, entitled: 0.25, used: 0.25, deviceSeconds: 2, waiting: 0, ...times(2) },
      ],
    },
    {
      ...{ principal: "bob", entitled: 0.5, used: 0, deviceSeconds: 0, waiting: 5, ...times(0) },
      sessions: [{ id: "b1", task: "task of b1", weight: 9, entitled: 1, used: 0, deviceSeconds: 0, waiting: 5, ...times(0) }],
    },
  ]);
  // Without tokens nothing is kept by the hour.
  const [, bob] = sharesOf(sessions, new Map());
  expect(bob?.used).toBe(0);
  expect(sharesOf(sessions.slice(0, 2), new Map())[0]).toMatchObject({ entitled: 1, used: 1, deviceSeconds: 8 });
});
