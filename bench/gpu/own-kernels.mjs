/**
 * Kernels of one's own on a GPU, by the commands a user has, on an embedded farm.
 *
 *   npm run build && node bench/gpu/own-kernels.mjs [--dry] [--trials N] [--hub FOLDER] [--ktt FOLDER] [--cutlass FOLDER]
 *     [--only PART,...] [--min-repeat TIME]
 *
 * About ten minutes on an H100 with 200 trials, and as much with the hub. Exit code 1 when something is not as expected:
 *   examples  vector_add, stencil and gemm: searched, every config checked; gemm against matmul_simt's default schedule. gemm's
 *             best config as a cubin: measured by its launch, within 2 % of its time in the search; and against the default: the
 *             verdict, exit 0 or 4, and a JUnit report
 *   faults    a syntax error, a wrong argument, a store out of bounds, a hang: each names its line or buffer
 *   files     inputs and the outputs that others are compared with from .npy files: right ones agree, one wrong element is named
 *   compilers NVRTC and nvcc as a tunable: each config is built by the one it asks for, and both agree
 *   hub       with --hub, benchmark_hub or its folder kernels (own-kernels-hub.mjs): convolution, hotspot, dedispersion and gemm
 *             searched, trials a second and the best; --only may name one of them: hub:gemm_milo
 *   ktt       with --ktt, KTT's folder Examples/JSON: CLTune's GEMM and a Coulomb sum, searched with KTT's scripts unchanged
 *   cutlass   with --cutlass, CUTLASS's folder include: it travels as one bundle, and its GEMM is searched with its tiles, stages
 *             and order of tiles as template arguments (cutlass.cu), 60 trials at most; --only=cutlass
 * --dry builds one config of each kernel and measures nothing.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { hubKernels, kttKernels } from "./own-kernels-hub.mjs";
import { flag } from "./shared/sections.mjs";

const bin = fileURLToPath(new URL("../../bin/warpfarm.js", import.meta.url));
const here = fileURLToPath(new URL(".", import.meta.url));
const examples = fileURLToPath(new URL("../../examples", import.meta.url));
const directory = mkdtempSync(join(tmpdir(), "warpfarm-own-"));
const isDry = process.argv.includes("--dry");
const trials = Number(flag("trials") ?? 200);
const length = flag("min-repeat") === undefined ? [] : ["--measure", `min_repeat=${flag("min-repeat")}`];
const hub = flag("hub");
const ktt = flag("ktt");
const cutlass = flag("cutlass");
const only = flag("only")?.split(",");
const isAsked = (part) => only === undefined || only.includes(part) || only.includes(part.split(":")[0]);
let failures = 0;

function expect(what, holds, found) {
  console.log(`${holds ? "ok  " : "FAIL"} ${what}: ${String(found).trim()}`);
  if (!holds) failures++;
}
function warpfarm(...args) {
  const env = { ...process.env, XDG_DATA_HOME: join(directory, "data"), XDG_CACHE_HOME: join(directory, "cache") };
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], {
    cwd: directory,
    encoding: "utf8",
    env,
    maxBuffer: 1 << 28,
  });
  return { status, stdout, stderr, json: stdout.startsWith("{") ? JSON.parse(stdout) : undefined };
}

/** @type {{ most: number, more: string[], note: string } & Partial<import("./own-kernels-hub.mjs").HubKernel>} */
const defaults = { most: trials, more: [], note: "" };

const valuesOf = ({ config }) => Object.fromEntries(config.entity.map(([name, , value]) => [name, value]));

function search(name, { most, more, note, isFaulty, agrees = () => true } = defaults) {
  const log = `${name}.jsonl`;
  const begun = performance.now();
  const ran = warpfarm("tune", `./${name}.cu`, "--trials", `${most}`, "--log", log, "--json", ...length, ...more);
  const seconds = (performance.now() - begun) / 1e3;
  const lines = existsSync(join(directory, log)) ? readFileSync(join(directory, log), "utf8").split("\n") : [];
  const results = lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
  const compared = results.filter(({ result: [, error] }) => error === 0 || error === 5);
  const wrong = compared.filter((each) => (each.result[1] === 0) !== agrees(valuesOf(each))).length;
  const good = results.filter(({ result: [, error] }) => error === 0);
  const checked = good.filter((each) => each.warpfarm.checked).length;
  const { best } = ran.json ?? {};
  const words = best ? `best ${(best.seconds * 1e6).toFixed(1)} us, index ${best.index}` : ran.stderr.split("\n").at(-2);
  const speed = `${(results.length / seconds).toFixed(1)} trials/s`;
  const seen = `${words}; ${good.length} of ${results.length} ran, ${checked} checked, ${wrong} wrong, ${speed}`;
  if (isFaulty) console.log(`     ${name} (${note}): exit ${ran.status}: ${seen}`);
  else expect(note ? `${name} (${note})` : name, ran.status === 0 && wrong === 0 && checked === good.length, seen);
  return ran.json;
}

