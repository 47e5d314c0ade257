/**
 * Whole networks on a GPU, beside PyTorch: each is exported by PyTorch, made a suite, searched, exported with its plan, and run
 * as one CUDA graph of all kernels. PyTorch runs the same network as it is (eager) and replayed by a CUDA graph, and the outputs
 * are compared. A section is one network at one batch and type.
 *
 *   npm run build && node bench/gpu/networks.mjs [--trials 24] [--search 75s] [--only SECTION,...] [--budget 530s] [--resume]
 *       [--python FILE] [--device cpu --small]
 *
 * A section takes the seconds of --search, less where all trials are done, and at most 75 more. A call stops before nine minutes;
 * with --resume the next one goes on: sections that are done are kept, and a section that was cut off continues its search. All
 * sections of a machine share its records, so a later search begins with what earlier ones found for tasks that are alike.
 * Results are networks.json in $OUT (or ./out), and bench/results/gpu-networks.json.
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
const searchSeconds = timeFlag("search") ?? 75;
/** Of a section, besides its search. */
const otherSeconds = 75;
const python = flag("python") ?? "python3";
const device = flag("device") ?? "cuda";
const small = process.argv.includes("--small");
// Weights and logs are large: they stay on the machine, for the next call.
const work = join(tmpdir(), "warpfarm-networks");

/** What a command says; throws when it fails. `seconds`: it is asked to end then, and a failure is told and no more. */
function run(command, args, cwd, seconds) {
  const late = seconds === undefined ? {} : { timeout: seconds * 1000, killSignal: "SIGINT" };
  const options = { cwd, encoding: "utf8", maxBuffer: 1 << 28, ...late };
  const { status, stdout, stderr, error } = spawnSync(command, args, /** @type {any} */ (options));
  if (status !== 0) {
    const failed = new Error(`${[command, ...args].join(" ")} exited with ${status}: ${`${stdout}${stderr}`.slice(-2000)}`);
    if (seconds === undefined) throw error ?? failed;
    console.log(failed.message);
  }
  return stdout;
}
const warpfarm = (args, cwd, seconds) => run(process.execPath, [join(root, "bin/warpfarm.js"), ...args], cwd, seconds);

const cases = ["float32", "float16"].flatMap((dtype) =>
  [1, 32].flatMap((batch) =>
    ["resnet50", "mobilenet_v2", "bert_base", "efficientnet_b0"].map((name) => `${name}_${batch}_${dtype}`),
  ),
);
const folderOf = (/** @type {string} */ section) => join(work, section);
const hasModel = (/** @type {string} */ section) => existsSync(join(folderOf(section), "model.onnx"));

/** What networks.py says of each of the sections. */
function script(what, sections) {
  const folders = sections.map(folderOf);
  for (const folder of folders) mkdirSync(folder, { recursive: true });
  const given = [join(root, "bench/gpu/networks.py"), what, ...folders, "--device", device];
  const lines = run(python, small ? [...given, "--small"] : given, work).split("\n");
  return lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
}

/** PyTorch takes seconds to start: the models of the sections that this call may reach are exported together. */
function exported(section) {
  if (hasModel(section)) return {};
  const wanted = flag("only")?.split(",") ?? cases;
  const next = cases.filter((name) => wanted.includes(name) && !hasModel(name));
  return script("export", next.slice(next.indexOf(section)).slice(0, 4))[0];
}

/** `keep`: what is known so far stays where a later step fails. */
function network(section, keep) {
  const folder = folderOf(section);
  const begin = performance.now();
  const since = () => Math.round((performance.now() - begin) / 100) / 10;
  const made = exported(section);
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
  const ready = since();
  // A search that ends by its time, or in which some trials fail, still has its results.
  warpfarm([...search, "--device", device], folder, searchSeconds + 30);
  const report = JSON.parse(warpfarm(["suite", "report", "state", "--json"], folder));
  // The tasks that take most of the time: where a network loses, they say where.
  const slowest = report.tasks
    .filter(({ best }) => best)
    .map(({ title, best, weight }) => ({ title: title.slice(0, 300), seconds: best.seconds * weight, count: weight }))
    .sort((a, b) => b.seconds - a.seconds);
  const sum = report.tasks.reduce((all, { best, weight }) => all + (best ? best.seconds * weight : 0), 0);
  const tasks = report.tasks.length;
  const found = { ...made, trials: report.trials, tasks, sum_of_kernels: sum, slowest: slowest.slice(0, 5) };
  const searched = since();
  keep({ ...found, seconds: { exported: ready, searched } });
  const said = warpfarm(
    ["export", "state", "--plan", "suite.plan.json", "-o", "lib", "--json", "--build-timeout", "120s"],
    folder,
  );
  const { kernels } = JSON.parse(said);
  const counts = { kernels: kernels.length, untimed: kernels.filter(({ untimed }) => untimed).length };
  const built = since();
  keep({ ...found, ...counts, seconds: { exported: ready, searched, built } });
  const [measured] = script("measure", [section]);
  const all = { ...found, ...counts, ...measured, seconds: { exported: ready, searched, built, all: since() } };
  const { slowest: _, ...shown } = all;
  console.log(`${section}: ${JSON.stringify(shown)}`);
  return all;
}

const us = (seconds) => (seconds === undefined ? "" : (seconds * 1e6).toFixed(0));
const ratio = (a, b) => (a === undefined || b === undefined ? "" : (a / b).toFixed(2));

await runSections(
  fileURLToPath(import.meta.url),
  "networks",
  Object.fromEntries(
    cases.map((section) => [
      section,
      { seconds: Math.round(searchSeconds) + otherSeconds, run: (keep) => network(section, keep) },
    ]),
  ),
  {
    budget: 530,
    last(results) {
      const rows = cases.flatMap((section) => (results[section] ? [[section, results[section]]] : []));
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
