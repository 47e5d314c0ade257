/**
 * Searches of shapes that nobody has tuned, for the results that come with Warpfarm (scripts/pack-knowledge.mjs takes the logs):
 *
 *   node bench/gpu/knowledge.mjs [--templates=NAME,...] [--trials=96] [--budget=500s] [--gpus=1] [--dry]
 *
 * Products of matmul_tma with few, many and odd rows, reductions and columns that 64 does not divide, both types and layouts;
 * products of few rows; convolutions NHWC by both engines; convolutions NCHW of other networks; derived families. No shape is
 * held out. Inputs have all their bits (inputs=full), because what a product costs depends on them. Each search begins with what
 * comes with Warpfarm, and its log is kept, packed, in $OUT/logs: the same command goes on where it was cut off. Then
 *
 *   cp $OUT/logs/*.gz bench/results/logs/ && node scripts/pack-knowledge.mjs --write
 *
 * `--gpus N`: as many searches at once, each on a GPU of its own. `--dry`: prints the searches, whose configs it tries to make.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { Random } from "@warpfarm/common";
import { gpuLimits } from "@warpfarm/compiler";
import { createTask } from "@warpfarm/templates";
import { isHeldOut } from "../../scripts/held-out.mjs";
import { targetOf } from "./shapes-dry.mjs";
import { searched } from "./shared/search.mjs";
import { flag, outFolder, table, timeFlag } from "./shared/sections.mjs";

const trials = Number(flag("trials") ?? 96);
const gpus = Number(flag("gpus") ?? 1);
const budget = timeFlag("budget") ?? 500;
const begun = performance.now();

/** @typedef {[template: string, args: Record<string, any>]} Search */

const halves = ["float16", "bfloat16"];
const layouts = ["NN", "NT"];
/** @type {(text: string) => number[][]} */
const sizes = (text) =>
  text
    .trim()
    .split(/\s+/)
    .map((one) => one.split("x").map(Number));

/** Rows by columns by reduction. Types and layouts alternate, so each is with shapes of all kinds. */
const largeProducts = sizes(`
  256x1024x1024 384x4096x1024 512x2048x2048 640x5120x5120 768x3072x768 896x896x896 1024x1024x4096 1024x4096x1024
  1024x8192x1024 1152x6912x2304 1280x1280x5120 1500x5120x1280 1536x1536x1536 1536x6144x1024 1792x1792x7168 1920x1280x1280
  2048x2048x2048 2048x2560x10240 2048x5632x2048 2048x6144x4096 2304x768x3072 2560x2560x2560 2816x1024x2816 3000x1536x1536
  3072x8192x3072 3072x3072x12288 3584x3584x3584 3840x2560x2560 4096x1024x4096 4096x6144x4096 4096x14336x5120
  4096x5120x5120 4096x27648x5120 5120x5120x5120 6144x6144x6144 6144x2048x8192 7168x7168x2048 8192x1024x8192 8192x8192x1024
  8192x14336x4096 10240x2560x2560 12288x4096x1024 16384x1024x1024 16384x4096x4096 32768x512x512 65536x256x1024
  100x4096x4096 192x11008x4096 200x8192x8192 320x1280x1280 500x1000x2000 1000x4096x1000 1111x2224x3336 1288x4104x4104
  1499x1280x5120 1970x768x3072 2056x4096x520 2500x3000x1200 3136x512x4608 4000x4000x4000 4104x4104x4104 6272x256x2304
  784x2048x512 128x5120x14336 256x8192x28672 128x57344x8192
`);
const fewRows = sizes(`
  1x4096x14336 1x14336x4096 1x8192x8192 2x6144x4096 2x4096x4096 4x5120x5120 4x28672x4096 4x4096x11008 8x4096x4096
  8x8192x28672 8x14336x4096 12x12288x4096 16x4096x4096 16x14336x4096 16x5120x13824 24x4096x14336 24x10240x8192
  32x4096x4096 32x14336x4096 32x1280x1280 48x4096x11008 48x8192x8192 64x8192x8192 64x14336x4096 64x1280x5120 3x4099x1001
  20x3000x5000 56x768x3072
`);
/** Images, side, channels in and out, kernel, stride. */
const convolutions = sizes(`
  1x56x64x64x3x1 1x28x128x128x3x1 1x14x256x256x3x1 1x80x64x64x3x1 1x40x128x256x3x2 8x56x64x64x3x1 8x28x128x128x3x1
  8x14x256x256x3x1 8x7x512x512x3x1 8x56x256x64x1x1 16x28x512x128x1x1 16x14x1024x256x1x1 16x32x320x320x3x1
  16x64x128x256x3x2 32x35x192x64x1x1 32x17x768x192x1x1 32x28x256x512x3x2 32x56x128x256x1x1 64x14x512x512x3x1
  64x28x64x96x5x1 2x64x320x640x3x1 2x32x640x1280x3x1 2x16x1280x1280x3x1 4x128x64x128x3x2 4x96x96x96x3x1
`);
const planes = sizes(`
  1x112x32x64x3x1 1x56x128x128x3x1 1x28x256x256x3x1 2x56x64x128x3x2 2x28x192x96x1x1 4x80x32x64x3x2 4x40x128x128x1x1
  4x14x512x256x3x1 8x56x48x64x3x1 8x28x96x128x5x1 16x14x480x112x1x1 16x28x128x160x3x1 32x14x256x512x3x1 32x7x832x384x1x1
  64x14x192x208x3x1
`);

