/**
 * The same file twice: products of DeepBench searched twice, each run from empty stores of its own, then settled. Each call works
 * for --seconds and stops in order; the next one, on the same --dir, goes on, so the 191 products are done in parts.
 *
 *   node bench/gpu/packs.mjs --dir DIR [--products 20] [--trials 16] [--seconds 140] [--cpu] [--dry]
 *
 * --products: as many of the first 191, spread over them; small ones alone where they are fewer. --cpu: eight small products on
 * this machine's processor, which tries the script without a GPU. --dry: prints what it would run. Figures go to $OUT/packs.json.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    dir: { type: "string" },
    products: { type: "string", default: "20" },
    trials: { type: "string", default: "16" },
    seconds: { type: "string", default: "140" },
    cpu: { type: "boolean", default: false },
    dry: { type: "boolean", default: false },
  },
});
if (values.dir === undefined) throw new Error("--dir DIR: where both runs are kept between parts");
const dir = resolve(values.dir);
const all = 191;
const bin = fileURLToPath(new URL("../../bin/warpfarm.js", import.meta.url));
const startedMs = Date.now();
const leftMs = () => Math.max(1, Number(values.seconds) * 1000 - (Date.now() - startedMs));

async function suiteFile() {
  const { shippedSuites } = await import("../../client/dist/suite/shipped/index.js");
  const [of] = /** @type {any} */ (shippedSuites.deepbench).tasks;
  const count = Number(values.products);
  const work = (/** @type {Record<string, number>} */ { M = 1, N = 1, K = 1 }) => M * N * K;
  const shapes = of.shapes.slice(0, all).filter((/** @type {any} */ shape) => count >= all || work(shape) < 2e10);
  const spread = Array.from(
    { length: Math.min(count, shapes.length) },
    (_, i) => shapes[Math.floor((i * shapes.length) / count)],
  );
  const small = { task: "matmul_derived", shapes: { ranges: { M: [32, 64], N: [32, 48], K: [64, 96] } } };
  return {
    name: "packs",
    tasks: [values.cpu ? small : { ...of, shapes: spread }],
    budget: { trials: Number(values.trials), patience: 1_000 },
    finalists: values.cpu ? { count: 3, rounds: 13, idle: "0ms" } : { count: 4 },
  };
}

/** @param {string} store */
function warpfarm(store, /** @type {string[]} */ ...args) {
  const env = { ...process.env, XDG_DATA_HOME: join(dir, `${store}-data`), XDG_CACHE_HOME: join(dir, `${store}-cache`) };
  const words = ["suite", ...args, "--device", values.cpu ? "cpu" : "cuda"];
  if (values.dry) {
    console.log(`warpfarm ${words.join(" ")}   (stores of ${store}, SIGINT after what is left of ${values.seconds} s)`);
    return "";
  }
  const begunMs = Date.now();
  const { status, signal, stdout } = spawnSync(process.execPath, [bin, ...words], {
    ...{ env, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], timeout: leftMs(), killSignal: "SIGINT" },
  });
  console.log(`${args[0]} ${store}: ${((Date.now() - begunMs) / 1000).toFixed(0)} s`);
  if (status === 0) return stdout;
  console.log(`part over (${signal ?? `exit ${status}`}); the same command goes on`);
  process.exit(status === 130 || signal !== null ? 0 : 1);
}

mkdirSync(dir, { recursive: true });
const file = join(dir, "suite.json");
if (!existsSync(file)) writeFileSync(file, JSON.stringify(await suiteFile()));
for (const run of ["a", "b"]) {
  const folder = join(dir, run);
  if (existsSync(join(folder, "choices.json"))) continue;
  warpfarm(run, ...(existsSync(join(folder, "suite.json")) ? ["resume", folder] : ["run", file, "--dir", folder]));
}
const said = warpfarm("settle", "settle", join(dir, "a"), join(dir, "b"), "--json");
if (values.dry) process.exit(0);
const settled = JSON.parse(said);
const [a, b] = ["a", "b"].map((run) => readFileSync(join(dir, run, "choices.json")));
const figures = {
  ...{ buckets: settled.buckets, trials: Number(values.trials), differed: settled.differed, tied_in_the_other: settled.tied },
  ...{
    share_differed: settled.differed / settled.buckets,
    measured: settled.measured,
    told_apart: settled.apart,
    byte_equal: a?.equals(b ?? Buffer.of()),
  },
  ...{ choices: settled.choices, seconds: (Date.now() - startedMs) / 1000 },
};
const out = process.env.OUT;
if (out !== undefined) writeFileSync(join(out, "packs.json"), `${JSON.stringify(figures, null, 1)}\n`);
for (const [name, value] of Object.entries(figures)) console.log(`${name.padEnd(18)} ${value}`);
