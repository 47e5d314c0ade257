/**
 * docs/results.md, its plots, and the README's table, generated from bench/results/*.json: `node scripts/results-page.mjs` writes
 * them, `--check` ends with 1 when they differ from the results. Each row names its result file, which has date, device, commit
 * and command.
 */
import { readFileSync } from "node:fs";
import { writeGenerated } from "./checks.mjs";
import { dispatch, farmRows, spaces, trials } from "./results/farm-rows.mjs";
import { at, beside, geometricMean, interleaved, missed, results, tableOf, times, us, verdict } from "./results/figures.mjs";
import { fleetPlot, shownByTests } from "./results/fleet-rows.mjs";
import { h200Section } from "./results/h200-section.mjs";
import { withResults } from "./results/readme-table.mjs";
import { barPlot, linePlot } from "./results/svg.mjs";

const kernels = results("gpu-shapes-kernels");
const transformers = Object.entries(results("gpu-shapes-transformers").figures.transformers).flatMap(([work, row]) => {
  const found = beside(row);
  return found ? [{ work, ...found }] : [];
});
const transformersMean = geometricMean(transformers.map(({ ours, library }) => library / ours));
const conditions = results("gpu-conditions");

/**
 * `wanted`: the target for the ratio of the library's time to ours.
 * @type {Readonly<Record<string, { by: string, wanted: number, named: (name: string) => string }>>}
 */
const sections = {
  conv7: { by: "cuDNN", wanted: 107 / 9.65, named: () => "conv 1x512x7x7, 512, 3x3, fp32" },
  sgemm: { by: "cuBLAS", wanted: 1 / 1.03, named: (name) => `sgemm 4096, ${name.slice(-2).toUpperCase()}` },
  hwcn: { by: "cuDNN", wanted: 1030 / 2100, named: () => "conv HWCN 256x14x14, 256 to 512, fp32" },
  hopper: {
    by: "cuBLAS",
    wanted: 1,
    named: (name) => `matmul_tma ${name.replace(/^(\d+)x\1x\1/, "$1").replaceAll(" ", ", ")}`,
  },
};
const rowsOf = (figures) =>
  Object.entries(sections).flatMap(([section, { by, wanted, named }]) =>
    Object.entries(figures[section] ?? {}).flatMap(([name, row]) => {
      const found = beside(row);
      return found ? [{ work: named(name), ...found, by, wanted }] : [];
    }),
  );
const kernelRows = rowsOf(kernels.figures);
const plots = {
  kernels: () =>
    barPlot({
      title: "Kernels beside the vendor's library",
      summary: "Time of the library over time of ours; longer to the right is faster than the library",
      unit: "library's time / ours",
      log: true,
      ticks: [0.5, 1, 2, 5, 10],
      mark: { value: 1, words: "dashed: level" },
      bars: [
        ...kernelRows,
        { work: `${transformers.length} products of transformers, fp16`, ours: 1, library: transformersMean },
      ].map(({ work, ours, library }) => ({
        name: work,
        value: library / ours,
        shown: times(library / ours),
        colour: library >= ours ? 0 : 1,
      })),
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

/** How much longer kernels take with full inputs, by power state, from the least to the most. */
const fillsDiffer = (power) => {
  const all = conditions.figures.rows.map((row) => row[`${power} full`] / row[`${power} exact`]).sort((a, b) => a - b);
  return `${times(all[0])} to ${times(all.at(-1))} as long (geometric mean ${times(geometricMean(all))})`;
};

const conditionsSection = () => `## Conditions

Inputs are \`full\` by default: standard normal numbers with full mantissas. \`exact\` inputs have at most 9 bits, so multipliers switch
less, a GPU draws less power, and where power bounds a kernel its clock falls less. With
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

const hands = (name, conditions) =>
  tableOf(
    conditions,
    ["shape", "template", "by hand", "derived", "derived / by hand", "middle half"],
    Object.entries(results(name).figures.hand).map(([shape, { template, hand, derived, ratio, low, high }]) => [
      ...[shape, `\`${template}\``, us(hand), us(derived), times(ratio), `${low.toFixed(2)} to ${high.toFixed(2)}`],
    ]),
  );
const speedOfDerived = (name) =>
  1 / geometricMean(Object.values(results(name).figures.hand).map((/** @type {any} */ { ratio }) => ratio));
const handSection = () => `## Templates by hand beside derived schedules

Both are searched with equal trials; then both winners are measured in 11 turns, of which the middle half is given. A template stays
where all of it lies above one in some row ([ADR 121](adr/0121-templates-that-lose.md)); \`matmul_cpu\` and \`conv2d_nhwc_cpu\` had none
and are gone.

48 trials each on an ${results("gpu-hand").device.name}. Derived schedules reach ${speedOfDerived("gpu-hand").toFixed(3)} of the templates' speed in the geometric mean (wanted:
0.95${missed(speedOfDerived("gpu-hand"), 0.95)}). \`gpu-hand\`

${hands("gpu-hand", "inputs `full`, L2 warm, burst, in turns")}

64 trials each on 2 cores of a busy ${results("cpu-hand").device.name} (the last row: 24). \`cpu-hand\`

${hands("cpu-hand", "inputs `full`, caches warm, in turns; a processor that others use")}`;

const kernelTable = (measured, rows) =>
  tableOf(
    measured,
    ["work", "ours", "library", "library's time / ours", "wanted", ""],
    rows.map(({ work, ours, library, by, wanted }) => [
      work,
      us(ours),
      `${by} ${us(library)}`,
      times(library / ours),
      times(wanted),
      verdict(library / ours >= wanted),
    ]),
  );

const page = () => `# Results

This page shows what Warpfarm reaches, beside libraries and other tuners, for those who decide whether to use it.
\`node scripts/results-page.mjs\` generates the page and its plots from \`bench/results/*.json\`. Each file has the date, the device,
the commit and the command of its figures. Absolute figures of shared machines vary by tens of percent, so compared figures were
measured side by side, interleaved. A figure that misses its goal is marked **miss**. [tried.md](tried.md) has what was tried and did
not pay.

All figures of GPUs are of one ${kernels.device.name}, driver ${kernels.device.driver}, unless a row names another.

## Kernels

The library's time is its best: exhaustive search of cuDNN's algorithms, TF32 off. \`gpu-shapes-kernels\`

${kernelTable(interleaved, kernelRows)}

![Kernels beside the vendor's library](results/kernels.svg)

## Matrix products of transformers

These products are in fp16, with weights as they are stored (NT), and 24 trials a template. Ours is the best of \`matmul_tma\` and
\`matmul_latency\`; cuBLAS is called as PyTorch does. ${transformers.length} of 20 shapes are measured. Their geometric mean is ${times(transformersMean)} (wanted: 1.02x,
none below 0.88x). \`gpu-shapes-transformers\`

${tableOf(
  interleaved,
  ["rows x columns x reduction", "ours", "cuBLAS", "library's time / ours", ""],
  transformers.map(({ work, ours, library }) => [
    work,
    us(ours),
    us(library),
    times(library / ours),
    verdict(library / ours >= 0.88),
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

const files = new Map([
  ["docs/results.md", page()],
  ["README.md", withResults(readFileSync(at("README.md"), "utf8"))],
]);
if (fleetPlot) plots.fleet = fleetPlot;
for (const [name, plot] of Object.entries(plots)) files.set(`docs/results/${name}.svg`, plot());
writeGenerated(files, { source: "the figures of bench/results", command: "node scripts/results-page.mjs" });