/** @type {(sizes: number[], i: number) => object} */
const product = ([M, N, K], i) => ({ M, N, K, dtype: halves[i % 2], layout: layouts[(i >> 1) % 2] });
/** @type {(sizes: number[]) => object} */
const conv = ([N, side, CI, CO, kernel, stride]) => ({
  ...{ N, H: side, W: side, CO, CI, KH: kernel, KW: kernel, stride, padding: Number(kernel) >> 1 },
});
/** @type {readonly Search[]} */
const all = [
  ...largeProducts.map((shape, i) => ["matmul_tma", product(shape, i)]),
  ...fewRows.map((shape, i) => ["matmul_latency", product(shape, i)]),
  ...fewRows.filter((_, i) => i % 2 === 0).map((shape, i) => ["matmul_tma", product(shape, i)]),
  ...convolutions.map((shape) => ["conv2d_nhwc_tma", { ...conv(shape), dtype: "float16" }]),
  ...convolutions.filter((_, i) => i % 2 === 0).map((shape) => ["conv2d_nhwc_mma", conv(shape)]),
  ...planes.map((shape) => ["conv2d_nchw_gemm", conv(shape)]),
  ...planes
    .filter((_, i) => i % 2 === 0)
    .map((shape) => ["conv2d_derived", { ...conv(shape), dtype: "float32", layout: "NCHW" }]),
  ...planes.slice(0, 8).map(([N, side, C]) => ["depthwise_derived", { N, C, H: side, W: side }]),
  ...largeProducts.slice(0, 8).map(([M, N, K]) => ["matmul_derived", { M, N, K, dtype: "float32", layout: "NN" }]),
].map(([template, args]) => /** @type {Search} */ ([template, args]));

const nameOf = ([template, args]) => `${template}-${Object.values(args).flat().join("x")}`;

/** Whether the template takes the arguments; the copy engine takes rows of whole 16 bytes. */
function taskOf([template, args]) {
  const task = createTask(template, args, targetOf(template));
  if (isHeldOut(task.args)) throw new Error(`${nameOf([template, args])} is held out`);
  return task;
}

function dry(searches) {
  const counts = new Map();
  for (const search of searches) {
    const task = taskOf(search);
    const random = new Random(1);
    const limits = gpuLimits(task.target);
    const isThere = Array.from({ length: 200 }).some(() => task.validate(task.space.random(random), limits).length === 0);
    if (!isThere) throw new Error(`${nameOf(search)} has no valid config among 200`);
    counts.set(search[0], (counts.get(search[0]) ?? 0) + 1);
  }
  table(["template", "shapes"], [...counts]);
}

async function onGpu(gpu, left) {
  let longest = 0;
  for (let next = left.shift(); next; next = left.shift()) {
    const start = performance.now();
    if ((start - begun) / 1000 + longest > budget) return void left.unshift(next);
    const packed = join(outFolder, "logs", `shapes-${nameOf(next)}-1.jsonl.gz`);
    if (existsSync(packed)) continue;
    const options = { trials, transfer: "farm", measure: "repeat=3,min_repeat=10ms,inputs=full" };
    try {
      const log = await searched(`knowledge-${nameOf(next)}`, next, options, ["--device", `cuda:${gpu}`]);
      // Without the results that the search began with, which are those of other logs.
      const own = readFileSync(log, "utf8").replace(/^# warpfarm \{"warm_start".*\n/gm, "");
      writeFileSync(packed, gzipSync(own, { level: 9 }));
      longest = Math.max(longest, (performance.now() - start) / 1000);
      console.log(`${nameOf(next)}: ${((performance.now() - start) / 1000).toFixed(0)} s`);
    } catch (error) {
      console.log(`${nameOf(next)}: ${error.message}`);
    }
  }
}

const wanted = flag("templates")?.split(",");
const searches = all.filter(([template]) => wanted?.includes(template) ?? true);
if (process.argv.includes("--dry")) dry(searches);
else {
  mkdirSync(join(outFolder, "logs"), { recursive: true });
  const left = searches.filter((search) => taskOf(search));
  await Promise.all(Array.from({ length: gpus }, (_, gpu) => onGpu(gpu, left)));
  const done = searches.filter((search) => existsSync(join(outFolder, "logs", `shapes-${nameOf(search)}-1.jsonl.gz`)));
  console.log(`${done.length} of ${searches.length} searches are done${left.length > 0 ? "; the same command goes on" : ""}`);
}
