/**
 * The default schedule of large reductions on a GPU, in tiles and as it was before, one thread an element: both are run
 * interleaved, and the tiled one must give the same bits. `npm run build && node bench/gpu/reference.mjs [--rounds N] [--large]
 * [--dry]`, four minutes on an H100, most of them for the schedule without tiles; --large adds a product for which that takes 36
 * s a run. Exit code 1 when a result differs, or a tiled one of float32 reaches fewer than 3 TFLOPS. --dry builds all and runs
 * nothing.
 */
import {
  at,
  cast,
  compute,
  conv2dNchw,
  conv2dNhwc,
  defaultSchedule,
  encodeProgram,
  flops,
  graphOf,
  matmul,
  mul,
  placeholder,
  reduceAxis,
  sum,
} from "../../compiler/dist/index.js";
import { cores, dry, openBuilds, openHost, targetHere } from "./shared/device-host.mjs";
import { flag, table } from "./shared/sections.mjs";

const wantedTflops = 3;
const rounds = Number(flag("rounds") ?? 2);

const exactly = (inputs, output) => graphOf(inputs, [output], { tolerance: { [output.name]: { atol: 0, rtol: 0 } } });

function product(layout, [M, N, K], dtype) {
  const A = placeholder("A", layout[0] === "T" ? [K, M] : [M, K], dtype);
  const B = placeholder("B", layout[1] === "T" ? [N, K] : [K, N], dtype);
  // The operator names B's letter first.
  const letters = layout === "TN" ? "NT" : layout === "NT" ? "TN" : layout;
  return exactly([A, B], matmul(A, B, { layout: letters, outDtype: "float32" }));
}

function batched([batch, M, N, K]) {
  const [A, B] = [placeholder("A", [batch, M, K], "int8"), placeholder("B", [batch, K, N], "int8")];
  const k = reduceAxis("k", K);
  /** @type {[string, number][]} */
  const axes = [
    ["n", batch],
    ["i", M],
    ["j", N],
  ];
  const element = (tensor, ...indices) => cast("int32", at(tensor, ...indices));
  const C = compute("C", axes, (n, i, j) => sum(mul(element(A, n, i, k.loopVar), element(B, n, k.loopVar, j)), [k]));
  return graphOf([A, B], [C]);
}

function nchw([n, ci, side, co]) {
  const [data, kernel] = [placeholder("data", [n, ci, side, side]), placeholder("kernel", [co, ci, 3, 3])];
  return exactly([data, kernel], conv2dNchw(data, kernel, { stride: 1, padding: 1 }));
}

function nhwc([n, side, ci, co]) {
  const data = placeholder("data", [n, side, side, ci], "float16");
  const kernel = placeholder("kernel", [3, 3, ci, co], "float16");
  return exactly([data, kernel], conv2dNhwc(data, kernel, { stride: 2, padding: 1, outDtype: "float32" }));
}

const graphs = {
  "2048x12288x4096 NT fp32": () => product("NT", [2048, 12288, 4096], "float32"),
  "2047x4099x4097 TN fp16": () => product("TN", [2047, 4099, 4097], "float16"),
  "32x128x56x56 to 256, 3x3, NCHW fp32": () => nchw([32, 128, 56, 256]),
  "32x57x57x130 to 257, 3x3/2, NHWC fp16": () => nhwc([32, 57, 130, 257]),
  "12 products 1024x1000x513 int8": () => batched([12, 1024, 1000, 513]),
  ...(process.argv.includes("--large") ? { "8192x10240x8192 NT fp32": () => product("NT", [8192, 10240, 8192], "float32") } : {}),
};

const target = targetHere();
const builds = await openBuilds(cores);
const host = await openHost();
const options = { number: 1, repeat: 1, minRepeatMs: 0, runTimeoutMs: 150_000 };
const lines = [];
let unexpected = 0;

async function built(graph, least) {
  const one = await builds.build(encodeProgram(graph, defaultSchedule(graph, target, least).trace, target));
  if (one.refused) throw new Error(one.refused.message);
  return one.artifact;
}

/** Median seconds of the runs of two artifacts, by turns; the first is what both must agree with. */
async function inTurns(name, artifacts) {
  const seconds = artifacts.map(() => []);
  for (let round = 0; round < rounds; round++)
    for (const [i, artifact] of artifacts.entries()) {
      const result = await host.run(artifact, artifacts[0], options);
      if (result.kind !== "timed") {
        console.log(`${name}, ${["one thread an element", "tiled"][i]}: ${result.message}`);
        return undefined;
      }
      seconds[i].push(...result.costs);
    }
  return seconds.map((each) => each.sort((a, b) => a - b)[each.length >> 1]);
}

try {
  for (const [name, make] of Object.entries(graphs)) {
    const graph = make();
    const [single, tiled] = [await built(graph, Number.POSITIVE_INFINITY), await built(graph)];
    if (single.digest === tiled.digest) throw new Error(`${name} is not tiled`);
    const { registers, spill_bytes: spills } = tiled.manifest.resources;
    const resources = `${registers}, ${spills}`;
    const seconds = dry ? undefined : await inTurns(name, [single, tiled]);
    const [before, after] = (seconds ?? []).map((each) => [`${(each * 1e3).toFixed(2)} ms`, flops(graph) / each / 1e12]);
    const tooSlow = !dry && name.endsWith("fp32") && !(after && after[1] >= wantedTflops);
    if (!dry && (seconds === undefined || tooSlow || spills > 0)) unexpected++;
    const cells =
      before && after ? [before[0], after[0], before[1].toFixed(2), after[1].toFixed(2), "same bits"] : Array(5).fill("-");
    lines.push([name, resources, ...cells]);
  }
} finally {
  await host.close();
  await builds.close();
}
table(["reference", "registers, spills", "one thread an element", "tiled", "TFLOPS", "TFLOPS", "results"], lines);
console.log(dry ? `${2 * lines.length} kernels built, none run` : `${unexpected} of ${lines.length} are not as expected`);
process.exitCode = unexpected === 0 ? 0 : 1;
