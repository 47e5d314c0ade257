/**
 * docs/results.md and its plots, generated from bench/results/*.json: `node scripts/results-page.mjs` writes them, `--check` ends
 * with 1 when they differ from the results. Each row names its result file, which has date, device, commit and command.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dispatch, farmRows, spaces, trials } from "./results/farm-rows.mjs";
import { at, beside, geometricMean, results, tableOf, times, us, verdict } from "./results/figures.mjs";
import { fleetPlot, shownByTests } from "./results/fleet-rows.mjs";
import { h200Section } from "./results/h200-section.mjs";
import { barPlot, linePlot } from "./results/svg.mjs";

const shapes = results("gpu-shapes").figures.resnet;
const sgemm = results("gpu-shapes-conv7-sgemm").figures;
const hwcn = results("gpu-shapes-hwcn").figures.hwcn;
const { hopper, linear: linearRows } = results("gpu-shapes-hopper").figures;
const linear = beside(Object.values(linearRows)[0]);
const productTime = beside(hopper["4096x4096x4096 NN float16"])?.ours ?? Number.NaN;
const transformers = Object.entries(results("gpu-shapes-transformers").figures.transformers).flatMap(([work, row]) => {
  const found = beside(row);
  return found ? [{ work, ...found }] : [];
});
const programs = results("gpu-programs").figures["kernels, microseconds"];

const besideAll = (rows) => Object.values(rows).flatMap((row) => beside(row) ?? []);
const meanOf = (found) => geometricMean(found.map(({ ours, library }) => library / ours));
const resnet = besideAll(shapes);
const resnetMean = meanOf(resnet);
const transformersMean = meanOf(transformers);
const suite = results("gpu-resnet-suite").figures.summary;
const half = results("gpu-shapes-odd").figures;
const oddProducts = results("gpu-shapes-odd-products").figures.odd;
const oddOthers = Object.fromEntries(Object.entries(half.odd).filter(([name]) => !(name in oddProducts)));
const conditions = results("gpu-conditions");
const program = (work) => programs.find((row) => row.work === work);

/** `wanted`: the target for the ratio of the peer's time to ours, a lower bound, unless `isMet` decides. */
const kernelRows = [
  {
    work: "conv 1x512x7x7, 512, 3x3, fp32",
    ...beside(sgemm.conv7.conv7),
    by: "cuDNN",
    wanted: 107 / 9.65,
    file: "gpu-shapes-conv7-sgemm",
  },
  ...Object.entries(sgemm.sgemm ?? {}).flatMap(([name, row]) => {
    const found = beside(row);
    return found
      ? [
          {
            work: `sgemm 4096, ${name.slice(-2).toUpperCase()}`,
            ...found,
            by: "cuBLAS",
            wanted: 1 / 1.03,
            file: "gpu-shapes-conv7-sgemm",
          },
        ]
      : [];
  }),
  {
    work: "conv HWCN 256x14x14, 256 to 512, fp32",
    ...beside(hwcn),
    by: "cuDNN (Winograd)",
    wanted: 1030 / 2100,
    file: "gpu-shapes-hwcn",
  },
  {
    work: "hgemm 512x32x512",
    ...beside(sgemm["hgemm-latency"]["512x32x512 NN fp16"]),
    by: "cuBLAS",
    wanted: 2.94 / 2.4,
    file: "gpu-shapes-conv7-sgemm",
  },
  ...Object.entries(hopper).map(([name, found]) => ({
    work: `matmul_tma ${name.replace(/^(\d+)x\1x\1/, "$1").replaceAll(" ", ", ")}`,
    ...beside(found),
    by: "cuBLAS",
    wanted: name.startsWith("8192") ? 1 : 0.98,
    file: "gpu-shapes-hopper",
  })),
  {
    work: "matmul_tma 4096, bias+residual+ReLU",
    ...linear,
    by: "cuBLAS and two kernels",
    wanted: (linear?.library ?? Number.NaN) / (1.03 * productTime),
    file: "gpu-shapes-hopper",
  },
  { ...program("hgemm 4096"), work: "matmul_mma 4096, NN, fp16 (mma.sync)", wanted: 0.98, file: "gpu-programs" },
  {
    ...program("conv NHWC mma.sync, fp16"),
    work: "conv NHWC 256x14x14, fp16 (mma.sync)",
    wanted: 1,
    file: "gpu-programs",
  },
];

