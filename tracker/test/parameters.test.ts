/** Time, ids and chance are parameters of a tracker and of a worker's side of it: equal inputs give equal answers, to the id. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const taken = /\bsystemClock\.|\brandomUUID\b|\bperformance\.now\b|\bDate\.now\b|\bMath\.random\b/;

/** What waits or measures in real time by its nature. */
const real: readonly string[] = [
  "tracker/src/dispatch/held-poll.ts", // a call is held for real time: its connection lives in it
  "tracker/src/flow/closed-within.ts", // gives up what never ends
  "tracker/src/main.ts",
  "tracker/src/store/postgres.ts", // how long a server is silent
];

it("nothing of a tracker or a worker's side takes time, ids or chance from elsewhere", () => {
  const sources = ["tracker/src", "worker/src"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter(({ name }) => name.endsWith(".ts") && !/\.(?:test|testing)\.ts$/.test(name))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  const takers = sources.filter((path) => taken.test(readFileSync(path, "utf8"))).map((path) => relative(root, path));
  expect(takers.sort()).toEqual([...real].sort());
});
