/**
 * Whole networks on a GPU, beside PyTorch: each is exported by PyTorch, made a suite, searched, exported with its plan, and run
 * as one CUDA graph of all kernels. PyTorch runs the same network as it is (eager) and replayed by a CUDA graph, and the outputs
 * are compared. A section is one network at one batch and type.
 *
 *   npm run build && node bench/gpu/networks.mjs [--trials 24] [--search 170s] [--only SECTION,...] [--budget 530s] [--resume]
 *       [--python FILE] [--device cpu --small]
 *
 * A section takes the seconds of --search and at most 90 more. A call stops before nine minutes; with --resume the next one goes
 * on: sections that are done are kept, and a section that was cut off continues its search. Results are networks.json in $OUT (or
 * ./out), and bench/results/gpu-networks.json.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse, stringify } from "yaml";
import { flag, runSections, table, timeFlag } from "./shared/sections.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const trials = Number(flag("trials") ?? 24);
const searchSeconds = timeFlag("search") ?? 170;
const python = flag("python") ?? "python3";
const device = flag("device") ?? "cuda";
const small = process.argv.includes("--small");
// Weights and logs are large: they stay on the machine, for the next call.
const work = join(tmpdir(), "warpfarm-networks");

/** What a command says; throws when it fails. `seconds`: it is asked to end then, and need not succeed. */
function run(command, args, cwd, seconds) {
  const late = seconds === undefined ? {} : { timeout: seconds * 1000, killSignal: "SIGINT" };
  const options = { cwd, encoding: "utf8", maxBuffer: 1 << 28, ...late };
  const { status, stdout, stderr, error } = spawnSync(command, args, /** @type {any} */ (options));
  if (status !== 0 && seconds === undefined)
    throw error ?? new Error(`${[command, ...args].join(" ")} exited with ${status}: ${`${stdout}${stderr}`.slice(-2000)}`);
  return stdout;
}
const warpfarm = (args, cwd, seconds) => run(process.execPath, [join(root, "bin/warpfarm.js"), ...args], cwd, seconds);

/** `keep`: what is known so far stays where a later step fails. */
function network(name, batch, dtype, keep) {
  const folder = join(work, `${name}-${batch}-${dtype}`);
  mkdirSync(folder, { recursive: true });
  const script = (what) => {
    const given = [join(root, "bench/gpu/networks.py"), what, name, String(batch), dtype, folder, "--device", device];
    const lines = run(python, small ? [...given, "--small"] : given, folder).split("\n");
    return JSON.parse(lines.findLast((line) => line.startsWith("{")) ?? "{}");
  };
  const begin = performance.now();
  const since = () => Math.round((performance.now() - begin) / 100) / 10;
  const made = existsSync(join(folder, "model.onnx")) ? {} : script("export");
  if (!existsSync(join(folder, "suite.yaml"))) {
    warpfarm(["suite", "from-onnx", "model.onnx", "-o", "suite.yaml"], folder);
    const suite = parse(readFileSync(join(folder, "suite.yaml"), "utf8"));
    const budget = { trials, wall_time: `${searchSeconds}s` };
    const measure = { repeat: 3, min_repeat: device === "cuda" ? "5ms" : "1ms" };
    writeFileSync(join(folder, "suite.yaml"), stringify({ ...suite, budget, measure, finalists: 0 }));
  }
  const state = join(folder, "state");
  const begun = existsSync(join(state, "suite.json"));
  const search = begun ? ["suite", "resume", "state"] : ["suite", "run", "suite.yaml", "--dir", "state"];
  const exported = since();
  // A search that ends by its time, or in which some trials fail, still has its results.
  warpfarm([...search, "--device", device], folder, searchSeconds + 15);
  const report = JSON.parse(warpfarm(["suite", "report", "state", "--json"], folder));
  // The tasks that take most of the time: where a network loses, they say where.
  const slowest = report.tasks
    .filter(({ best }) => best)
    .map(({ title, best, weight }) => ({ title: title.slice(0, 300), seconds: best.seconds * weight, count: weight }))
    .sort((a, b) => b.seconds - a.seconds);
  const sum = report.tasks.reduce((all, { best, weight }) => all + (best ? best.seconds * weight : 0), 0);
  const tasks = report.tasks.length;
  const found = { ...made, trials: report.trials, tasks, sum_of_kernels: sum, slowest: slowest.slice(0, 5) };
  keep({ ...found, seconds: { exported, searched: since() } });
  const said = warpfarm(
    ["export", "state", "--plan", "suite.plan.json", "-o", "lib", "--json", "--build-timeout", "120s"],
    folder,
  );
  const { kernels } = JSON.parse(said);
  const counts = { kernels: kernels.length, untimed: kernels.filter(({ untimed }) => untimed).length };
  keep({ ...found, ...counts, seconds: { exported, searched: since() } });
  const built = since();
  const measured = script("measure");
  const all = { ...found, ...counts, ...measured, seconds: { exported, built, all: since() } };
  const { slowest: _, ...shown } = all;
  console.log(`${name} ${batch} ${dtype}: ${JSON.stringify(shown)}`);
  return all;
}

const cases = ["float32", "float16"].flatMap((dtype) =>
  [1, 32].flatMap((batch) =>
    ["resnet50", "mobilenet_v2", "bert_base", "efficientnet_b0"].map((name) => [`${name}_${batch}_${dtype}`, name, batch, dtype]),
  ),
);
const us = (seconds) => (seconds === undefined ? "" : (seconds * 1e6).toFixed(0));
const ratio = (a, b) => (a === undefined || b === undefined ? "" : (a / b).toFixed(2));

await runSections(
  fileURLToPath(import.meta.url),
  "networks",
  Object.fromEntries(
    cases.map(([section, ...what]) => [
      section,
      { seconds: Math.round(searchSeconds) + 90, run: (keep) => network(...what, keep) },
    ]),
  ),
  {
    budget: 530,
    last(results) {
      const rows = cases.flatMap(([section]) => (results[section] ? [[section, results[section]]] : []));
      const best = ({ graph, graph_channels_last: last }) =>
        last === undefined || graph === undefined ? graph : Math.min(graph, last);
      table(
        [
          "network",
          "ours us",
          "sum us",
          "graph us",
          "eager us",
          "graph/ours",
          "eager/ours",
          "error",
          "kernels",
          "untimed",
          "trials",
        ],
        rows.map(([section, row]) => [
          ...[section, us(row.ours), us(row.sum_of_kernels), us(best(row)), us(row.eager)],
          ...[ratio(best(row), row.ours), ratio(row.eager, row.ours), row.error?.toExponential(1) ?? ""],
          ...[row.kernels ?? "", row.untimed ?? "", row.trials],
        ]),
      );
      for (const [section, { slowest: [first] = [] }] of rows)
        if (first) console.log(`${section}: ${us(first.seconds)} us in ${first.count} times ${first.title.slice(0, 100)}`);
    },
  },
);
