/** The section of the results page about what was measured on an H200 with full inputs. */
import { existsSync } from "node:fs";
import { isOurs } from "../../bench/results.mjs";
import { at, beside, geometricMean, interleaved, missed, results, tableOf, times, us, verdict } from "./figures.mjs";

/** Ours of a search, PyTorch's by bench/gpu/derived.py. */
const besideEager = "inputs `full`, L2 warm; ours of the search, in bursts; PyTorch by graphs of 10 ms, one after the other";

const besideRows = (rows, wanted) =>
  Object.entries(rows).flatMap(([work, row]) => {
    const found = beside(row);
    if (!found) return [];
    const ratio = found.library / found.ours;
    return [[work, us(found.ours), us(found.library), times(ratio), wanted ? verdict(ratio >= wanted(work)) : ""]];
  });

/**
 * A group of rows of shapes.mjs beside the library, where bench/results has it. `words`:
 * what is measured, beside what. `wanted`: what each row's ratio and their mean are to be.
 */
function rowsBeside(
  group,
  words,
  /** @type {{ least?: number, mean?: number }} */ wanted = {},
  head = ["batch, image, channels, filter/stride", "cuDNN"],
) {
  const { least, mean: wantedMean = 0 } = wanted;
  const file = `gpu-shapes-${group}`;
  if (!existsSync(at(`bench/results/${file}.json`))) return undefined;
  const found = results(file).figures[group];
  const rows = besideRows(found, least === undefined ? undefined : () => least);
  const ratios = Object.values(found).flatMap((row) => beside(row) ?? []);
  const mean = geometricMean(ratios.map(({ library, ours }) => library / ours));
  return `${words}: geometric mean ${times(mean)} of ${rows.length} rows${missed(mean, wantedMean)}. \`${file}\`

${tableOf(interleaved, [head[0], "ours", head[1], "library's time / ours", ""], rows)}`;
}

const convolutions = () => [
  rowsBeside(
    "conv-tma",
    `**Convolutions by tensor cores** (\`conv2d_nhwc_tma\`, fp16) beside cuDNN's best (wanted: 1.00x in the mean,
none below 0.85x)`,
    { least: 0.85, mean: 1 },
  ),
  rowsBeside(
    "conv-tma-relu",
    `**The same with bias and ReLU** beside cuDNN in one kernel or in two, whichever is faster (wanted: 1.00x)`,
    { least: 1, mean: 1 },
  ),
  rowsBeside("conv-tma-odd", "**Odd convolutions** beside cuDNN's best (wanted: right)"),
  rowsBeside(
    "conv-tma-gradient",
    `**Gradients of the input** of convolutions of stride 1 (\`conv2d_nhwc_tma\`, 12 trials) beside cuDNN's best (wanted:
1.00x in the mean, none below 0.85x)`,
    { least: 0.85, mean: 1 },
  ),
];

const freshProducts = () =>
  rowsBeside(
    "fresh",
    "**Fresh products**, fp16, beside cuBLAS (wanted: 1.02x in the mean, none below 0.88x)",
    { least: 0.88, mean: 1.02 },
    ["rows x columns x reduction", "cuBLAS"],
  );

function products() {
  const { narrow } = results("gpu-shapes-narrow").figures;
  return `**Products of 8 bits** (\`matmul_tma\`, 40 or 60 trials) beside cuBLAS, of floats with its fast sums. int8 is exact (4096: wanted 1.40x;
float8_e4m3fn: 1.00x). \`gpu-shapes-narrow\`

${tableOf(
  interleaved,
  ["rows x columns x reduction", "ours", "cuBLAS", "library's time / ours", ""],
  besideRows(narrow, (work) => (work === "4096x4096x4096 NT int8" ? 1.4 : work.endsWith("e4m3fn") ? 1 : 0)),
)}`;
}

function layers() {
  const found = results("gpu-hopper").figures.products.filter(({ over_product: over }) => over !== undefined);
  const rows = found.map(({ layout, config, us: time, product_us: alone, over_product: over }) => [
    `${layout}, ${config.replace(/^.*(cluster)/, "$1")}`,
    us(time),
    us(alone),
    `${over.toFixed(3)}x`,
    verdict(over <= 1.035),
  ]);
  return `**Bias, residual and ReLU** behind a float16 product of 4096, the residual loaded by threads or brought into slots of the ring
(ADR 124), in turns with the product alone, 200 rounds (wanted: 1.035x). \`gpu-hopper\`

${tableOf(interleaved, ["layout, config", "layer", "product alone", "layer / product", ""], rows)}`;
}

