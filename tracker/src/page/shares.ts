/** Shares of device time for the page, as policy/fair-share.ts divides it. */
import { defined } from "@warpfarm/common";
import { groupBy } from "@warpfarm/records";
import type { Queue } from "@warpfarm/web";
import type { WaitingSession } from "../views/waiting.ts";

/** `spent`: device seconds of the last hour by principal, which are kept where there are tokens. */
export function sharesOf(sessions: readonly WaitingSession[], spent: ReadonlyMap<string, number>): Queue["shares"] {
  const byPrincipal = groupBy(sessions, ({ principal }) => principal);
  const sum = (of: readonly WaitingSession[], figure: (s: WaitingSession) => number) => of.reduce((n, s) => n + figure(s), 0);
  const part = (figure: number, whole: number) => (whole > 0 ? figure / whole : 0);
  const waiting = ({ building, ready }: WaitingSession) => building + ready;
  const used = new Map([...byPrincipal].map(([name, own]) => [name, spent.get(name) ?? sum(own, (s) => s.deviceMs) / 1e3]));
  const whole = [...used.values()].reduce((a, b) => a + b, 0);
  return [...byPrincipal].map(([principal, own]) => {
    const [weights, ownMs] = [sum(own, (s) => s.weight), sum(own, (s) => s.deviceMs)];
    const deviceSeconds = used.get(principal) ?? 0;
    return {
      principal,
      entitled: 1 / byPrincipal.size,
      used: part(deviceSeconds, whole),
      deviceSeconds,
      waiting: sum(own, waiting),
      ...timesOf(own),
      sessions: own.map((s) => ({
        id: s.sessionId,
        task: s.task,
        weight: s.weight,
        entitled: s.weight / weights,
        used: part(s.deviceMs, ownMs),
        deviceSeconds: s.deviceMs / 1e3,
        waiting: waiting(s),
        ...timesOf([s]),
        ...defined({ waits: s.waiting }),
      })),
    };
  });
}

const timesOf = (sessions: readonly WaitingSession[]) => {
  const seconds = (time: "queueMs" | "buildMs" | "transferMs" | "timedMs") => sessions.reduce((n, s) => n + s[time], 0) / 1e3;
  return {
    queueSeconds: seconds("queueMs"),
    buildSeconds: seconds("buildMs"),
    transferSeconds: seconds("transferMs"),
    timedSeconds: seconds("timedMs"),
  };
};
