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
/** Rows by columns by reduction. Types and layouts alternate, so each is with shapes of all kinds. */
const largeProducts = [
  ...[
    [256, 1024, 1024],
    [384, 4096, 1024],
    [512, 2048, 2048],
    [640, 5120, 5120],
    [768, 3072, 768],
    [896, 896, 896],
  ],
  ...[
    [1024, 1024, 4096],
    [1024, 4096, 1024],
    [1024, 8192, 1024],
    [1152, 6912, 2304],
    [1280, 1280, 5120],
    [1500, 5120, 1280],
  ],
  ...[
    [1536, 1536, 1536],
    [1536, 6144, 1024],
    [1792, 1792, 7168],
    [1920, 1280, 1280],
    [2048, 2048, 2048],
    [2048, 2560, 10240],
  ],
  ...[
    [2048, 5632, 2048],
    [2048, 6144, 4096],
    [2304, 768, 3072],
    [2560, 2560, 2560],
    [2816, 1024, 2816],
    [3000, 1536, 1536],
  ],
  ...[
    [3072, 8192, 3072],
    [3072, 3072, 12288],
    [3584, 3584, 3584],
    [3840, 2560, 2560],
    [4096, 1024, 4096],
    [4096, 6144, 4096],
  ],
  ...[
    [4096, 14336, 5120],
    [4096, 5120, 5120],
    [4096, 27648, 5120],
    [5120, 5120, 5120],
    [6144, 6144, 6144],
    [6144, 2048, 8192],
  ],
  ...[
    [7168, 7168, 2048],
    [8192, 1024, 8192],
    [8192, 8192, 1024],
    [8192, 14336, 4096],
    [10240, 2560, 2560],
    [12288, 4096, 1024],
  ],
  ...[
    [16384, 1024, 1024],
    [16384, 4096, 4096],
    [32768, 512, 512],
    [65536, 256, 1024],
    [100, 4096, 4096],
    [192, 11008, 4096],
  ],
  ...[
    [200, 8192, 8192],
    [320, 1280, 1280],
    [500, 1000, 2000],
    [1000, 4096, 1000],
    [1111, 2224, 3336],
    [1288, 4104, 4104],
  ],
  ...[
    [1499, 1280, 5120],
    [1970, 768, 3072],
    [2056, 4096, 520],
    [2500, 3000, 1200],
    [3136, 512, 4608],
    [4000, 4000, 4000],
  ],
  ...[
    [4104, 4104, 4104],
    [6272, 256, 2304],
    [784, 2048, 512],
    [128, 5120, 14336],
    [256, 8192, 28672],
    [128, 57344, 8192],
  ],
];
const fewRows = [
  ...[
    [1, 4096, 14336],
    [1, 14336, 4096],
    [1, 8192, 8192],
    [2, 6144, 4096],
    [2, 4096, 4096],
    [4, 5120, 5120],
  ],
  ...[
    [4, 28672, 4096],
    [4, 4096, 11008],
    [8, 4096, 4096],
    [8, 8192, 28672],
    [8, 14336, 4096],
    [12, 12288, 4096],
  ],
  ...[
    [16, 4096, 4096],
    [16, 14336, 4096],
    [16, 5120, 13824],
    [24, 4096, 14336],
    [24, 10240, 8192],
    [32, 4096, 4096],
  ],
  ...[
    [32, 14336, 4096],
    [32, 1280, 1280],
    [48, 4096, 11008],
    [48, 8192, 8192],
    [64, 8192, 8192],
    [64, 14336, 4096],
  ],
  ...[
    [64, 1280, 5120],
    [3, 4099, 1001],
    [20, 3000, 5000],
    [56, 768, 3072],
  ],
];
/** Images, side, channels in and out, kernel, stride. */
const convolutions = [
  ...[
    [1, 56, 64, 64, 3, 1],
    [1, 28, 128, 128, 3, 1],
    [1, 14, 256, 256, 3, 1],
    [1, 80, 64, 64, 3, 1],
    [1, 40, 128, 256, 3, 2],
  ],
  ...[
    [8, 56, 64, 64, 3, 1],
    [8, 28, 128, 128, 3, 1],
    [8, 14, 256, 256, 3, 1],
    [8, 7, 512, 512, 3, 1],
    [8, 56, 256, 64, 1, 1],
  ],
  ...[
    [16, 28, 512, 128, 1, 1],
    [16, 14, 1024, 256, 1, 1],
    [16, 32, 320, 320, 3, 1],
    [16, 64, 128, 256, 3, 2],
  ],
  ...[
    [32, 35, 192, 64, 1, 1],
    [32, 17, 768, 192, 1, 1],
    [32, 28, 256, 512, 3, 2],
    [32, 56, 128, 256, 1, 1],
  ],
  ...[
    [64, 14, 512, 512, 3, 1],
    [64, 28, 64, 96, 5, 1],
    [2, 64, 320, 640, 3, 1],
    [2, 32, 640, 1280, 3, 1],
    [2, 16, 1280, 1280, 3, 1],
  ],
  ...[
    [4, 128, 64, 128, 3, 2],
    [4, 96, 96, 96, 3, 1],
  ],
];
const planes = [
  ...[
    [1, 112, 32, 64, 3, 1],
    [1, 56, 128, 128, 3, 1],
    [1, 28, 256, 256, 3, 1],
    [2, 56, 64, 128, 3, 2],
    [2, 28, 192, 96, 1, 1],
  ],
  ...[
    [4, 80, 32, 64, 3, 2],
    [4, 40, 128, 128, 1, 1],
    [4, 14, 512, 256, 3, 1],
    [8, 56, 48, 64, 3, 1],
    [8, 28, 96, 128, 5, 1],
  ],
  ...[
    [16, 14, 480, 112, 1, 1],
    [16, 28, 128, 160, 3, 1],
    [32, 14, 256, 512, 3, 1],
    [32, 7, 832, 384, 1, 1],
    [64, 14, 192, 208, 3, 1],
  ],
];

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