function threeOfTf32() {
  const { "3xtf32": found } = results("gpu-shapes-grouped").figures;
  const errorOf = ({ finalists }) =>
    Math.max(...Object.entries(finalists.times).flatMap(([name, { error }]) => (isOurs(name) ? error : [])));
  const rows = besideRows(found, (work) => (work.startsWith("4096") ? 2 : 0)).map(([work, ...cells]) => [
    work,
    ...cells,
    errorOf(found[work]).toExponential(1),
  ]);
  return `**float32 products as three of tf32** (\`matmul_3xtf32\`, 60 trials) beside cuBLAS without tf32 (wanted: 2.00x, an error of at most 2e-6
of a float64 product, by norms). \`gpu-shapes-grouped\`

${tableOf(interleaved, ["rows x columns x reduction", "ours", "cuBLAS", "library's time / ours", "", "error"], rows)}`;
}

function fourBits() {
  const { w4 } = results("gpu-shapes-w4").figures;
  const rows = Object.entries(w4).flatMap(([name, row]) => {
    const [kind, shape] = name.split(" ");
    const [found, whole] = [beside(row), beside(w4[`fp16 ${shape}`] ?? {})];
    if (kind !== "w4" || !found || !whole) return [];
    return [[shape, us(found.ours), us(whole.ours), times(whole.ours / found.ours), verdict(whole.ours / found.ours >= 3)]];
  });
  return `**Weights of four bits** (\`linear_w4\`, 30 trials; a float16 scale for each 128) beside our fp16 product of the same size by
\`matmul_latency\` (wanted: 3.00x). \`gpu-shapes-w4\`

${tableOf(interleaved.replace("L2 warm", "L2 flushed"), ["rows x columns x reduction", "4 bits", "fp16", "fp16 / 4 bits", ""], rows)}`;
}

function groups() {
  const { grouped } = results("gpu-shapes-grouped").figures;
  const rows = besideRows(grouped, () => 1.5).map(([work, ours, loop, ratio, word]) => {
    const { dense } = grouped[work].finalists.times;
    const found = beside(grouped[work]);
    return [work, ours, loop, ratio, word, dense && found ? times(dense.us / found.ours) : ""];
  });
  return `**Products of groups of rows** (\`grouped_tma\`, layers of experts: 4096 columns, sums of 7168, bf16, 30 trials) beside a loop of cuBLAS
over the groups (wanted: 1.50x), and one cuBLAS product of as many rows by one matrix (wanted: 0.95x), which reads less: 64 experts
have 3.8 GB of weights. \`gpu-shapes-grouped\`

${tableOf(interleaved, ["work", "ours", "loop of cuBLAS", "loop / ours", "", "one product / ours"], rows)}`;
}

function attention() {
  const { searches, eager } = results("gpu-derived-attention").figures;
  const rows = Object.entries(searches).map(([name, { best }]) => {
    const [, elements, mask] = name.match(/^attention_(\d+)(_causal)?_f16$/) ?? [];
    // 4 batches of 16 heads of 4096 queries and keys; of a causal one half is masked.
    const tera = (4 * 4 * 16 * 4096 * 4096 * Number(elements)) / (mask ? 2 : 1) / best / 1e6;
    return [
      `${elements}, ${mask ? "causal" : "full"}`,
      us(best),
      us(eager[name].eager),
      times(eager[name].eager / best),
      Math.round(tera),
    ];
  });
  return `**Attention** (\`attention_tma\`, fp16, 4 batches of 16 heads of 4096 queries and keys, at most 24 trials) beside PyTorch's
scaled_dot_product_attention (wanted of heads of 128: 400 TFLOPS as a first step, then 550).
\`gpu-derived-attention\`

${tableOf(besideEager, ["elements of a head, mask", "ours", "PyTorch", "PyTorch's time / ours", "TFLOPS"], rows)}`;
}

/** Of large computations other than products, which memory binds: how many run at a copy's rate. */
function ofACopy(rows) {
  const bound = rows.filter(({ work }) => /^large_(?!conv2d|matmul)/.test(work));
  if (bound.length === 0) return "";
  const level = bound.filter(({ copy, best }) => copy / best >= 0.95).length;
  return ` ${level} of the ${bound.length} that memory binds reach 0.95x of a copy${missed(level, bound.length)}.`;
}