/** Geometric means of groups of rows. */
const meanRows = [
  [
    `ResNet-50, batch 1, fp32, geometric mean of ${resnet.length} of 23 convolutions`,
    "",
    "cuDNN",
    times(resnetMean),
    times(1.5),
    verdict(resnetMean >= 1.5),
    "`gpu-shapes`",
  ],
  [
    `the same 23 as one suite, ${Math.round(suite.wall_seconds / 6) / 10} minutes, ${suite.trials} trials`,
    "",
    "cuDNN",
    times(suite.geometric_mean_over_cudnn),
    times(1.5),
    verdict(suite.geometric_mean_over_cudnn >= 1.5),
    "`gpu-resnet-suite`",
  ],
  [
    `the same, batch 32, fp16 NHWC (mma.sync), ${Object.keys(half["resnet-fp16"]).length} convolutions`,
    "",
    "cuDNN",
    times(meanOf(besideAll(half["resnet-fp16"]))),
    "stated",
    "",
    "`gpu-shapes-odd`",
  ],
  [
    `${Object.keys(oddProducts).length} fp16 products of odd sizes, all right; an H200, 24 trials a template`,
    "",
    "cuBLAS",
    times(meanOf(besideAll(oddProducts))),
    "stated",
    "",
    "`gpu-shapes-odd-products`",
  ],
  [
    `${Object.keys(oddOthers).length} other products and convolutions of odd sizes, all right; 16 or 24 trials each`,
    "",
    "cuBLAS, cuDNN",
    times(meanOf(besideAll(oddOthers))),
    "stated",
    "",
    "`gpu-shapes-odd`",
  ],
];

const plots = {
  kernels: () =>
    barPlot({
      title: "Kernels beside the vendor's library, one H100",
      summary: "Time of the library over time of ours; longer to the right is faster than the library",
      unit: "library's time / ours",
      log: true,
      ticks: [0.5, 1, 2, 5, 10],
      mark: { value: 1, words: "dashed: level" },
      bars: [...kernelRows, { work: `ResNet-50, batch 1, fp32, ${resnet.length} convs`, ours: 1, library: resnetMean }].map(
        ({ work, ours, library }) => ({
          name: work,
          value: library / ours,
          shown: times(library / ours),
          colour: library >= ours ? 0 : 1,
        }),
      ),
    }),
  search: () => {
    const atSeconds = (row) => [10, 20, 30].map((second) => [second, row[`best after ${second} s`]]);
    return linePlot({
      title: "Search: the tutorial's convolution, 10.5 million configs",
      summary: "Best GFLOPS so far by seconds from the command; AutoTVM on an H100, 3 repeats of 100 ms",
      xUnit: "seconds",
      yUnit: "best GFLOPS so far",
      lines: [
        ...trials.rate.map((row) => ({ name: row.what, points: atSeconds(row) })),
        { name: "AutoTVM 0.17", points: trials.autotvm.bestAfter, dashed: true },
      ],
      xTicks: [10, 30, 60, 120, 240, 398],
      yTicks: [0, 1000, 2000, 3000, 4000],
    });
  },
  dispatch: () => {
    const rows = Object.values(dispatch)
      .flat()
      .filter(({ what }) => /0 ms jobs, \d+ jobs\/s offered/.test(what ?? ""));
    return barPlot({
      title: "Dispatch: 99th percentile from submit to result",
      summary: "1,000 runners, 50 builders, 20 sessions on two cores",
      unit: "ms, p99",
      ticks: [0, 20, 40, 60, 80],
      mark: { value: 20, words: "dashed: wanted at half load" },
      bars: rows.map(({ what, "to result p50, p99 ms": both }) => {
        const value = Number(both.split(", ")[1]);
        const name = what
          .replace(": 0 ms jobs,", ",")
          .replace(" offered", "")
          .replace("to a new store", "(new store)")
          .replace("after that", "(used store)");
        return { name, value, shown: `${value} ms`, colour: what.startsWith("postgres") ? 0 : 2 };
      }),
    });
  },
  spaces: () =>
    barPlot({
      title: "Tuners on nine recorded spaces",
      summary: "Mean score: 1 is the optimum at once, 0 is random search's expectation",
      unit: "mean score; 0 = random search, 1 = the optimum at once",
      ticks: [-0.25, 0, 0.25, 0.5, 0.75, 1],
      bars: spaces.map(({ tuner, "in flight": flight, score }) => ({
        name: `${tuner}, ${flight} in flight`,
        value: score,
        shown: score.toFixed(3),
        colour: tuner === "auto" ? 0 : tuner === "xgb" ? 2 : 3,
      })),
    }),
};