/** CUTLASS's headers lie behind a link. */
const allowed = (name) => (name === "cutlass" ? ["--allow-include", resolve(cutlass ?? "")] : []);

function builds(name) {
  const sound = { gemm: 121, cutlass: 130 }[name] ?? 5;
  const flags = ["--index", `${sound}`, "--target", "cuda/sm_90", "-o", "out.cubin", "--json", ...allowed(name)];
  const ran = warpfarm("build", `./${name}.cu`, ...flags);
  expect(`${name} builds`, ran.status === 0, ran.json?.toolchain ?? ran.stderr);
}

function code({ best }) {
  warpfarm("build", "./gemm.cu", "--index", `${best.index}`, "-o", "best.cubin");
  const [launch] = JSON.parse(readFileSync(join(directory, "best.cubin.manifest.json"), "utf8")).kernels;
  const tensors = ["C", "A", "B"].map((name) => ({
    name,
    dtype: "float32",
    shape: [1024, 1024],
    ...(name === "C" ? { role: "out" } : {}),
  }));
  const sizes = Array(3).fill({ scalar: "int32", value: 1024 });
  writeFileSync(join(directory, "args.json"), JSON.stringify([...tensors, ...sizes]));
  const shape = `grid=${launch.grid.join("x")},block=${launch.block.join("x")}`;
  const flags = ["--launch", `entry=${launch.name},${shape}`, "--args", "args.json"];
  const reference = ["--reference", '{"task":"matmul_simt","args":{"M":1024,"N":1024,"K":1024,"layout":"NN"}}'];
  copyFileSync(join(directory, "best.cubin"), join(directory, "brought.cubin"));
  const { json, stderr } = warpfarm("measure", "./brought.cubin", ...flags, ...reference, "--json");
  const ratio = json?.seconds / best.seconds;
  expect("a cubin by its launch", Math.abs(ratio - 1) < 0.02, json ? `${ratio.toFixed(4)} times its time in the search` : stderr);
}

function gate({ best }) {
  const limits = ["--paired", "./gemm.cu", "--fail-above", "1.01", "--junit", "gate.xml", "--rounds", "24", "--json"];
  const { status, json, stderr } = warpfarm("measure", "./gemm.cu", "--index", `${best.index}`, ...limits);
  const expected = json?.gate?.verdict === "regression" ? 4 : 0;
  expect(
    "gate",
    json !== undefined && status === expected,
    json ? `${json.gate.verdict}, ratio ${json.ratio.toFixed(4)}, exit ${status}` : stderr,
  );
}

/**
 * @type {[what: string, ofText: ((text: string) => string) | undefined, ofSpec: ((spec: string) => string) | undefined, words:
 * RegExp][]}
 */
const faults = [
  ["a syntax error", (text) => text.replace("c[i] = a[i] + b[i];", "c[i] = a[i] + ;"), undefined, /vector_add\.cu\(\d+\): error/],
  [
    "a wrong argument",
    undefined,
    (spec) => spec.replace("{scalar: int32, value: n}", "{scalar: float64, value: n}"),
    /parameter 4 of 4 has 4 bytes/,
  ],
  ["a store out of bounds", (text) => text.replace("if (i < n) c[i] =", "if (i < n) c[i + 16] ="), undefined, /\bc\b/],
  [
    "a hang",
    (text) => text.replace("c[i] = a[i] + b[i];", "while (*(volatile int *)&n) c[i] = a[i] + b[i];"),
    undefined,
    /RUN_TIMEOUT/,
  ],
];
function fault([what, ofText, ofSpec, words]) {
  const text = readFileSync(join(examples, "vector_add.cu"), "utf8");
  const spec = readFileSync(join(examples, "vector_add.yaml"), "utf8");
  writeFileSync(join(directory, "vector_add.cu"), ofText?.(text) ?? text);
  writeFileSync(join(directory, "vector_add.yaml"), ofSpec?.(spec) ?? spec);
  copyFileSync(join(examples, "vector_add.cu"), join(directory, "plain.cu"));
  copyFileSync(join(examples, "vector_add.yaml"), join(directory, "plain.yaml"));
  const ran = warpfarm("measure", "./vector_add.cu", "--index", "3", "--reference", "./plain.cu", "--measure", "run_timeout=3s");
  expect(
    what,
    ran.status !== 0 && words.test(ran.stdout + ran.stderr),
    ran.stdout.split("\n").find((line) => /^(failed|worst)/.test(line)) ?? `exit ${ran.status}: ${ran.stdout}${ran.stderr}`,
  );
}