/** `wanted`: of the mean and of the least row beside eager. */
function derived(name, words, wanted) {
  const { searches, eager, compiled } = results(name).figures;
  const rows = Object.entries(searches).map(([work, { best, start }]) => ({
    ...{ work, best, start, copy: eager[work].copy },
    ...{ eager: eager[work].eager, compiled: compiled[work]?.compiled, why: compiled[work]?.why ?? "" },
  }));
  const compiledRows = rows.filter((row) => row.compiled !== undefined).length;
  const over = (time, best) => (time === undefined ? "" : times(time / best));
  const meanOf = (peer) => geometricMean(rows.flatMap((row) => (row[peer] === undefined ? [] : row[peer] / row.best)));
  return `${words}, beside PyTorch eager and compiled (max-autotune) by CUDA graphs: geometric means ${times(meanOf("eager"))}
(wanted: ${times(wanted.eager)}${missed(meanOf("eager"), wanted.eager)}, none below ${times(wanted.least)}) and ${times(meanOf("compiled"))} of ${compiledRows} rows (wanted: 1.20x${missed(meanOf("compiled"), 1.2)}); the config that no measurement chose
reaches ${times(geometricMean(rows.map(({ best, start }) => best / start)))} of the best (wanted: 0.60x).${ofACopy(rows)} \`${name}\`

${tableOf(
  besideEager,
  ["computation", "ours", "not measured first", "eager", "compiled", "eager / ours", "compiled / ours", "copy / ours", ""],
  rows.map((row) => [
    row.work.replace(/^large_/, "").replaceAll("_", " "),
    ...[row.best, row.start, row.eager].map(us),
    row.compiled === undefined ? row.why : us(row.compiled),
    ...[row.eager, row.compiled, row.copy].map((time) => over(time, row.best)),
    verdict(row.eager / row.best >= wanted.least),
  ]),
)}`;
}

const derivedParts = () => [
  derived("gpu-derived", "**Computations without schedules**, 64 trials each", { eager: 2, least: 0.9 }),
  derived("gpu-derived-large", "**The same at large sizes** (64 MB and more), 32 trials each", { eager: 1.75, least: 0.85 }),
];

/** The kind of kernel that takes most of a network's time. */
const lossOf = ({ title, seconds, count }, all) =>
  `**slower**: \`${title.split(" ")[0]}\`, ${count} times, takes ${((seconds / all) * 100).toFixed(0)} % of the time`;

function networks() {
  const rows = Object.entries(results("gpu-networks").figures).map(
    ([name, { ours, eager, error, trials, kernels, slowest, ...row }]) => {
      const graph = Math.min(row.graph, row.graph_channels_last ?? row.graph);
      return [
        name.replaceAll("_", " "),
        us(ours * 1e6),
        us(graph * 1e6),
        us(eager * 1e6),
        times(graph / ours),
        `${trials} trials of ${kernels} kernels, error ${error.toExponential(1)}`,
        name.endsWith("_1_float32") ? verdict(graph / ours >= 1.3) : graph < ours ? lossOf(slowest[0], ours) : "",
      ];
    },
  );
  return `**Whole networks** from PyTorch's ONNX export, as one CUDA graph of all kernels, beside the same network replayed by a CUDA graph
in PyTorch (wanted for batch 1, fp32: 1.30x) and as users run it. \`gpu-networks\`

${tableOf("inputs `full`, L2 as one run leaves it to the next, runs without a pause, one after the other", ["network, batch, type", "ours", "CUDA graph", "eager", "graph / ours", "", ""], rows)}`;
}

function rows() {
  const figures = results("gpu-rows").figures.map(({ name, times: found }) => {
    const { library, copy, ...ours } = found;
    const best = Math.min(...Object.values(ours).map(({ us: time }) => time));
    const wide = Number(name.split("_").at(-1)) > 100_000;
    const ratio = copy.us / best;
    return [
      name.replaceAll("_", " "),
      us(best),
      us(copy.us),
      times(ratio),
      times(library.us / best),
      verdict(ratio >= (wide ? 0.8 : 0.95)),
    ];
  });
  return `**Rows** of 128 MB and more, derived without a schedule, beside a copy of the tensor and PyTorch compiled (wanted: 0.95x of the copy,
0.80x for the longest). \`gpu-rows\`

${tableOf("inputs `full`, more than the L2 holds, burst, interleaved", ["computation, type, elements of a row", "ours", "copy", "copy / ours", "compiled / ours", ""], figures)}`;
}

