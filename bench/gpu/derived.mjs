/**
 * Computations without schedules on a GPU, beside PyTorch: each is searched on one embedded farm, and its operator is timed
 * eagerly and compiled, by CUDA graphs, on the same GPU. Below nine minutes a call.
 *
 *   npm run build && node bench/gpu/derived.mjs [--sizes large] [--trials 40] [--budget 530s] [--resume] [--python FILE]
 *
 * Results are kept in $OUT (or ./out) as they come; with --resume what is there is not measured again. Writes
 * bench/results/gpu-derived.json, or gpu-derived-large.json. `start` is the time of the config that no measurement chose; `copy`
 * that of a copy which reads and writes as many bytes.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineTemplate, measure, openFarm, openSearch } from "../../index.js";
import { cases, large } from "./derived-cases.mjs";
import { flag, median, outFolder, runSections, table } from "./shared/sections.mjs";

const isLarge = flag("sizes") === "large";
const trials = Number(flag("trials") ?? (isLarge ? 24 : 40));
const python = flag("python") ?? "python3";
const options = { repeat: 5 };

/** Microseconds of the fastest and of the start, and how many trials there were, ran, and were wrong. */
async function searched(names) {
  const farm = await openFarm({ device: "cuda" });
  const found = {};
  try {
    for (const name of names) {
      const task = defineTemplate({
        name: `derived_${name}`,
        summary: name,
        targets: ["cuda"],
        args: {},
        graph: (isLarge ? large : cases)[name],
      });
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

/** What the script printed before its time was up. */
function library(names, seconds) {
  const script = fileURLToPath(new URL("derived.py", import.meta.url));
  const { stdout, stderr } = spawnSync(python, [script, ...names], {
    encoding: "utf8",
    maxBuffer: 1 << 26,
    timeout: seconds * 1000,
    killSignal: "SIGKILL",
  });
  const lines = stdout.split("\n").filter((line) => line.startsWith("{"));
  if (lines.length < names.length)
    console.log(`${names.length - lines.length} of ${names.length} are missing; ${stderr.slice(-1000)}`);
  return Object.fromEntries(lines.map((line) => JSON.parse(line)).map((row) => [row.name, row]));
}

const names = Object.keys(isLarge ? large : cases);
const bench = isLarge ? "derived-large" : "derived";
/** Names whose times of PyTorch are not among the results yet. */
function missing() {
  const file = join(outFolder, `${bench}.json`);
  const known = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).eager_compiled : {};
  return names.filter((name) => !(name in (known ?? {})));
}
const each = isLarge ? 3 : 4;
const chunks = names.flatMap((_, i) => (i % each === 0 ? [names.slice(i, i + each)] : []));
const ratio = (a, b) => (a === undefined || b === undefined ? "" : (a / b).toFixed(2));
const meanOf = (values) => Math.exp(values.reduce((total, x) => total + Math.log(x), 0) / values.length);

await runSections(
  fileURLToPath(import.meta.url),
  bench,
  {
    eager_compiled: { seconds: 200, run: () => library(names, 190) },
    ...Object.fromEntries(chunks.map((some, i) => [`searches_${i + 1}`, { seconds: 90, run: () => searched(some) }])),
    // What it compiled before is in the cache of its compiler.
    eager_compiled_rest: { seconds: 100, run: () => library(missing(), 90) },
  },
  {
    budget: 530,
    last(results) {
      const found = Object.assign({}, ...Object.values(results));
      const ours = Object.assign({}, ...chunks.map((_, i) => results[`searches_${i + 1}`]));
      const theirs = { ...results.eager_compiled, ...results.eager_compiled_rest };
      const rows = names.filter((name) => name in found).map((name) => ({ name, ...ours[name], ...theirs[name] }));
      table(
        [
          "computation",
          "derived us",
          "start/best",
          "eager us",
          "compiled us",
          "eager/derived",
          "compiled/derived",
          "copy/derived",
          "ran",
          "wrong",
        ],
        rows.map(({ name, best, start, eager, compiled, copy, ran, trials: all, wrong }) => [
          ...[name, best?.toFixed(2) ?? "", ratio(best, start), eager?.toFixed(2) ?? "", compiled?.toFixed(2) ?? ""],
          ...[ratio(eager, best), ratio(compiled, best), ratio(copy, best), `${ran ?? ""}/${all ?? ""}`, wrong ?? ""],
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
