/**
 * How good the config is that the estimates of derived products choose (templates/src/cuda-cycles.ts), by the times that
 * searches of hand-written templates of the same tiles measured on GPUs (bench/results/logs): of the configs of each log the one
 * with the fewest estimated cycles is taken, and its time is compared with the log's best. `rank` is Spearman's correlation of
 * cycles and times. In the last row tiles of matmul_tma are compared, each by the fastest config of it that was measured.
 *
 * Then what the starts of templates bring that are lists (`listed` of templates/src/starts.ts): the share of a shape's best
 * time after so many of them, of the results that come with Warpfarm. For each shape the list is chosen without that shape's own
 * results. A config that nobody measured there brings nothing, though it may be good. Nothing is measured here.
 */
import { readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { medianSeconds } from "@warpfarm/common";
import { tmaCycles } from "../templates/dist/built-in/tma-starts.js";
import { mmaCycles, simtCycles, wgmmaCycles } from "../templates/dist/cuda-cycles.js";
import { geometricMean } from "./results.mjs";
import { table } from "./table.mjs";

const logs = new URL("results/logs/", import.meta.url);
const target = "cuda/sm_90";

/** Pixels of a convolution's result. */
const pixels = (images, height, width, [kh, kw], stride, padding) =>
  images * [height, width].reduce((n, x, i) => n * (Math.floor((x + 2 * padding - [kh, kw][i]) / stride) + 1), 1);

/** @type {(args: any[]) => any} */
const product = ([M, N, K]) => ({ M, N, K });
const simtOf = (isScattered) => (sizes, args, knobs) => {
  const tile = {
    threadRows: knobs.thread_rows,
    threadCols: knobs.thread_cols,
    rowWarps: knobs.row_warps,
    colWarps: knobs.col_warps,
    laneRows: knobs.lane_rows,
    chunk: knobs.chunk,
    stages: knobs.stages,
    min_blocks: knobs.min_blocks,
    splits: knobs.splits ?? 1,
  };
  return simtCycles(sizes, tile, { scattered: [false, isScattered(args)], target });
};
const mma = (sizes, _, knobs) => mmaCycles(sizes, { ...knobs, splits: 1 }, target);

const wgmma = (sizes, _, knobs) => {
  const parts = knobs.epilogue === "tma" ? (knobs.parts ?? 1) : 0;
  const splits = typeof knobs.epilogue === "number" ? knobs.epilogue : 1;
  return wgmmaCycles(sizes, { ...knobs, slots: knobs.stages, line: 64, parts, splits }, target);
};

/** @type {Record<string, { sizes: (args: any[]) => any, cycles: (sizes: any, args: any[], knobs: any) => number }>} */
const templates = {
  matmul_simt: { sizes: product, cycles: simtOf(() => false) },
  conv2d_nchw_gemm: {
    sizes: ([n, h, w, co, ci, kh, kw, [stride], [padding]]) => ({
      ...{ M: co, N: pixels(n, h, w, [kh, kw], stride, padding), K: ci * kh * kw },
    }),
    cycles: simtOf(([, , , , , kh, , [stride]]) => kh > 1 || stride > 1),
  },
  matmul_mma: { sizes: product, cycles: mma },
  matmul_tma: { sizes: product, cycles: wgmma },
  conv2d_nhwc_mma: {
    sizes: ([n, h, w, co, ci, kh, kw, [stride], [padding]]) => ({
      ...{ M: pixels(n, h, w, [kh, kw], stride, padding), N: co, K: ci * kh * kw },
    }),
    cycles: mma,
  },
};

/** Arguments of a log's search, and the timed trials of it. */
function searchIn(file) {
  const records = gunzipSync(readFileSync(new URL(file, logs)))
    .toString()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line))
    .filter(({ result }) => result[1] === 0);
  const trials = records.map(({ config, result }) => ({
    knobs: Object.fromEntries(config.entity.map(([name, , value]) => [name, value])),
    time: medianSeconds(result[0]),
  }));
  return { args: records[0]?.input[2], trials };
}

const places = (values) => {
  const order = values.map((value, i) => ({ value, i })).sort((a, b) => a.value - b.value);
  const found = Array.from(values, () => 0);
  for (const [place, { i }] of order.entries()) found[i] = place;
  return found;
};
function rankCorrelation(xs, ys) {
  const [a, b] = [places(xs), places(ys)];
  const squares = a.reduce((n, place, i) => n + (place - b[i]) ** 2, 0);
  return 1 - (6 * squares) / (a.length * (a.length ** 2 - 1));
}

