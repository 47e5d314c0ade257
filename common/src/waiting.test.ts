import { expect, it } from "vitest";
import { waitingWords } from "./waiting.ts";

it("says what holds it, what is before it, until when, and its shares", () => {
  const holds = [{ kind: "devices_busy", what: "4 devices busy with 4 jobs, 1 of this session" }];
  expect(waitingWords({ holds, share: 0.25, due: 0.5, before: 12, startsInMs: 8_000, doneInMs: 180_000 })).toBe(
    "4 devices busy with 4 jobs, 1 of this session; 12 runs of others begin before its next, in about 8 s; " +
      "all that wait now are done in about 3 min; it has 25 % of what runs on its devices and is due 50 %",
  );
  expect(waitingWords({ holds: [], share: 0, due: 1, before: 1, startsInMs: 500 })).toContain("1 run of others begins before");
  expect(waitingWords({ holds: [], share: 0, due: 1, before: 0, startsInMs: 500 })).toBe(
    "its next begins in about 500 ms; it has 0 % of what runs on its devices and is due 100 %",
  );
});
