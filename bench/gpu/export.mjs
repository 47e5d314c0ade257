/**
 * Exports on this GPU: each kernel is exported as CUDA, compiled by nvcc and run by its self-test; then launched from Python as
 * cubin and as PTX, where PyTorch is installed, with the inputs that the self-test wrote, and compared with its outputs.
 *
 *   npm run build && node bench/gpu/export.mjs [--dry]
 *
 * `--dry`: exports and compiles, and runs nothing on a device. Needs nvcc.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fittingTarget, templates } from "@warpfarm/templates";
import { outFolder, runSections, table } from "./shared/sections.mjs";

const dry = process.argv.includes("--dry");
const root = fileURLToPath(new URL("../..", import.meta.url));
const work = join(outFolder, "export");

const kernels = {
  tutorial: ["tutorial/conv2d_no_batching", "--index", "published"],
  splitk: ["conv2d_splitk", "--index", "0"],
  mma: ["matmul_mma", "--index", "published"],
  tma: ["matmul_tma", "--index", "published"],
  own: ["examples/vector_add.cu", "--index", "5"],
};

const warpfarm = (...args) =>
  execFileSync(process.execPath, [join(root, "bin/warpfarm.js"), ...args], { cwd: root, encoding: "utf8" });

/**
 * The architecture of this GPU, or of one that the kernel's template needs: matmul_tma has instructions that are of sm_90a alone.
 */
function architectureOf(name) {
  const said = dry
    ? "9.0"
    : execFileSync("nvidia-smi", ["--query-gpu=compute_cap", "--format=csv,noheader", "-i", "0"], { encoding: "utf8" });
  const key = `cuda/sm_${said.trim().replace(".", "")}`;
  const template = templates.find((one) => one.name === kernels[name][0]);
  return (template ? fittingTarget(template.targets, key) : key).slice("cuda/".length);
}

function outcome(command, args, cwd) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: "utf8", timeout: 300_000 });
  if (error) return { ok: false, said: error.message };
  return { ok: status === 0, said: `${stdout}${stderr}`.trim().split("\n").slice(-3).join(" | ") };
}

const folderOf = (name, format) => {
  const folder = join(work, `${name}-${format}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "data"), { recursive: true });
  return folder;
};

function exported(name, format) {
  const folder = folderOf(name, format);
  warpfarm(
    "export",
    ...kernels[name],
    "--target",
    `cuda/${architectureOf(name)}`,
    "--format",
    format,
    "--name",
    "taken",
    "-o",
    folder,
  );
  return folder;
}

function cuda() {
  const rows = Object.keys(kernels).map((name) => {
    const folder = exported(name, "cuda");
    const files = ["taken.cu", "taken_reference.cu", "taken_test.cu"];
    const architecture = architectureOf(name);
    // With -arch=sm_90a nvcc compiles for compute_90 too, which has no wgmma.
    const code = `-gencode=arch=${architecture.replace("sm_", "compute_")},code=${architecture}`;
    const built = outcome("nvcc", [code, "-std=c++17", "-O3", "-o", "run", ...files], folder);
    const ran = built.ok && !dry ? outcome("./run", ["--write", "data"], folder) : built;
    return { kernel: name, ok: ran.ok, said: ran.said };
  });
  return told(rows);
}

function python() {
  const rows = Object.keys(kernels).flatMap((name) =>
    ["python", "ptx"].map((format) => {
      const folder = exported(name, format);
      if (format === "ptx") {
        // The module that is exported with a cubin also reads the JSON of PTX.
        const [from, module] = [join(work, `${name}-python`), "taken.py"];
        execFileSync("cp", [join(from, module), folder]);
      }
      const script = join(root, "bench/gpu/export.py");
      const ran = dry
        ? { ok: true, said: "not run" }
        : outcome("python3", [script, folder, join(work, `${name}-cuda`, "data")], folder);
      return { kernel: `${name} ${format}`, ok: ran.ok, said: ran.said };
    }),
  );
  return told(rows);
}

function told(rows) {
  table(
    ["kernel", "ok", "said"],
    rows.map(({ kernel, ok, said }) => [kernel, ok ? "yes" : "NO", said]),
  );
  const bad = rows.filter(({ ok }) => !ok);
  if (bad.length > 0) throw new Error(`${bad.length} of ${rows.length} failed: ${bad.map(({ kernel }) => kernel).join(", ")}`);
  return rows;
}

await runSections(fileURLToPath(import.meta.url), "export", {
  cuda: { seconds: 240, run: async () => cuda() },
  python: { seconds: 240, run: async () => python() },
});
