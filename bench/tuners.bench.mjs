/**
 * Every tuner on every recorded space of client/test/spaces, by the community's methodology (client/src/score): scores and
 * evaluations to 90, 95 and 99 % of the optimum, with 1, 8 and 32 in flight. REPEATS (100), SPACES (parts of names), TUNERS
 * (names, by commas) and FLIGHTS (1,8,32) make a run smaller; THREADS (2 at most unless told otherwise) is what it may take of
 * the machine. CELLS names a file that keeps what is scored, a line a cell: a run that is cut off goes on from there. A cell
 * knows its repeats and seed but not the tuner's code: take another file when that changes. Writes bench/tuners.svg, of one in
 * flight.
 */
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { isTunerName, readRecorded, scoreInThreads, tuners } from "@warpfarm/client";
import { table } from "./table.mjs";

const folder = new URL("../client/test/spaces/", import.meta.url).pathname;
const { REPEATS = "100", SPACES = "", TUNERS = "random,ga,xgb,auto", FLIGHTS = "1,8,32", CELLS, THREADS } = process.env;
const repeats = Number(REPEATS);
const threads = Number(THREADS ?? Math.min(2, availableParallelism()));
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
  const names = TUNERS.split(",").filter((name) => isTunerName(name) && name in tuners);
  const known = finishedCells();
  const scores = [];
  for (const data of spaces)
    for (const name of names)
      for (const inFlight of flights) {
        const score = known.get(cellKey(data.name, name, inFlight, repeats)) ?? (await scored(data, name, inFlight));
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
  if (!flights.includes(1)) return;
  const plot = new URL("tuners.svg", import.meta.url);
  writeFileSync(
    plot,
    svg(
      spaces.map((s) => s.name),
      names,
      scores,
    ),
  );
}

const cellKey = (space, tuner, inFlight, searches) => [space, tuner, inFlight, searches, seed].join(" ");

function finishedCells() {
  if (CELLS === undefined || !existsSync(CELLS)) return new Map();
  const lines = readFileSync(CELLS, "utf8").split("\n").filter(Boolean);
  const cells = lines.map((line) => JSON.parse(line)).filter((cell) => cell.seed === seed);
  return new Map(cells.map((cell) => [cellKey(cell.space, cell.tuner, cell.inFlight, cell.repeats), cell]));
}

async function scored(data, tuner, inFlight) {
  const score = { inFlight, seed, ...(await scoreInThreads(data, tuner, { repeats, seed, inFlight }, { threads })) };
  if (CELLS !== undefined) appendFileSync(CELLS, `${JSON.stringify(score)}\n`);
  return score;
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

/** Bars: by space, the score of each tuner with one config in flight, cut at -0.5. */
function svg(spaces, names, scores) {
  const [bar, gap, height, left, top] = [14, 26, 240, 46, 34];
  const group = bar * names.length + gap;
  const width = left + group * spaces.length + 10;
  const colours = ["#9aa0a6", "#5b8def", "#e0a030", "#2a9d5c", "#b05cc8"];
  const y = (score) => top + ((1 - Math.max(-0.5, score)) / 1.5) * height;
  const text = (x, at, words, more = "") => `<text x="${x}" y="${at}" font-size="11" ${more}>${words}</text>`;
  const parts = [-0.5, 0, 0.5, 1].flatMap((tick) => [
    `<line x1="${left}" x2="${width}" y1="${y(tick)}" y2="${y(tick)}" stroke="${tick === 0 ? "#444" : "#ddd"}"/>`,
    text(left - 6, y(tick) + 4, tick, 'text-anchor="end"'),
  ]);
  names.forEach((name, k) => {
    parts.push(
      `<rect x="${left + 90 * k}" y="10" width="10" height="10" fill="${colours[k % colours.length]}"/>`,
      text(left + 90 * k + 14, 19, name),
    );
  });
  spaces.forEach((space, i) => {
    const x = left + gap / 2 + i * group;
    names.forEach((name, k) => {
      const { score } = scores.find((s) => s.space === space && s.tuner === name && s.inFlight === 1);
      const [a, b] = [Math.min(y(score), y(0)), Math.max(y(score), y(0))];
      parts.push(
        `<rect x="${x + k * bar}" y="${a.toFixed(1)}" width="${bar - 2}" height="${Math.max(1, b - a).toFixed(1)}" fill="${colours[k % colours.length]}"><title>${name} on ${shortName(space)}: ${score.toFixed(3)}</title></rect>`,
      );
    });
    parts.push(text(x, top + height + 14, shortName(space).slice(0, 26), `transform="rotate(24 ${x} ${top + height + 14})"`));
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width + 90}" height="${top + height + 100}" font-family="sans-serif"><title>Scores of tuners on recorded spaces</title>\n${parts.join("\n")}\n</svg>\n`;
}