function nearTheBest() {
  const shares = (each) => each.map((share) => share.toFixed(2)).join(", ");
  const { rows } = results("gpu-held-out").figures;
  const found = rows.map(({ name, farm, none, library_us: library, ours_us: ours }) => [
    name,
    shares(farm),
    shares(none),
    times(library / ours),
  ]);
  const meanOf = (source, wanted = [0, 0, 0]) =>
    wanted
      .map((least, mark) => {
        const mean = rows.reduce((sum, row) => sum + row[source][mark], 0) / rows.length;
        return `${mean.toFixed(3)}${mean >= least ? "" : " (**miss**)"}`;
      })
      .join(", ");
  const least = Math.min(...rows.map(({ farm }) => farm[1]));
  const ratioOf = (kind) => geometricMean(rows.flatMap((row) => (row.kind === kind ? row.library_us / row.ours_us : [])));
  const wasted = rows.flatMap(({ waste }) => Object.values(waste).flatMap((by) => Object.values(by))).reduce((a, b) => a + b, 0);
  const { buckets, trials: each, differed, told_apart: apart, byte_equal: isEqual } = results("gpu-packs").figures;
  return `**Shapes that nobody tuned**, share of the best of 64 trials after 1, 8 and 32 (wanted in the mean: 0.90, 0.96, 0.985; at least
0.80 after 8), with what ships and without. ${rows.length} of 40 are measured. The means are ${meanOf("farm", [0.9, 0.96, 0.985])} with what ships and
${meanOf("none")} without; the least after 8 is ${least.toFixed(3)}${missed(least, 0.8)}. The library's time over ours is ${times(ratioOf("product"))} for products (wanted: 0.97x${missed(ratioOf("product"), 0.97)}) and
${times(ratioOf("convolution"))} for convolutions (wanted: 1.50x${missed(ratioOf("convolution"), 1.5)}), in the geometric mean. ${wasted} of ${2 * rows.reduce((sum, { trials: each }) => sum + each, 0)} trials were wasted. \`gpu-held-out\`

${tableOf(`of searches, inputs \`full\`, L2 warm, burst; the last column: ${interleaved}`, ["fp16 product or fp32 convolution", "with what ships", "without", "library / ours"], found)}

**The same file twice**: of ${buckets} products that two runs searched with ${each} trials each, ${differed} had different choices, of which rounds
told ${apart} apart (wanted: 10 % and ties${missed(0.1, differed / buckets)}). After \`suite settle\` both files were ${isEqual ? "equal byte by byte" : "**different**"}. \`gpu-packs\``;
}

function trials() {
  const { rate, asked, autotvm, search } = results("gpu-trials").figures;
  const row = ({ what, trials: count, slower, trials_a_second: perSecond, best_gflops: best }) => [
    what,
    count,
    slower,
    perSecond.toFixed(2),
    Math.round(best),
  ];
  const peer = ["AutoTVM, an H100, 398 s", 304, 0, autotvm.trialsASecond, autotvm.again];
  return `**Trials a second**, the tutorial's convolution for 30 s (wanted: 7.6 by default, 1.3 with AutoTVM's options, whose timed runs alone
allow 1.34 to 1.55). \`gpu-trials\`

${tableOf("inputs `full`, L2 warm; defaults in bursts, AutoTVM's options as it asks (three repeats of 100 ms), AutoTVM's own random inputs", ["search", "trials", "of them slower, ended early", "a second", "best GFLOPS"], [...rate, asked].map(row).concat([peer]))}

A search of 64 trials of \`matmul_tma\` took ${search.command_s.toFixed(1)} s from command to prompt (wanted: 12 s), ${search.first_trial_s.toFixed(1)} s of it before the first
result; the finals took ${search.after_last_trial_s.toFixed(1)} s and ${search.rounds} rounds. Their winner is tied with the best of 60 rounds.`;
}

export const h200Section = () => `## Kinds of work

${[...convolutions(), freshProducts(), products(), layers(), threeOfTf32(), fourBits(), groups(), attention(), rows(), ...derivedParts(), networks(), nearTheBest(), trials()].filter((part) => part !== undefined).join("\n\n")}`;
