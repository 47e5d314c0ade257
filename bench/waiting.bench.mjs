/**
 * How well waits are predicted: days of a simulated farm with 20 principals and 64 devices (test-support/waiting-day.mjs). Every
 * five minutes each session that waits is told when its next input begins and when all that wait are done. The error is the
 * difference to what happened, as a share of it.
 */
import { Random, toSessionId, toWorkerId } from "@warpfarm/common";
import { errorsOf, simulateDay } from "../test-support/waiting-day.mjs";
import { FairShare } from "../tracker/dist/policy/fair-share.js";
import { playAhead } from "../tracker/dist/policy/play-ahead.js";
import { table } from "./table.mjs";

const at = (errors, share) => errors[Math.min(errors.length - 1, Math.floor(share * errors.length))];
const percent = (part) => `${(100 * part).toFixed(1)} %`;

/** An estimate counts if what it is of took `leastMs`: what begins at once needs none. */
const estimates = [
  { what: "the next begins", estimate: "startsInMs", happened: "startedMs", leastMs: 1_000 },
  { what: "all that wait are done", estimate: "doneInMs", happened: "doneMs", leastMs: 0 },
];

export function run() {
  const rows = [];
  for (const seed of [1, 2, 3]) {
    const day = { principals: 20, devices: 64, hours: 24, everyMs: 300_000 };
    const { told, opened } = simulateDay({ FairShare, playAhead, toSessionId, toWorkerId }, new Random(seed), day);
    for (const { what, estimate, happened, leastMs } of estimates) {
      const counted = told.filter((w) => w[happened] - w.atMs >= leastMs);
      const errors = errorsOf(counted, estimate, happened);
      const took = counted.map((w) => w[happened] - w.atMs).sort((a, b) => a - b);
      rows.push({
        ...{ day: seed, searches: opened, estimate: what, estimates: errors.length },
        ...{ "median wait s": +(at(took, 0.5) / 1e3).toFixed(1), "median error": percent(at(errors, 0.5)) },
        ...{ "error of 9 in 10": percent(at(errors, 0.9)) },
      });
    }
  }
  table("errors", rows);
}
