/** The table of results of the README: one row for each kind of work, with what missed its goal. */
import { beside, geometricMean, results, times, us } from "./figures.mjs";

/** The library's time over ours, of each row of a group of shapes.mjs. */
const ratiosOf = (group) =>
  Object.values(results(`gpu-shapes-${group}`).figures[group]).flatMap((row) => {
    const found = beside(row);
    return found ? found.library / found.ours : [];
  });
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const bare = (time) => us(time).replace(" us", "");
/** A figure, and the goal that it missed. */
const held = (text, found, wanted, goal = times(wanted)) => (found >= wanted ? text : `${text} (**miss**: ${goal})`);
const speeds = (...all) => `${all.join(" and ")} the speed`;

function shapes() {
  const { conv7, hopper } = results("gpu-shapes-kernels").figures;
  const seven = beside(conv7.conv7);
  const [small, large] = ["4096x4096x4096 NN float16", "8192x8192x8192 NN float16"].map((name) => beside(hopper[name]));
  const [known, fresh, convs, fused] = ["transformers", "fresh", "conv-tma", "conv-tma-relu"].map(ratiosOf);
  const product = (ratios) => held(times(geometricMean(ratios)), geometricMean(ratios), 1.02);
  const least = (ratios) => held(times(Math.min(...ratios)), Math.min(...ratios), 0.88);
  return [
    ["convolution 1x512x7x7, 512, 3x3, fp32", us(seven?.ours), `cuDNN ${us(seven?.library)}`],
    [
      "matrix products 4096 and 8192, fp16",
      `${bare(small?.ours)} and ${us(large?.ours)}`,
      `cuBLAS ${bare(small?.library)} and ${us(large?.library)}`,
    ],
    [
      `${known.length} products of transformers, fp16; ${fresh.length} that no list had`,
      `${speeds(product(known), product(fresh))}; the least ${least(known)} and ${least(fresh)}`,
      "cuBLAS",
    ],
    [
      `${convs.length} convolutions, fp16, channels last; ${fused.length} with bias and ReLU`,
      speeds(...[convs, fused].map((ratios) => held(times(geometricMean(ratios)), geometricMean(ratios), 1))),
      "cuDNN's best; in one kernel or two, the better",
    ],
  ];
}

/** Computations without schedules: how many, and PyTorch's time over ours, eager and compiled. */
function derived(name) {
  const { searches, eager, compiled } = results(name).figures;
  const over = (peer, field) =>
    geometricMean(
      Object.entries(searches).flatMap(([work, { best }]) => (peer[work]?.[field] === undefined ? [] : peer[work][field] / best)),
    );
  return { count: Object.keys(searches).length, eager: over(eager, "eager"), compiled: over(compiled, "compiled") };
}

/**
 * The least and the largest of the ratios where we are as fast or faster, and each of the others; of the others alone, theirs.
 */
export function spread(ratios) {
  const [faster, slower] = [ratios.filter((ratio) => ratio >= 1), ratios.filter((ratio) => ratio < 1)];
  const isMixed = faster.length > 0 && slower.length > 0;
  const range = `${times(Math.min(...(isMixed ? faster : ratios)))} to ${times(Math.max(...ratios))} the speed`;
  return isMixed
    ? `${range} in ${faster.length}, ${slower.map(times).join(", ")} in ${slower.length}`
    : `${range} in all ${ratios.length}`;
}

function networks() {
  const ratios = Object.values(results("gpu-networks").figures).map(
    ({ ours, graph, graph_channels_last: last = graph }) => Math.min(graph, last) / ours,
  );
  return [
    `${ratios.length} runs of ResNet-50, MobileNet-v2, EfficientNet-B0, BERT-base: batch 1 and 32, fp32 and fp16`,
    spread(ratios),
    "PyTorch, both as one CUDA graph",
  ];
}

