import { FarmError } from "@warpfarm/common";
import { pino } from "pino";
import { expect, it } from "vitest";
import { logFailure } from "../flow/away.ts";
import type { Database } from "../store/database.ts";
import { MakingWay } from "./making-way.ts";
import type { Registry } from "./registry.ts";

it("a look at a store that is away is a warning, and the next one looks again", async () => {
  const levels: number[] = [];
  const log = pino({}, { write: (line: string) => levels.push(JSON.parse(line).level) });
  const answers: unknown[] = [
    new FarmError("UNAVAILABLE", "the store cannot be reached: timeout"),
    new TypeError("no column"),
    [],
  ];
  const query = async () => {
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return answer as never;
  };
  const making = new MakingWay(
    {
      db: { lazy: { query } } as unknown as Database,
      registry: { stations: () => [] } as unknown as Registry,
      cancel: () => {},
      onError: logFailure(log, "dispatch"),
    },
    () => [],
  );
  for (let left = 2; left >= 0; left--) {
    making.look();
    await making.close();
    expect(answers).toHaveLength(left);
  }
  expect(levels).toEqual([pino.levels.values.warn, pino.levels.values.error]);
  // Nothing was begun: it need not look again before something is.
  making.look();
  await making.close();
});