export function run() {
  const rows = Object.entries(templates).map(([name, { sizes, cycles }]) => {
    const shares = [];
    const ranks = [];
    for (const file of readdirSync(logs).filter((one) => one.includes(`-${name}-`))) {
      const { args, trials } = searchIn(file);
      // One row is no product of tiles.
      if (trials.length < 2 || Math.min(sizes(args).M, sizes(args).N) < 2) continue;
      const estimates = trials.map(({ knobs }) => cycles(sizes(args), args, knobs));
      if (!estimates.some(Number.isFinite)) continue;
      const chosen = trials[estimates.indexOf(Math.min(...estimates))];
      shares.push(Math.min(...trials.map(({ time }) => time)) / chosen.time);
      ranks.push(
        rankCorrelation(
          estimates,
          trials.map(({ time }) => time),
        ),
      );
    }
    return {
      template: name,
      searches: String(shares.length),
      "share of best": geometricMean(shares).toFixed(2),
      least: Math.min(...shares).toFixed(2),
      rank: (ranks.reduce((a, b) => a + b, 0) / ranks.length).toFixed(2),
    };
  });
  rows.push(tilesOfTma());
  table("starts", rows);
  console.log("");
  table(
    "lists, each shape left out",
    ["matmul_mma", "matmul_latency", "conv2d_nhwc_mma"].map((name) => leftOut(name, knowledgeOf(name))),
  );
}

const knowledgeOf = (name) =>
  JSON.parse(gunzipSync(readFileSync(new URL(`../client/knowledge/${name}-H100.json.gz`, import.meta.url))).toString());

function tilesOfTma() {
  const shares = [];
  const ranks = [];
  for (const { args, rows } of knowledgeOf("matmul_tma").shapes) {
    const [M, N, K] = args;
    const tiles = new Map();
    for (const row of rows) {
      const [consumers, columns, , , , , epilogue] = row;
      const time = row.at(-1);
      const tile = { consumers, columns, splits: typeof epilogue === "number" ? epilogue : 1, cluster: 1 };
      const key = JSON.stringify(tile);
      if (time !== null) tiles.set(key, { tile, time: Math.min(time, tiles.get(key)?.time ?? Infinity) });
    }
    const found = [...tiles.values()].map(({ tile, time }) => ({ time, cycles: tmaCycles({ M, N, K }, tile) }));
    const chosen = found.reduce((a, b) => (b.cycles < a.cycles ? b : a));
    shares.push(Math.min(...found.map(({ time }) => time)) / chosen.time);
    ranks.push(
      rankCorrelation(
        found.map(({ cycles }) => cycles),
        found.map(({ time }) => time),
      ),
    );
  }
  return {
    template: "matmul_tma, tiles",
    searches: String(shares.length),
    "share of best": geometricMean(shares).toFixed(2),
    least: Math.min(...shares).toFixed(2),
    rank: (ranks.reduce((a, b) => a + b, 0) / ranks.length).toFixed(2),
  };
}

/** Of a config that was not measured, or failed. */
const unknown = 0.3;
const marks = [1, 2, 4, 8];

/** Shares of configs by shape. */
function sharesOf({ shapes }) {
  const known = new Map();
  for (const [shape, { rows }] of shapes.entries()) {
    const best = Math.min(...rows.map((row) => row.at(-1) ?? Infinity));
    for (const row of rows) {
      const config = JSON.stringify(row.slice(0, -1));
      const of = known.get(config) ?? new Map();
      of.set(shape, Math.max(unknown, row.at(-1) === null ? 0 : best / row.at(-1)));
      known.set(config, of);
    }
  }
  return known;
}

/** The list of 8 that raises the mean of the best shares the most, one after the other, without a shape. */
function chosen(known, count, without) {
  const best = Array.from({ length: count }, () => unknown);
  return Array.from({ length: 8 }, () => {
    let [most, list] = [-1, ""];
    for (const [config, of] of known) {
      let gain = 0;
      for (const [shape, share] of of) if (shape !== without) gain += Math.max(0, Math.log(share / best[shape]));
      if (gain > most) [most, list] = [gain, config];
    }
    for (const [shape, share] of known.get(list) ?? []) best[shape] = Math.max(best[shape], share);
    return list;
  });
}

function leftOut(template, knowledge) {
  const known = sharesOf(knowledge);
  const count = knowledge.shapes.length;
  const shares = knowledge.shapes.map((_, shape) => {
    const list = chosen(known, count, shape).map((config) => known.get(config)?.get(shape) ?? unknown);
    return marks.map((mark) => Math.max(...list.slice(0, mark)));
  });
  const after = marks.map((mark, i) => [`after ${mark}`, geometricMean(shares.map((of) => of[i])).toFixed(2)]);
  return { template, shapes: String(count), ...Object.fromEntries(after) };
}