/** Of a library beside ours, in one process, before `full` was the default. */
const exactBeside = "inputs `exact`, L2 warm, burst (graphs of about a millisecond after a pause), interleaved";

/** How much longer kernels take with full inputs, by power state, from the least to the most. */
const fillsDiffer = (power) => {
  const all = conditions.figures.rows.map((row) => row[`${power} full`] / row[`${power} exact`]).sort((a, b) => a - b);
  return `${times(all[0])} to ${times(all.at(-1))} as long (geometric mean ${times(geometricMean(all))})`;
};

const conditionsSection = () => `## Conditions

The figures above were measured on inputs of at most 9 bits (\`exact\`), on which a GPU draws less power. They are to be measured
again on \`full\` inputs: standard normal numbers with full mantissas, the default now. \`full\` differs from \`exact\` in what the
multipliers switch: bits of an \`exact\` operand beyond the ninth are zero. Where power bounds a kernel, its clock falls. With
\`full\` inputs the ten kernels below took ${fillsDiffer("burst")} in bursts (repeats of 5 ms with rests) and
${fillsDiffer("sustained")} when power was steady (repeats of a second), on one ${conditions.device.name},
\`${conditions.command}\`:

${tableOf(
  "inputs and power as in the head of each column, L2 warm",
  [
    "kernel",
    "burst, full",
    "burst, exact",
    "sustained, full",
    "sustained, exact",
    "full / exact, sustained",
    "sustained / burst, full",
  ],
  conditions.figures.rows.map((row) => [
    `\`${row.task}\` ${row.args === '"published"' ? "as published" : Object.values(JSON.parse(row.args)).join(", ")}`,
    ...["burst full", "burst exact", "sustained full", "sustained exact"].map((name) => us(row[name])),
    times(row["sustained full"] / row["sustained exact"]),
    times(row["sustained full"] / row["burst full"]),
  ]),
)}`;

const hand = results("cpu-hand");
const handSection = () => `## Templates by hand beside derived schedules, on a CPU

Searches of 64 trials each on 2 cores of a busy ${hand.device.name} (the last row: 24); then both winners in 11 turns, of which the
middle half is given. A template stays where all of it lies above one
([ADR 121](adr/0121-templates-that-lose.md)). \`cpu-hand\`

${tableOf(
  "inputs `full`, caches warm, in turns; a processor that others use",
  ["shape", "template", "by hand", "derived", "derived / by hand", "middle half"],
  Object.entries(hand.figures.hand).map(([shape, { template, hand: byHand, derived, ratio, low, high }]) => [
    shape,
    `\`${template}\``,
    us(byHand),
    us(derived),
    times(ratio),
    `${low.toFixed(2)} to ${high.toFixed(2)}`,
  ]),
)}`;

const page = () => `# Results

