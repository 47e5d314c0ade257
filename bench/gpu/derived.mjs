/**
 * Computations without schedules on a GPU, beside PyTorch: each is searched on one embedded farm, and its operator is timed
 * eagerly and compiled, by CUDA graphs, on the same GPU. Below nine minutes on an H100 with 40 trials.
 *
 *   npm run build && node bench/gpu/derived.mjs [--trials 40] [--only NAME,...] [--budget 530s] [--resume] [--python FILE]
 *
 * Results are kept in $OUT (or ./out) as they come; with --resume what is there is not measured again. Writes
 * bench/results/gpu-derived.json. `start` is the time of the config that no measurement chose.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { defineTemplate, measure, openFarm, openSearch } from "../../index.js";
import { cases } from "./derived-cases.mjs";
import { flag, median, runSections, table } from "./shared/sections.mjs";

const trials = Number(flag("trials") ?? 40);
const python = flag("python") ?? "python3";
const options = { repeat: 5 };

/** Microseconds of the fastest and of the start, and how many trials there were, ran, and were wrong. */
async function searched(names) {
  const farm = await openFarm({ device: "cuda" });
  const found = {};
  try {
    for (const name of names) {
      const task = defineTemplate({ name: `derived_${name}`, summary: name, targets: ["cuda"], args: {}, graph: cases[name] });
      const asked = { task, tuner: "auto", seed: 1, budget: { trials }, finalists: { count: 0 }, measure: options };
      const tally = { trials: 0, ran: 0, wrong: 0 };
      let best = Number.POSITIVE_INFINITY;
      const search = await openSearch(farm, asked);
      try {
        for await (const event of search) {
          if (event.kind !== "trial") continue;
          const { result } = event.trial;
          tally.trials++;
          if (result.kind === "timed") {
            tally.ran++;
            best = Math.min(best, median(result.costs) * 1e6);
          } else if (result.kind === "slower") tally.ran++;
          else if (result.errorNo === 5) tally.wrong++;
        }
      } finally {
        await search[Symbol.asyncDispose]();
      }
      const { space, usual } = task.open(undefined, "cuda/sm_90");
      const start = await measure(farm, { task, config: Object.fromEntries(space.get(Number(usual)).values), measure: options });
      found[name] = { ...tally, best, start: start.kind === "timed" ? median(start.costs) * 1e6 : undefined };
      console.log(`${name}: ${best.toFixed(2)} us, start ${found[name].start?.toFixed(2)}, ${JSON.stringify(tally)}`);
    }
  } finally {
    await farm[Symbol.asyncDispose]();
  }
  return found;
}

function library(names) {
  const script = fileURLToPath(new URL("derived.py", import.meta.url));
  const { stdout, stderr } = spawnSync(python, [script, ...names], { encoding: "utf8", maxBuffer: 1 << 26 });
  const lines = stdout.split("\n").filter((line) => line.startsWith("{"));
  if (lines.length < names.length) console.log(stderr.slice(-1000));
  return Object.fromEntries(lines.map((line) => JSON.parse(line)).map((row) => [row.name, row]));
}

const names = Object.keys(cases);
const halves = [names.slice(0, 8), names.slice(8)];
const ratio = (a, b) => (a === undefined || b === undefined ? "" : (a / b).toFixed(2));
const meanOf = (values) => Math.exp(values.reduce((total, x) => total + Math.log(x), 0) / values.length);

await runSections(
  fileURLToPath(import.meta.url),
  "derived",
  {
    searches_1: { seconds: 200, run: () => searched(halves[0]) },
    searches_2: { seconds: 200, run: () => searched(halves[1]) },
    eager_compiled_1: { seconds: 110, run: () => library(halves[0]) },
    eager_compiled_2: { seconds: 110, run: () => library(halves[1]) },
  },
  {
    budget: 530,
    last(results) {
      const ours = { ...results.searches_1, ...results.searches_2 };
      const theirs = { ...results.eager_compiled_1, ...results.eager_compiled_2 };
      const rows = names.map((name) => ({ name, ...ours[name], ...theirs[name] }));
      table(
        [
          "computation",
          "derived us",
          "start/best",
          "eager us",
          "compiled us",
          "eager/derived",
          "compiled/derived",
          "ran",
          "wrong",
        ],
        rows.map(({ name, best, start, eager, compiled, ran, trials: all, wrong }) => [
          ...[name, best?.toFixed(2) ?? "", ratio(best, start), eager?.toFixed(2) ?? "", compiled?.toFixed(2) ?? ""],
          ...[ratio(eager, best), ratio(compiled, best), `${ran ?? ""}/${all ?? ""}`, wrong ?? ""],
        ]),
      );
      for (const other of ["eager", "compiled"]) {
        const known = rows.filter((row) => row.best && row[other]).map((row) => row[other] / row.best);
        if (known.length > 0)
          console.log(
            `geometric mean of ${other}/derived over ${known.length}: ${meanOf(known).toFixed(2)}, least ${Math.min(...known).toFixed(2)}`,
          );
      }
    },
  },
);
