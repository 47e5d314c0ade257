/**
 * Processor time, user and system, of deriving a space with its start and schedule, for the computations of
 * bench/gpu/derived-cases.mjs and a convolution of 32 images: the first time in a process, which compiles the rules, and the
 * median of later times. Medians of processes.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { medianOf, table } from "./table.mjs";

const processes = 3;
const later = 9;
const targets = ["cuda/sm_90a", "cpu/x86-64-v3"];
const here = (path) => fileURLToPath(new URL(path, import.meta.url));

const script = `
  const [derivedFile, casesFile, name, target] = process.argv.slice(1);
  const { derive } = await import(derivedFile);
  const { cases, large } = await import(casesFile);
  const make = { ...cases, ...large }[name];
  const spent = () => process.cpuUsage().user + process.cpuUsage().system;
  const times = [];
  for (let n = 0; n <= ${later}; n++) {
    const graph = make();
    const before = spent();
    derive(graph, target);
    times.push((spent() - before) / 1000);
  }
  console.log(JSON.stringify(times));`;

function timesOf(name, target) {
  const files = [here("../templates/dist/derived/derive.js"), here("gpu/derived-cases.mjs")];
  const runs = Array.from({ length: processes }, () => {
    const words = ["--input-type=module", "-e", script, ...files, name, target];
    const { stdout, stderr, status } = spawnSync(process.execPath, words, { encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
    return JSON.parse(stdout);
  });
  return { first: medianOf(runs.map(([first]) => first)), later: medianOf(runs.flatMap(([, ...rest]) => rest)) };
}

export async function run() {
  const { cases, large } = await import("./gpu/derived-cases.mjs");
  const rows = Object.keys({ ...cases, ...large }).map((name) => {
    const columns = targets.flatMap((target) => {
      const { first, later: rest } = timesOf(name, target);
      return [
        [`${target}, first ms`, first.toFixed(0)],
        [`${target}, later ms`, rest.toFixed(0)],
      ];
    });
    return { computation: name, ...Object.fromEntries(columns) };
  });
  table("derivation", rows);
}
