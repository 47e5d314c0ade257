/**
 * Templates beside the vendor library on a GPU, a row for each shape (shape-rows.mjs):
 *
 *   node bench/gpu/shapes.mjs [--resume] [--only=conv7,hwcn] [--trials=N] [--logs=DIR]
 *
 * A row searches on the embedded farm (logs in $OUT, or taken from --logs where they are), then times its best configs and the library in turns
 * in one process, each checked against float64.
 */
import { execFileSync, spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { flag, median, outFolder, runSections, table } from "./sections.mjs";
import { rows } from "./shape-rows.mjs";

const FINALISTS = 4;
const ROUNDS = 60;
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const bin = here("../../bin/warpfarm.js");
const scratch = mkdtempSync(join(tmpdir(), "warpfarm-shapes-"));

const environment = { ...process.env };
for (const name of ["XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"]) {
  environment[name] = join(scratch, name);
  mkdirSync(environment[name], { recursive: true });
}

const lastError = (text) => text.trim().split("\n").slice(-3).join(" | ");

/** The log of a search, which is made if it is not there. */
async function searched(name, { template, args, trials }, seed) {
  const file = `${name}-${seed}.jsonl`;
  const log = join(outFolder, file);
  const kept = flag("logs") && join(flag("logs"), file);
  if (!existsSync(log) && kept && existsSync(kept)) copyFileSync(kept, log);
  if (existsSync(log)) return log;
  const given = { args: JSON.stringify(args), trials: flag("trials") ?? trials, seed, repeat: 3, "min-repeat-ms": 20, log };
  const options = Object.entries(given).flatMap(([option, value]) => [`--${option}`, String(value)]);
  const child = spawn(process.execPath, [bin, "tune", template, "--device", "cuda:0", ...options, "--json"], {
    env: environment,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let errors = "";
  child.stderr.on("data", (chunk) => {
    errors = (errors + chunk).slice(-4000);
  });
  const code = await new Promise((resolve) => child.on("close", resolve));
  if (code !== 0) throw new Error(`${name}, seed ${seed}: tune ended with ${code}: ${lastError(errors)}`);
  return log;
}

const linesOf = (log) =>
  readFileSync(log, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));
const secondsOf = (line) => line.warpfarm?.seconds ?? Number.POSITIVE_INFINITY;

/** Cubin, launches and buffers of a config, compiled by nvcc. */
function artifactOf({ template, args }, index) {
  const common = [bin, "lower", template, "--args", JSON.stringify(args), "--target", "cuda/sm_90", "--index", String(index)];
  const lowered = (form) => execFileSync(process.execPath, [...common, "--emit", form], { encoding: "utf8", env: environment });
  const [source, cubin] = [join(scratch, `${template}-${index}.cu`), join(scratch, `${template}-${index}.cubin`)];
  writeFileSync(source, lowered("cuda"));
  execFileSync("nvcc", ["-arch=sm_90", "-cubin", "-o", cubin, source], { encoding: "utf8" });
  const parts = lowered("launch")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  return {
    name: `config ${index}`,
    cubin,
    kernels: parts.flatMap(({ kernel }) => kernel ?? []),
    buffers: parts.flatMap(({ buffers }) => buffers ?? []),
  };
}

/** Times of the library and of these configs, in turns. */
function beside(row, indices) {
  const spec = join(scratch, "spec.json");
  writeFileSync(
    spec,
    JSON.stringify({ ...row.library, rounds: ROUNDS, gap_ms: 2, kernels: indices.map((i) => artifactOf(row, i)) }),
  );
  const answer = execFileSync("python3", [here("interleaved.py"), spec], { encoding: "utf8" });
  return JSON.parse(answer.trim().split("\n").at(-1));
}

/** One search: what it found, by its own measurements. */
async function summary(name, row, seed) {
  const begun = performance.now();
  const lines = linesOf(await searched(name, row, seed));
  const ranked = [...lines].sort((a, b) => secondsOf(a) - secondsOf(b));
  return {
    seed,
    trials: lines.length,
    seconds: (performance.now() - begun) / 1000,
    failed: lines.filter((line) => !Number.isFinite(secondsOf(line))).length,
    best_us: 1e6 * secondsOf(ranked[0]),
    best: ranked.slice(0, FINALISTS).map((line) => ({ index: line.config.index, us: 1e6 * secondsOf(line) })),
  };
}

async function measure(name, row) {
  const searches = [];
  for (const seed of row.seeds) searches.push(await summary(name, row, seed));
  table(
    ["seed", "trials", "failed", "s", "best us", "config"],
    searches.map((s) => [s.seed, s.trials, s.failed, s.seconds.toFixed(1), s.best_us.toFixed(2), s.best[0].index]),
  );
  const candidates = searches.flatMap(({ best }) => best).sort((a, b) => a.us - b.us);
  const indices = [...new Set(candidates.map(({ index }) => index))].slice(0, FINALISTS);
  const finalists = beside(row, indices);
  table(
    ["variant", "us", "least", "library / ours", "error"],
    Object.entries(finalists.times).map(([variant, t]) => [
      variant,
      t.us.toFixed(2),
      t.least_us.toFixed(2),
      variant === "library" ? "1.00" : finalists.library_over_ours[variant].toFixed(3),
      t.error?.toExponential(1) ?? "",
    ]),
  );
  const medianOfSeeds = median(searches.map(({ best_us }) => best_us));
  console.log(`wanted: ${row.wanted}; median of the seeds' best ${medianOfSeeds.toFixed(2)} us`);
  return { wanted: row.wanted, searches, finalists };
}

const sections = Object.entries(rows).map(([name, row]) => [
  name,
  { seconds: 60 + 90 * row.seeds.length, run: () => measure(name, row) },
]);
await runSections(fileURLToPath(import.meta.url), "shapes", Object.fromEntries(sections));