This page shows what Warpfarm reaches, beside libraries and other tuners, for those who decide whether to use it.
\`node scripts/results-page.mjs\` generates the page and its plots from \`bench/results/*.json\`. Each file has the date, the device,
the commit and the command of its figures. Absolute figures of shared machines vary by tens of percent, so compared figures were
measured side by side, interleaved. A figure that misses its goal is marked **miss**. [bench/diary](../bench/diary) lists by date
what was tried and what it taught.

## Kernels

These were measured on one H100 80GB. The library's time is its best: exhaustive search of cuDNN's algorithms, TF32 off.

${tableOf(
  `${exactBeside}; \`gpu-programs\` and \`gpu-resnet-suite\`: of searches, inputs \`exact\`, L2 warm, \`as_asked\``,
  ["work", "ours", "library", "library's time / ours", "wanted", "", "figures"],
  [
    ...kernelRows.map(({ work, ours, library, by, wanted, file }) => [
      work,
      us(ours),
      `${by} ${us(library)}`,
      times(library / ours),
      times(wanted),
      verdict(library / ours >= wanted),
      `\`${file}\``,
    ]),
    ...meanRows,
  ],
)}

The linear layer is compared with a product with bias and two more kernels. It takes ${((linear?.ours ?? Number.NaN) / productTime).toFixed(2)} of \`matmul_tma\`'s time at 4096, NN, float16 (wanted: 1.03).

![Kernels beside the vendor's library](results/kernels.svg)

## Matrix products of transformers

These products are in fp16, with weights as they are stored (NT), on one H100, with 40 to 60 trials per shape. Ours is the best of \`matmul_tma\` and \`matmul_latency\`; cuBLAS is called as PyTorch does.
${transformers.length} of 20 shapes are measured. Their geometric mean is ${times(transformersMean)} (wanted: 0.95x, none below 0.8x).

${tableOf(
  exactBeside,
  ["rows x columns x reduction", "ours", "cuBLAS", "library's time / ours", ""],
  transformers.map(({ work, ours, library }) => [
    work,
    us(ours),
    us(library),
    times(library / ours),
    verdict(library / ours >= 0.8),
  ]),
)}

${conditionsSection()}

${h200Section()}

${handSection()}

## Search and farm

${tableOf(
  "rates and latencies are of messages, stores and builds, with programs that take no time; searches of a GPU as in the table of trials a second",
  ["what", "measured", "peer", "wanted", "", "figures"],
  farmRows().map(({ what, measured, peer = "", wanted, isMet, file }) => [
    what,
    measured,
    peer,
    wanted,
    isMet === undefined ? "" : verdict(isMet),
    `\`${file}\``,
  ]),
)}

![Search curves](results/search.svg)

![Dispatch latency by load](results/dispatch.svg)${fleetPlot ? "\n\n![Trials a second by GPUs of one farm](results/fleet.svg)" : ""}
![Tuners on recorded spaces](results/spaces.svg)

${shownByTests}
`;

const files = new Map([["docs/results.md", page()]]);
if (fleetPlot) plots.fleet = fleetPlot;
for (const [name, plot] of Object.entries(plots)) files.set(`docs/results/${name}.svg`, plot());
const stale = [...files].filter(([path, text]) => !existsSync(at(path)) || readFileSync(at(path), "utf8") !== text);
if (process.argv.includes("--check")) {
  for (const [path] of stale) console.log(`${path} is not what bench/results says: node scripts/results-page.mjs`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  mkdirSync(at("docs/results"), { recursive: true });
  for (const [path, text] of stale) writeFileSync(at(path), text);
  console.log(stale.length === 0 ? "all as the figures say" : stale.map(([path]) => path).join("\n"));
}
