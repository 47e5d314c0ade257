/**
 * Trials a second, and how good a search is in the time that AutoTVM took, by the command that a user has, alone on an embedded
 * farm.
 *
 *   npm run build && node bench/gpu/trials.mjs [--only=rate,asked,search] [--dry]
 *
 *   rate    the tutorial's convolution with the defaults: 300 trials or 35 s, three seeds; the best of each measured again as
 *           AutoTVM measures
 *   asked   the same convolution with AutoTVM's options (3 repeats of at least 100 ms), 75 s
 *   search  64 trials of a float16 product of 4096 from command to prompt, and what its finals took; its winner beside each
 *           other finalist in 60 rounds, which end at none before
 *
 * About 250 s on an H200; --only keeps the other parts of the results that are there. Times begin with the command, so they have
 * the farm's start. Writes bench/results/gpu-trials.json.
 * --dry: a small product on the CPU, for the script alone.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { saveResults } from "../results.mjs";
import { linesOf, openHome } from "./shared/command.mjs";
import { flag, median, table } from "./shared/sections.mjs";

const dry = process.argv.includes("--dry");
const only = flag("only")?.split(",") ?? ["rate", "asked", "search"];

/**
 * Apache TVM 0.17.0 on an H100 80GB HBM3, 2026-11-21, one run: XGBTuner with knob features, 304 trials in 397.85 s, LocalRunner
 * with number 4, repeat 3, min_repeat_ms 100. Best GFLOPS after so many seconds, and its best measured again. `floor`: trials a
 * second of which the timed runs alone leave room.
 */
const autotvm = {
  trialsASecond: 0.764,
  floor: [1.34, 1.55],
  bestAfter: [
    [30, 607],
    [60, 1805],
    [120, 3270],
    [180, 3381],
    [240, 3424],
    [300, 3566],
    [398, 3567],
  ],
  again: 3537,
};
const marks = [10, 20, 30];
const size = '{"M":4096,"N":4096,"K":4096}';
const [conv, product, trials, seconds, searched] = dry
  ? [["matmul_derived", "--args", '{"M":64,"N":64,"K":64}', "--device", "cpu"], undefined, 8, 30, 12]
  : [["tutorial/conv2d_no_batching", "--device", "cuda"], ["matmul_tma", "--args", size, "--device", "cuda"], 300, 35, 64];
const words = (/** @type {number} */ x, digits = 2) => x.toFixed(digits);

const { home, warpfarm } = openHome("trials");
const asAutotvm = ["--measure", "autotvm,min_repeat=100ms"];

/** The answer of one search, its command's seconds, and when each trial of its log landed, in seconds of the command. */
function tune(name, ...args) {
  const begunMs = Date.now();
  const log = join(home, `${name}.jsonl`);
  const answer = warpfarm("tune", ...args, "--log", log);
  const took = (Date.now() - begunMs) / 1e3;
  const landed = linesOf(log)
    .map(({ warpfarm: { kind, seconds: time, timestamp_ms: at, build_ms: built, lease } }) => ({
      ...{ kind, time, at: (at - begunMs) / 1e3 },
      ...{ built: (built ?? 0) / 1e3, held: (lease?.held_ms ?? 0) / 1e3 },
    }))
    .sort((a, b) => a.at - b.at);
  return { answer, took, landed };
}

/** `gflops` of a time, by the answer's own count of operations. */
const gflopsBy =
  ({ best }) =>
  (time) =>
    (best.gflops * best.seconds) / time;

/** What may bind: medians of the seconds of a build, and of those in which a job held the device. */
const secondsOf = (landed) => ({
  build_s: median(landed.map(({ built }) => built)),
  held_s: median(landed.map(({ held }) => held)),
});

/** From the first result to the last, so that start and end of the command are not in it. */
const rateOf = (landed) => (landed.length - 1) / ((landed.at(-1)?.at ?? 0) - landed[0].at);

function searchOf(name, ...args) {
  const { answer, took, landed } = tune(name, ...conv, "--transfer", "none", "--finalists", "0", ...args);
  const gflops = gflopsBy(answer);
  const bestAt = (second) =>
    Math.max(0, ...landed.filter(({ kind, at }) => kind === "timed" && at <= second).map(({ time }) => gflops(time)));
  if (answer.best === null) throw new Error(`${name}: no candidate has a time: ${JSON.stringify(answer.errors)}`);
  return {
    index: answer.best.index,
    trials: answer.trials,
    slower: answer.slower,
    failed: landed.filter(({ kind }) => kind === "failed").length,
    command_s: took,
    trials_a_second: rateOf(landed),
    ...secondsOf(landed),
    ...Object.fromEntries(marks.map((second) => [`best after ${second} s`, bestAt(second)])),
    best_gflops: answer.best.gflops,
  };
}

