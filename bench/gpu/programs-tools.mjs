/**
 * Third-party tools on our kernels: PyTorch, compute-sanitizer and Nsight Compute. Each is a subprocess with a time limit.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { flag } from "./shared/sections.mjs";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "warpfarm-programs-"));
let files = 0;

/** { code, out, err }; `code` is undefined when the program is not installed, "timeout" when it took too long. */
export function execute(file, args, seconds) {
  return new Promise((resolve) => {
    const child = spawn(file, args, { stdio: ["ignore", "pipe", "pipe"] });
    const text = { out: "", err: "" };
    child.stdout.setEncoding("utf8").on("data", (chunk) => {
      text.out += chunk;
    });
    child.stderr.setEncoding("utf8").on("data", (chunk) => {
      text.err += chunk;
    });
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      child.kill("SIGKILL");
    }, seconds * 1000);
    const end = (code) => {
      clearTimeout(timer);
      resolve({ ...text, code: late ? "timeout" : code });
    };
    child.on("error", (error) => {
      text.err += error.message;
      end(undefined);
    });
    child.on("close", (code, signal) => end(code ?? signal));
  });
}

/** Lines of JSON that programs-torch.py prints; `error` when it failed. --python=FILE names another python3. */
export async function torch(args, seconds) {
  const { code, out, err } = await execute(flag("python") ?? "python3", [here("programs-torch.py"), ...args], seconds);
  const lines = out
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));
  return { lines, error: code === 0 ? undefined : `python: ${code ?? "not here"}; ${err.trim().slice(-400)}` };
}

/** Compiles the launcher and returns its path. Throws with the compiler's messages. */
export async function buildLauncher() {
  const launcher = join(scratch, "launch");
  const includes = ["/usr/local/cuda/include", "/usr/local/cuda/targets/x86_64-linux/include"].map((folder) => `-I${folder}`);
  const words = [];
  for (const compiler of ["cc", "gcc", "nvcc"]) {
    const { code, err } = await execute(compiler, ["-O2", ...includes, here("programs-launch.c"), "-o", launcher, "-ldl"], 60);
    if (code === 0) return launcher;
    words.push(`${compiler}: ${err.trim().slice(0, 300)}`);
  }
  throw new Error(words.join("\n"));
}

/** The launcher's description of an artifact's kernels. */
export function specsOf({ manifest, codePath }) {
  const kindOf = (dtype) => ({ float32: "f", float16: "h", bfloat16: "h" })[dtype] ?? "i";
  const lines = manifest.kernels.map((kernel) => {
    if (kernel.cluster.some((extent) => extent !== 1)) throw new Error(`${kernel.name}: the launcher knows no clusters`);
    const buffers = kernel.args.map((arg) => manifest.buffers.find(({ name }) => name === arg));
    const args = buffers.flatMap(({ dtype, bytes }) => [kindOf(dtype), bytes]);
    return [codePath, kernel.name, ...kernel.grid, ...kernel.block, kernel.dynamic_shared_bytes, buffers.length, ...args].join(
      " ",
    );
  });
  const path = join(scratch, `specs-${files++}`);
  writeFileSync(path, `${lines.join("\n")}\n`);
  return path;
}

const sanitizers = ["/usr/local/cuda/bin/compute-sanitizer", "compute-sanitizer"];
const profilers = ["ncu", "/usr/local/cuda/bin/ncu"];
const first = (list) => list.find((path) => !path.startsWith("/") || existsSync(path));

/** `clean` is true only when the tool reports no error and the launcher ended with success. */
export async function sanitize(launcher, tool, artifact, seconds) {
  const args = ["--tool", tool, "--error-exitcode", "99", launcher, specsOf(artifact), "1"];
  const { code, out, err } = await execute(first(sanitizers), args, seconds);
  const said = /=+ (ERROR SUMMARY: .*|RACECHECK SUMMARY: .*)/.exec(out)?.[1] ?? `${code}: ${(err || out).trim().slice(-300)}`;
  const clean =
    code === 0 && /^(ERROR SUMMARY: 0 errors|RACECHECK SUMMARY: 0 hazards)/.test(said) && /^launched \d+ kernels/m.test(out);
  return { clean, said, log: clean ? undefined : out.slice(0, 3000) };
}

