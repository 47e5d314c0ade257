/**
 * Every tuner on every recorded space of client/test/spaces, by the community's methodology (client/src/score): scores and
 * evaluations to 90, 95 and 99 % of the optimum, with 1, 8 and 32 in flight. REPEATS (100), SPACES (parts of names), TUNERS
 * (names, by commas) and FLIGHTS (1,8,32) make a run smaller. The plot is of scripts/results-page.mjs.
 */
import { readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { isTunerName, readRecorded, scoreInThreads } from "@warpfarm/client";
import { table } from "./table.mjs";

const folder = new URL("../client/test/spaces/", import.meta.url).pathname;
const { REPEATS = "100", SPACES = "", TUNERS = "random,ga,xgb,auto", FLIGHTS = "1,8,32" } = process.env;
const repeats = Number(REPEATS);
const threads = Math.min(2, availableParallelism());
const seed = 1;
const wanted = SPACES.split(",");
const flights = FLIGHTS.split(",").map(Number);

export async function run() {
  const spaces = [];
  for (const file of readdirSync(folder).filter((f) => f.endsWith(".gz") && wanted.some((w) => f.includes(w)))) {
    const read = await readRecorded(`${folder}${file}`);
    if (!read.ok) throw new Error(read.error);
    spaces.push(read.value);
  }
  const names = TUNERS.split(",").filter(isTunerName);
  const scores = [];
  for (const data of spaces)
    for (const name of names)
      for (const inFlight of flights) {
        const score = { inFlight, ...(await scoreInThreads(data, name, { repeats, seed, inFlight }, { threads })) };
        scores.push(score);
        console.error(`${score.space} ${name} ${inFlight} in flight: ${score.score.toFixed(3)}`);
      }
  console.log(
    `${repeats} repeats; evaluations to a share of the optimum are medians, - where fewer than half got there within the 95 % cut-off\n`,
  );
  table("scores", scores.map(row));
  console.log("\nMeans over the spaces\n");
  table(
    "means",
    names.flatMap((tuner) => flights.map((inFlight) => means(tuner, inFlight, scores))),
  );
}

const shortName = (space) => space.replace(/(\.ktt)?\.json\.gz$/, "");

function row({ space, tuner, inFlight, cutoff, score, score_time, evaluations_to: to }) {
  const at = (share) => `${to[share].median ?? "-"} (${Math.round(100 * to[share].reached)} %)`;
  return {
    space: shortName(space),
    tuner,
    "in flight": inFlight,
    "cut-off": cutoff,
    score: score.toFixed(3),
    "score, time": score_time.toFixed(3),
    "to 90 %": at("0.9"),
    "to 95 %": at("0.95"),
    "to 99 %": at("0.99"),
  };
}

function means(tuner, inFlight, scores) {
  const own = scores.filter((s) => s.tuner === tuner && s.inFlight === inFlight);
  const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;
  const worst = own.reduce((a, b) => (a.score <= b.score ? a : b));
  return {
    tuner,
    "in flight": inFlight,
    "mean score": mean(own.map((s) => s.score)).toFixed(3),
    "mean score, time": mean(own.map((s) => s.score_time)).toFixed(3),
    worst: `${worst.score.toFixed(3)} (${shortName(worst.space)})`,
    "99 % reached": `${Math.round(100 * mean(own.map((s) => s.evaluations_to["0.99"].reached)))} %`,
  };
}
