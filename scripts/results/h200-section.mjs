/** The section of the results page about what was measured on an H200 with full inputs. */
import { beside, geometricMean, results, tableOf, times, us, verdict } from "./figures.mjs";

const besideRows = (rows, wanted) =>
  Object.entries(rows).flatMap(([work, row]) => {
    const found = beside(row);
    if (!found) return [];
    const ratio = found.library / found.ours;
    return [[work, us(found.ours), us(found.library), times(ratio), wanted ? verdict(ratio >= wanted(work)) : ""]];
  });

function convolutions() {
  const { figures } = results("gpu-shapes-conv-tma");
  const rows = besideRows(figures["conv-tma"], () => 0.85);
  const mean = geometricMean(rows.map(([, , , ratio]) => Number.parseFloat(ratio)));
  return `**Convolutions by tensor cores** (\`conv2d_nhwc_tma\`, fp16, 24 or 64 trials) beside cuDNN's best: geometric mean ${times(mean)} of
${rows.length} rows (wanted: 1.00x, none below 0.85x). \`gpu-shapes-conv-tma\`

${tableOf(["batch, image, channels, filter/stride", "ours", "cuDNN", "library's time / ours", ""], rows)}`;
}

function products() {
  const { narrow } = results("gpu-shapes-narrow").figures;
  return `**int8 products** (\`matmul_tma\`, 60 trials), exact, beside cuBLAS (4096: wanted 1.40x). \`gpu-shapes-narrow\`

${tableOf(
  ["rows x columns x reduction", "ours", "cuBLAS", "library's time / ours", ""],
  besideRows(narrow, (work) => (work.startsWith("4096x4096x4096") ? 1.4 : 0)),
)}`;
}

function derived() {
  const { searches, eager } = results("gpu-derived").figures;
  const rows = Object.entries(searches).flatMap(([name, { best, start }]) => {
    const peer = eager[name]?.eager;
    return peer === undefined ? [] : [{ name, best, start, peer, ratio: peer / best }];
  });
  const mean = geometricMean(rows.map(({ ratio }) => ratio));
  const starts = geometricMean(rows.map(({ best, start }) => best / start));
  return `**Computations without schedules**, 40 trials each, beside PyTorch eager by CUDA graphs: geometric mean ${times(mean)} (wanted: 2.00x,
none below 0.90x); the config that no measurement chose reaches ${times(starts)} of the best (wanted: 0.60x). \`gpu-derived\`

${tableOf(
  ["computation", "ours", "not measured first", "eager", "eager / ours", ""],
  rows.map(({ name, best, start, peer, ratio }) => [
    name.replaceAll("_", " "),
    us(best),
    us(start),
    us(peer),
    times(ratio),
    verdict(ratio >= 0.9),
  ]),
)}`;
}

function networks() {
  const rows = Object.entries(results("gpu-networks").figures).map(([name, { ours, graph, eager, error, trials, kernels }]) => [
    name.replaceAll("_", " "),
    us(ours * 1e6),
    us(graph * 1e6),
    us(eager * 1e6),
    times(graph / ours),
    `${trials} trials of ${kernels} kernels, error ${error.toExponential(1)}`,
    verdict(graph / ours >= 1.3),
  ]);
  return `**Whole networks** from PyTorch's ONNX export, as one CUDA graph of all kernels, beside the same network replayed by a CUDA graph
in PyTorch (wanted for batch 1, fp32: 1.30x) and as users run it. \`gpu-networks\`

${tableOf(["network, batch, type", "ours", "CUDA graph", "eager", "graph / ours", "", ""], rows)}`;
}

function trials() {
  const { rate, asked, autotvm } = results("gpu-trials").figures;
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

${tableOf(["search", "trials", "of them slower, ended early", "a second", "best GFLOPS"], [...rate, asked].map(row).concat([peer]))}`;
}

export const h200Section = () => `## On an H200, inputs with full mantissas

These were measured on one NVIDIA H200, driver 580.159.04, with \`full\` inputs. Libraries were timed interleaved with ours, in one process.

${[convolutions(), products(), derived(), networks(), trials()].join("\n\n")}`;