const sections = [
  "SpeedOfLight",
  "LaunchStats",
  "Occupancy",
  "WarpStateStats",
  "SchedulerStats",
  "ComputeWorkloadAnalysis",
  "MemoryWorkloadAnalysis",
];

/** Every metric of the third launch of a program's kernel, by name: { value, unit }. */
export async function profile(launcher, artifact, seconds) {
  const args = [
    ...sections.flatMap((section) => ["--section", section]),
    ...["--clock-control", "none", "--launch-skip", "2", "--launch-count", "1", "--csv", "--page", "raw"],
    ...[launcher, specsOf(artifact), "3"],
  ];
  const { code, out, err } = await execute(first(profilers), args, seconds);
  const rows = out.split("\n").filter((line) => line.startsWith('"'));
  if (rows.length < 3) throw new Error(`ncu: ${code ?? "not here"}; ${(err || out).trim().slice(-300)}`);
  const cells = (line) => [...line.matchAll(/"((?:[^"]|"")*)"/g)].map(([, cell]) => cell);
  const [names, units, values] = rows.slice(0, 3).map(cells);
  return Object.fromEntries(names.map((name, i) => [name, { value: values[i] ?? "", unit: units[i] ?? "" }]));
}

const facts = [
  ["time", "gpu__time_duration.sum"],
  ["SM throughput", "sm__throughput.avg.pct_of_peak_sustained_elapsed"],
  ["memory throughput", "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"],
  ["DRAM", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"],
  ["L1", "l1tex__throughput.avg.pct_of_peak_sustained_active"],
  ["L2", "lts__throughput.avg.pct_of_peak_sustained_elapsed"],
  ["issue slots busy", "sm__inst_issued.avg.pct_of_peak_sustained_active"],
  ["occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active"],
  ["theoretical", "sm__maximum_warps_per_active_cycle_pct"],
  ["registers", "launch__registers_per_thread"],
  ["shared a block", "launch__shared_mem_per_block"],
  ["waves", "launch__waves_per_multiprocessor"],
  ["SM clock", "smsp__cycles_elapsed.avg.per_second"],
];
const stalls = /^smsp__average_warps_issue_stalled_(\w+?)_per_issue_active/;
const pipeNames = [
  /^sm__inst_executed_pipe_(\w+)\.avg\.pct_of_peak_sustained_active$/,
  /^sm__pipe_(\w+)_cycles_active\.avg\.pct_of_peak_sustained_active$/,
];

/** A summary of the profile in a few lines: speed of light, occupancy, stall reasons of warps. */
export function profileWords(metrics) {
  const number = (cell) => Number(cell.value.replaceAll(",", ""));
  const shown = facts.flatMap(([what, name]) => {
    const cell = metrics[name];
    return cell === undefined ? [] : [`${what} ${cell.value}${cell.unit === "" ? "" : ` ${cell.unit}`}`];
  });
  const waits = Object.entries(metrics)
    .flatMap(([name, cell]) => {
      const reason = stalls.exec(name)?.[1];
      return reason === undefined || reason.endsWith("_not_issued") || !(number(cell) > 0)
        ? []
        : [{ reason, cycles: number(cell) }];
    })
    .sort((a, b) => b.cycles - a.cycles);
  const pipes = Object.entries(metrics)
    .flatMap(([name, cell]) => {
      const pipe = pipeNames.map((pattern) => pattern.exec(name)?.[1]).find((found) => found !== undefined);
      return pipe === undefined ? [] : [{ pipe, share: number(cell) }];
    })
    .sort((a, b) => b.share - a.share);
  return [
    shown.join(", "),
    `warps wait, cycles an instruction: ${waits
      .slice(0, 5)
      .map(({ reason, cycles }) => `${reason} ${cycles.toFixed(2)}`)
      .join(", ")}`,
    `busiest pipes: ${pipes
      .slice(0, 4)
      .map(({ pipe, share }) => `${pipe} ${share.toFixed(0)} %`)
      .join(", ")}`,
  ];
}