function kinds() {
  const [small, large] = [derived("gpu-derived"), derived("gpu-derived-large")];
  const both = (of, wanted) => speeds(held(times(of.eager), of.eager, wanted), held(times(of.compiled), of.compiled, 1.2));
  const { searches, eager } = results("gpu-derived-attention").figures;
  const attention = ["attention_128_f16", "attention_128_causal_f16"].map((name) => eager[name].eager / searches[name].best);
  const rates = [
    ["softmax_f16_32768", 0.95],
    ["softmax_f16_262144", 0.8],
  ].map(([row, wanted]) => {
    const { library: _, copy, ...ours } = results("gpu-rows").figures.find(({ name }) => name === row).times;
    const rate = copy.us / Math.min(...Object.values(ours).map(({ us: time }) => time));
    return held(rate.toFixed(2), rate, Number(wanted), Number(wanted).toFixed(2));
  });
  const { w4 } = results("gpu-shapes-w4").figures;
  const [few, whole] = ["w4", "fp16"].map((kind) => beside(w4[`${kind} 16x4096x4096`])?.ours ?? 0);
  return [
    [`${small.count} computations without a schedule`, both(small, 2), "PyTorch eager, compiled"],
    [`${large.count} large ones, 64 MB and more`, both(large, 1.75), "PyTorch eager, compiled"],
    networks(),
    ["attention, heads of 128, fp16, full and causal", speeds(...attention.map(times)), "PyTorch's scaled_dot_product_attention"],
    ["softmax, fp16, rows of 32,768 and 262,144", `${rates.join(" and ")} of a copy's rate`, "a copy of the tensor"],
    [
      "linear layer of 16 rows with weights of 4 bits",
      speeds(held(times(whole / few), whole / few, 3)),
      "the same in fp16, by Warpfarm",
    ],
  ];
}

function searches() {
  const { rows } = results("gpu-held-out").figures;
  const shares = (start) => [0, 1, 2].map((mark) => rows.reduce((sum, row) => sum + row[start][mark], 0) / rows.length);
  const goals = [0.9, 0.96, 0.985];
  const { rate, asked, autotvm, search } = results("gpu-trials").figures;
  const usual = median(rate.map((row) => row.trials_a_second));
  const { buckets, trials, differed, told_apart: apart, byte_equal: isEqual } = results("gpu-packs").figures;
  const score = results("tuners").figures.means.find((row) => row.tuner === "auto" && row["in flight"] === 1)["mean score"];
  return [
    [
      "shapes that nobody tuned: share of the best after 1, 8, 32 trials",
      shares("farm")
        .map((share, i) => held(share.toFixed(3), share, goals[i] ?? 0, `${goals[i]}`))
        .join(", "),
      `${shares("none")
        .map((share) => share.toFixed(3))
        .join(", ")} without the results that ship`,
    ],
    [
      "trials a second, tutorial's convolution, defaults; with AutoTVM's options",
      `${held(usual.toFixed(2), usual, 7.6, "7.6")}; ${asked.trials_a_second.toFixed(2)}`,
      `AutoTVM ${autotvm.trialsASecond.toFixed(2)}, one H100`,
    ],
    [
      "64 trials of a product of 4096 and finals, from command to prompt",
      held(`${search.command_s.toFixed(1)} s`, -search.command_s, -12, "12 s"),
      "",
    ],
    [
      `${buckets} products packed twice, ${trials} trials each`,
      `${held(`${differed} choices differ`, -differed / buckets, -0.1, "10 %")}, ${apart} told apart; after \`suite settle\` ${isEqual ? "equal byte by byte" : "**different**"}`,
      "",
    ],
    ["mean score of a search over nine recorded spaces (0 random, 1 the optimum at once)", score, "0.52"],
  ];
}

const marks = /(<!-- results -->\n)[\s\S]*?(<!-- end of results -->)/;
/** The README with the table of today's figures between its marks. */
export function withResults(text) {
  if (!marks.test(text)) throw new Error("the README has no marks <!-- results --> and <!-- end of results -->");
  const rows = [["what", "Warpfarm", "peer"], ["---", "---", "---"], ...shapes(), ...kinds(), ...searches()];
  const table = rows.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
  return text.replace(marks, (_, begin, end) => `${begin}\n${table}\n\n${end}`);
}