function writeNpy(name, values) {
  const head = `{'descr': '<f4', 'fortran_order': False, 'shape': (${values.length},), }`;
  const length = Buffer.alloc(2);
  length.writeUInt16LE(head.length);
  const magic = Buffer.from("\x93NUMPY\x01\x00", "latin1");
  writeFileSync(join(directory, name), Buffer.concat([magic, length, Buffer.from(head), Buffer.from(values.buffer)]));
}

function written(ofSpec) {
  copyFileSync(join(examples, "vector_add.cu"), join(directory, "vector_add.cu"));
  writeFileSync(join(directory, "vector_add.yaml"), ofSpec(readFileSync(join(examples, "vector_add.yaml"), "utf8")));
}

function files() {
  const n = 1_000_003;
  const a = Float32Array.from({ length: n }, (_, i) => (i % 1000) / 8);
  const b = Float32Array.from({ length: n }, (_, i) => i % 77);
  writeNpy("a.npy", a);
  writeNpy("b.npy", b);
  const c = a.map((value, i) => value + b[i]);
  writeNpy("c.npy", c);
  c[123_456] += 1;
  writeNpy("wrong.npy", c);
  written((spec) =>
    spec.replace(
      /\{name: ([ab]), dtype: float32, shape: \[n\]\}/g,
      "{name: $1, dtype: float32, shape: [n], fill: {file: ./$1.npy}}",
    ),
  );
  const measured = (reference) => warpfarm("measure", "./vector_add.cu", "--index", "3", "--reference", reference, "--json");
  const right = measured("./c.npy");
  expect(
    "recorded outputs agree",
    right.status === 0 && right.json?.result.checked === true,
    right.json?.seconds ?? right.stderr,
  );
  const wrong = measured("./wrong.npy");
  const { mismatch } = wrong.json?.result ?? {};
  expect(
    "one wrong element is named",
    wrong.status === 4 && mismatch?.index === 123_456 && mismatch.count === 1,
    JSON.stringify(mismatch ?? wrong.stderr),
  );
}

function compilers() {
  written((spec) => `${spec.replace("tunables:", "tunables:\n  COMPILER: [nvrtc, nvcc]")}compiler: "{COMPILER}"\n`);
  for (const [index, name] of [0, 1].map((each) => [each, ["nvrtc", "nvcc"][each]])) {
    const built = warpfarm("build", "./vector_add.cu", "--index", `${index}`, "-o", "out.cubin", "--json");
    expect(
      `${name} is taken where it is asked for`,
      built.json?.toolchain?.startsWith(`${name} `) === true || (isDry && /this builder has /.test(built.stderr)),
      built.json?.toolchain ?? built.stderr,
    );
  }
  if (isDry) return;
  const ran = warpfarm("measure", "./vector_add.cu", "--index", "1", "--reference", "0", "--json");
  expect("and both agree", ran.json?.result.checked === true, ran.json?.seconds ?? ran.stderr);
}

function ownExamples(kernels) {
  const reports = new Map(kernels.map((name) => [name, search(name)]));
  const gemm = reports.get("gemm");
  if (!gemm?.best) return;
  code(gemm);
  gate(gemm);
}

try {
  const kernels = ["vector_add", "stencil", "gemm"];
  for (const name of [...kernels.flatMap((each) => [`${each}.cu`, `${each}.yaml`]), "items.cuh"])
    copyFileSync(join(examples, name), join(directory, name));
  const theirs = [
    ...(hub === undefined ? [] : hubKernels(hub, directory)).filter(({ name }) => isAsked(`hub:${name}`)),
    ...(ktt === undefined ? [] : kttKernels(ktt, directory)).filter(({ name }) => isAsked(`ktt:${name}`)),
  ];
  const ofCutlass = cutlass !== undefined && isAsked("cutlass");
  if (ofCutlass) {
    for (const name of ["cutlass.cu", "cutlass.yaml"]) copyFileSync(join(here, name), join(directory, name));
    symlinkSync(resolve(cutlass), join(directory, "include"));
  }
  if (isDry) {
    const names = [
      ...(isAsked("examples") ? kernels : []),
      ...theirs.map((each) => each.name),
      ...(ofCutlass ? ["cutlass"] : []),
    ];
    for (const name of names) builds(name);
    if (isAsked("compilers")) compilers();
  } else {
    if (isAsked("examples")) ownExamples(kernels);
    if (isAsked("faults")) for (const each of faults) fault(each);
    if (isAsked("files")) files();
    if (isAsked("compilers")) compilers();
    for (const each of theirs) search(each.name, { ...defaults, ...each, most: each.isFaulty ? 4 : trials });
    if (ofCutlass)
      search("cutlass", {
        ...defaults,
        most: Math.min(trials, 60),
        more: ["--measure", "build_timeout=120s", ...allowed("cutlass")],
      });
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}
process.exitCode = failures > 0 ? 1 : 0;
