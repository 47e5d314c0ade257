/**
 * Template conv2d_splitk on a GPU, against cuDNN, on the last 3x3 layer of ResNet at batch 1 in fp32:
 *
 *   node bench/gpu/conv-splitk.mjs [--resume] [--only=tune,library]
 *
 *   tune     a search of at most 200 trials for each of five seeds, on the embedded farm
 *   library  the best configs (or --index=60,0) beside cuDNN (exhaustive search), in turns in one process, checked against float64
 */
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { flag, median, outFolder, runSections, table } from "./sections.mjs";

const SEEDS = [1, 2, 3, 4, 5];
const TRIALS = 200;
const ARGS = { N: 1, H: 7, W: 7, CO: 512, CI: 512, KH: 3, KW: 3, stride: 1, padding: 1 };
const WANTED_US = 9.7;
const bin = fileURLToPath(new URL("../../bin/warpfarm.js", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "warpfarm-splitk-"));
const logOf = (seed) => join(outFolder, `conv-splitk-${seed}.jsonl`);

function environment() {
  const env = { ...process.env };
  for (const name of ["XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"]) {
    env[name] = join(scratch, name);
    mkdirSync(env[name], { recursive: true });
  }
  return env;
}

/** The report that a search prints. */
function search(seed) {
  const options = ["--trials", TRIALS, "--seed", seed, "--repeat", 3, "--min-repeat-ms", 20, "--log", logOf(seed), "--json"];
  const args = [bin, "tune", "conv2d_splitk", "--device", "cuda:0", ...options.map(String)];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { env: environment(), stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    child.stdout.on("data", (chunk) => {
      text += chunk;
    });
    child.on("close", (code) => (code === 0 ? resolve(JSON.parse(text)) : reject(new Error(`seed ${seed}: exit code ${code}`))));
  });
}

const linesOf = (seed) =>
  readFileSync(logOf(seed), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));
const secondsOf = (line) => line.warpfarm?.seconds ?? Number.POSITIVE_INFINITY;
const bestOf = (seed) => linesOf(seed).reduce((a, b) => (secondsOf(b) < secondsOf(a) ? b : a));

async function tune() {
  const found = [];
  for (const seed of SEEDS) {
    const begun = performance.now();
    if (!existsSync(logOf(seed))) await search(seed);
    const lines = linesOf(seed);
    const best = bestOf(seed);
    found.push({
      seed,
      trials: lines.length,
      seconds: (performance.now() - begun) / 1000,
      failed: lines.filter((line) => !Number.isFinite(secondsOf(line))).length,
      best_us: 1e6 * secondsOf(best),
      index: best.config.index,
    });
  }
  table(
    ["seed", "trials", "failed", "s", "best us", "config"],
    found.map((f) => [f.seed, f.trials, f.failed, f.seconds.toFixed(1), f.best_us.toFixed(2), f.index]),
  );
  const all = found.map((f) => f.best_us);
  console.log(`best ${Math.min(...all).toFixed(2)} us (wanted ${WANTED_US}), median of seeds ${median(all).toFixed(2)} us`);
  return found;
}

/** Cubin, launches and buffers of a config, compiled by nvcc. */
function artifactOf(index) {
  const lowered = (form) =>
    execFileSync(
      process.execPath,
      [bin, "lower", "conv2d_splitk", "--target", "cuda/sm_90", "--index", String(index), "--emit", form],
      {
        encoding: "utf8",
        env: environment(),
      },
    );
  const [source, cubin] = [join(scratch, `${index}.cu`), join(scratch, `${index}.cubin`)];
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

async function library() {
  const searched = SEEDS.filter((seed) => existsSync(logOf(seed))).map((seed) => bestOf(seed).config.index);
  const indices = flag("index")?.split(",").map(Number) ?? [...new Set(searched)].slice(0, 3);
  const kernels = indices.map(artifactOf);
  const spec = join(scratch, "spec.json");
  writeFileSync(spec, JSON.stringify({ op: "conv2d_nchw", args: ARGS, rounds: 60, gap_ms: 2, kernels }));
  const script = fileURLToPath(new URL("interleaved.py", import.meta.url));
  const answer = JSON.parse(execFileSync("python3", [script, spec], { encoding: "utf8" }).trim().split("\n").at(-1));
  table(
    ["variant", "us", "least", "times the library", "error"],
    Object.entries(answer.times).map(([name, t]) => [
      name,
      t.us.toFixed(2),
      t.least_us.toFixed(2),
      name === "library" ? "1.00" : answer.library_over_ours[name].toFixed(2),
      t.error?.toExponential(1) ?? "",
    ]),
  );
  return answer;
}

await runSections(fileURLToPath(import.meta.url), "conv-splitk", {
  tune: { seconds: 420, run: tune },
  library: { seconds: 120, run: library },
});
