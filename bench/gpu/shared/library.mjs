/** Configs of templates beside the vendor library's operator, interleaved in one process of PyTorch (interleaved.py). */
import { execFile } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { targetOf } from "../shapes-dry.mjs";
import { compiled } from "./nvcc.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const bin = here("../../../bin/warpfarm.js");
const scratch = mkdtempSync(join(tmpdir(), "warpfarm-library-"));
const run = promisify(execFile);

/** A config of a template, compiled, as interleaved.py takes it. */
export async function artifactOf({ template, index }, args) {
  const target = targetOf(template);
  const common = [bin, "lower", template, "--args", JSON.stringify(args), "--target", target, "--index", String(index)];
  const lowered = async (form) => (await run(process.execPath, [...common, "--emit", form], { maxBuffer: 2 ** 28 })).stdout;
  const { code: cubin } = await compiled(await lowered("cuda"), target);
  const parts = (await lowered("launch"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  return {
    name: `${template} ${index}`,
    cubin,
    kernels: parts.flatMap(({ kernel }) => kernel ?? []),
    buffers: parts.flatMap(({ buffers }) => buffers ?? []),
    maps: parts.flatMap(({ maps }) => maps ?? []),
  };
}

/** What Nsight Compute says of a kernel: a word, and where in its raw page that stands; the greatest of several. */
const readings = {
  us: /^gpu__time_duration\.sum$/,
  grid: /^launch__grid_size$/,
  block: /^launch__block_size$/,
  registers: /^launch__registers_per_thread$/,
  waves: /^launch__waves_per_multiprocessor$/,
  compute: /^sm__throughput\.avg\.pct/,
  tensor: /^sm__(inst_executed_)?pipe_tensor.*\.avg\.pct/,
  memory: /^gpu__compute_memory_throughput\.avg\.pct/,
  dram: /^(gpu__)?dram__throughput\.avg\.pct/,
  l2: /^lts__t.*throughput.*\.avg\.pct/,
  warps: /^sm__warps_active\.avg\.pct/,
  eligible: /^smsp__warps_eligible\.avg\.per_cycle_active$/,
};
const stall = /^smsp__average_warps_issue_stalled_(?!selected|\w+not_issued)(\w+)_per_issue_active\.ratio$/;
const microseconds = { ns: 1e-3, us: 1, ms: 1e3, s: 1e6, nsecond: 1e-3, usecond: 1, msecond: 1e3, second: 1e6 };

/**
 * Kernels in a raw page of Nsight Compute, as comma-separated text: names of metrics, their units, then a line for each kernel.
 */
function kernelsOfPage(text) {
  const cells = (line) => line.slice(1, -1).split('","');
  const [head, units, ...lines] = text
    .split("\n")
    .filter((line) => line.startsWith('"'))
    .map(cells);
  if (head === undefined) return [];
  return lines.map((line) => {
    const all = head.flatMap((name, at) => {
      const value = Number(line[at]?.replaceAll(",", ""));
      return line[at] && Number.isFinite(value) ? [{ name, value: value * (microseconds[units[at]] ?? 1) }] : [];
    });
    const greatest = (form) => all.filter(({ name }) => form.test(name)).sort((a, b) => b.value - a.value)[0];
    const worst = greatest(stall);
    return {
      kernel: line[head.indexOf("Kernel Name")],
      ...Object.fromEntries(Object.entries(readings).map(([word, form]) => [word, greatest(form)?.value])),
      ...(worst && { stalled: worst.name.match(stall)?.[1], cycles: worst.value }),
    };
  });
}

/**
 * What Nsight Compute says of the library's kernels and of the fastest of ours; the clock is left alone and the L2 cache warm, as
 * they are timed. Without an answer it says why.
 */
export async function profileOf(spec, { times }) {
  const [fastest] = spec.kernels.toSorted((a, b) => times[a.name].us - times[b.name].us);
  const found = await profiled({ ...spec, kernels: [fastest] }).catch((error) => [{ why: String(error.message).slice(-400) }]);
  console.log(`${spec.name}: ${JSON.stringify(found, undefined, 1)}`);
  return found;
}

async function profiled(spec) {
  const file = join(scratch, "profile.json");
  writeFileSync(file, JSON.stringify([{ ...spec, profile: true }]));
  const given = ["--profile-from-start", "off", "--clock-control", "none", "--cache-control", "none", "--set", "full"];
  const python = ["python3", "-W", "ignore", here("../interleaved.py"), file];
  const { stdout } = await run("ncu", [...given, "--csv", "--page", "raw", ...python], { maxBuffer: 2 ** 28 });
  const own = spec.kernels.flatMap(({ kernels }) => kernels.map(({ name }) => name));
  return kernelsOfPage(stdout).map((each) => ({
    whose: own.some((name) => each.kernel?.startsWith(name)) ? "ours" : "library",
    ...each,
  }));
}

/** Answers of interleaved.py. A row on which it crashes is checked by itself, and the rest go on. */
export async function timedBeside(specs) {
  const answers = [];
  while (answers.length < specs.length) {
    const left = join(scratch, "specs.json");
    writeFileSync(left, JSON.stringify(specs.slice(answers.length)));
    const given = ["-W", "ignore", here("../interleaved.py"), left];
    const { stdout, failed } = await run("python3", given, { maxBuffer: 2 ** 28 }).catch((error) => ({
      ...error,
      failed: error,
    }));
    answers.push(
      ...stdout
        .split("\n")
        .filter((line) => line.startsWith("{"))
        .map((line) => JSON.parse(line)),
    );
    if (!failed) continue;
    const spec = specs[answers.length];
    writeFileSync(left, JSON.stringify([{ ...spec, check_only: true }]));
    const found = await run("compute-sanitizer", ["--tool", "memcheck", "python3", ...given], { maxBuffer: 2 ** 28 }).catch(
      (e) => e,
    );
    const lines = `${found.stdout}${found.stderr}`.split("\n").filter((line) => !line.includes("Host Frame"));
    console.log(`${spec.name}: crashed; compute-sanitizer says\n${lines.slice(0, 30).join("\n")}`);
    answers.push({ name: spec.name, crashed: lines.slice(0, 30) });
  }
  return answers;
}