const autotvmAfter = (second) => autotvm.bestAfter.findLast(([at]) => at <= second)?.[1] ?? 0;

function show(rows) {
  table(
    ["search", "trials", "command s", "trials/s", ...marks.map((second) => `best ${second} s`), "best", "again, as AutoTVM"],
    [
      ...rows.map((row) => [
        row.what,
        `${row.trials} (${row.slower} slower, ${row.failed} failed)`,
        words(row.command_s, 1),
        words(row.trials_a_second),
        ...marks.map((second) => words(row[`best after ${second} s`], 0)),
        words(row.best_gflops, 0),
        words(row.again_gflops, 0),
      ]),
      [
        "AutoTVM 0.17, H100",
        "304",
        "398",
        autotvm.trialsASecond,
        ...marks.map((second) => String(autotvmAfter(second))),
        autotvm.bestAfter.at(-1)?.[1],
        autotvm.again,
      ],
    ],
  );
}

function again(row) {
  const measured = warpfarm("measure", ...conv, "--index", String(row.index), ...asAutotvm);
  return { ...row, again_gflops: measured.gflops };
}

function rate() {
  const rows = [1, 2, 3].map((seed) => {
    const how = ["--trials", String(trials), "--wall-time", `${seconds}s`, "--seed", String(seed)];
    return again({ what: `defaults, seed ${seed}`, ...searchOf(`rate-${seed}`, ...how) });
  });
  show(rows);
  console.log(`median: ${words(median(rows.map((row) => row.trials_a_second)))} trials a second; 7.6 wanted\n`);
  return rows;
}

function asked() {
  const how = ["--trials", String(trials), "--wall-time", dry ? "20s" : "75s", "--seed", "1", ...asAutotvm];
  const row = { what: "AutoTVM's options, seed 1", ...searchOf("asked", ...how) };
  show([{ ...row, again_gflops: row.best_gflops }]);
  const [low, high] = autotvm.floor;
  console.log(`${words(row.trials_a_second)} trials a second; 1.3 wanted, timed runs alone allow ${low} to ${high}\n`);
  return row;
}

function search() {
  const of = product ?? conv;
  const { answer, took, landed } = tune("search", ...of, "--trials", String(searched));
  const { finalists, best } = answer;
  if (finalists?.ranks === undefined) throw new Error(`the search had no finals: ${JSON.stringify(finalists)}`);
  const finals_s = took - (landed.at(-1)?.at ?? 0);
  const others = finalists.ranks.map(({ index }) => index).filter((index) => index !== finalists.winner);
  const beside = others.map((index) => {
    const pair = ["--index", String(finalists.winner), "--paired", String(index), "--rounds", "60"];
    const { ratio, ratio_low: low, ratio_high: high } = warpfarm("measure", ...of, ...pair);
    return { index, ratio, low, high };
  });
  // The winner of 60 rounds is another one only where that is surely faster.
  const faster = beside.filter(({ low }) => low > 1);
  console.log(
    `${landed.length} trials and ${finalists.ranks.length} finalists from command to prompt: ${words(took, 1)} s (12 wanted); after the ` +
      `last trial ${words(finals_s, 1)} s, ${finalists.rounds} rounds; winner ${best.index}, ${words(best.seconds * 1e6, 1)} us, tied with ` +
      `${finalists.tied.length}`,
  );
  const { build_s: build, held_s: held } = secondsOf(landed);
  console.log(
    `first result after ${words(landed[0]?.at ?? 0, 1)} s; medians: a build ${words(build)} s, a job held the device ${words(held)} s`,
  );
  table(
    ["winner's time over that of", "60 rounds", "interval"],
    beside.map(({ index, ratio, low, high }) => [index, words(ratio, 4), `${words(low, 4)} to ${words(high, 4)}`]),
  );
  console.log(`surely faster than the winner in 60 rounds: ${faster.map(({ index }) => index).join(", ") || "none"}`);
  return {
    command_s: took,
    first_trial_s: landed[0]?.at,
    ...secondsOf(landed),
    after_last_trial_s: finals_s,
    rounds: finalists.rounds,
    winner: finalists.winner,
    tied: finalists.tied,
    beside,
  };
}

const sections = { rate, asked, search };
const earlier = fileURLToPath(new URL("../results/gpu-trials.json", import.meta.url));
const figures =
  flag("only") !== undefined && existsSync(earlier) ? JSON.parse(readFileSync(earlier, "utf8")).figures : { autotvm };
for (const name of only) {
  if (!(name in sections)) throw new Error(`there is no section ${name}; there are ${Object.keys(sections).join(", ")}`);
  figures[name] = sections[name]();
  if (!dry)
    saveResults("gpu-trials", `node bench/gpu/trials.mjs ${process.argv.slice(2).join(" ")}`.trim(), figures, { gpu: true });
}
