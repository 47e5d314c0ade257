/**
 * How near to the optimum a search is when `--until` ends it, on every recorded space of client/test/spaces that has more configs
 * than the rule looks back. SEARCHES (25) on each space; TUNER (auto).
 */
import { readdirSync } from "node:fs";
import { openRecorded, readRecorded, stops, tuners } from "@warpfarm/client";
import { Random } from "@warpfarm/common";
import { table } from "./table.mjs";

const folder = new URL("../client/test/spaces/", import.meta.url).pathname;
const { SEARCHES = "25", TUNER = "auto" } = process.env;
const until = [0.9, 0.95, 0.98];
const budget = 300;

export async function run() {
  const random = new Random(11);
  const rows = [];
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".gz"))) {
    const read = await readRecorded(`${folder}${file}`);
    if (!read.ok) throw new Error(read.error);
    const seeds = Array.from({ length: Number(SEARCHES) }, () => random.below(2 ** 31));
    const found = stops(openRecorded(read.value), tuners[TUNER], { seeds, budget, until });
    rows.push(...until.map((share, i) => ({ file, share, stops: found[i] })));
    console.error(file);
  }
  const sums = (share, all) => {
    const ended = all.filter(({ byRule }) => byRule);
    const worse = ended.filter((stop) => stop.share < share).length;
    return {
      until: share,
      stops: ended.length,
      worse: `${worse} (${((100 * worse) / Math.max(1, ended.length)).toFixed(0)} %)`,
      "mean share": (ended.reduce((sum, stop) => sum + stop.share, 0) / Math.max(1, ended.length)).toFixed(3),
      "mean trials": Math.round(all.reduce((sum, { trials }) => sum + trials, 0) / all.length),
    };
  };
  console.log(
    `${SEARCHES} searches of ${TUNER} on each space, at most ${budget} trials; worse: stops below the share asked for\n`,
  );
  table(
    "spaces",
    rows.map(({ file, share, stops: all }) => ({ space: file.replace(/(\.ktt)?\.json\.gz$/, ""), ...sums(share, all) })),
  );
  console.log("\nAll spaces\n");
  table(
    "all",
    until.map((share) =>
      sums(
        share,
        rows.filter((row) => row.share === share).flatMap((row) => row.stops),
      ),
    ),
  );
}
