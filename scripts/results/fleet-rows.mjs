/** Rows of the results page about farms of several devices, borrowed devices and traces; and the plot of one to four GPUs. */
import { existsSync } from "node:fs";
import { at, results, times } from "./figures.mjs";
import { linePlot } from "./svg.mjs";

const shares = (part) => `${(100 * part).toFixed(1)} %`;
/** Those of several GPUs need a machine that is seldom lent. */
const fleet = existsSync(at("bench/results/gpu-fleet.json")) ? results("gpu-fleet").figures : undefined;
const beside = existsSync(at("bench/results/gpu-beside.json")) ? results("gpu-beside").figures : undefined;

function gpuRows() {
  const most = fleet?.scaling.at(-1);
  const spread = fleet?.spread.map(({ us }) => us) ?? [];
  const four = most?.runners === 4 ? most : undefined;
  const [ratio] = beside?.ratio ?? [];
  const [refused] = beside?.refused ?? [];
  return [
    {
      what: "trials a second of one farm with 4 GPUs, over those with one",
      measured: most
        ? `${times(most.times_one)} with ${most.runners}, busy ${shares(most.busy_share)}`
        : "no machine with four was lent",
      wanted: "3.80x",
      isMet: four !== undefined && four.times_one >= 3.8,
      file: most ? "gpu-fleet" : "bench/gpu/fleet.mjs",
    },
    spread.length > 1 && {
      what: "one config on each of these GPUs: the slowest over the fastest",
      measured: times(Math.max(...spread) / Math.min(...spread)),
      wanted: "stated",
      file: "gpu-fleet",
    },
    beside && {
      what: "`runner --yield-to-others` beside a process that comes and goes, over an idle device",
      measured: ratio ? times(ratio.ratio) : `refused: ${refused?.why}`,
      wanted: "within 2 %, or refused",
      isMet: ratio === undefined || Math.abs(ratio.ratio - 1) <= 0.02,
      file: "gpu-beside",
    },
  ].filter((row) => row !== undefined && row !== false);
}

function preemptionRow() {
  const ended = results("preemption").figures.preemption.at(-1);
  return {
    what: `trials a second with a runner that is told to end ${ended.ends} times, ${ended.runner}, over an undisturbed one`,
    measured: `${times(ended.share)}; ${ended.lost} lost, ${ended.twice} twice${ended.load > 4 ? `; beside other work, load ${ended.load.toFixed(0)}` : ""}`,
    wanted: "0.80x; 0, 0",
    isMet: ended.share >= 0.8 && ended.lost + ended.twice === 0,
    file: "preemption",
  };
}

function tracingRows() {
  return results("tracing").figures.tracing.map((row) => {
    const ratio = Number(row["with / without, median"]);
    const isRate = row.what === "trials a second";
    return {
      what: `${row.what}, with traces over without, median of rounds in turns`,
      measured: `${ratio.toFixed(3)}x (rounds: ${row.least} to ${row.most})`,
      wanted: isRate ? "0.98x" : "stated",
      ...(isRate && { isMet: ratio >= 0.98 }),
      file: "tracing",
    };
  });
}

function workloadRows() {
  const { moved, anew } = results("workloads").figures;
  const said = (of) => moved.map((row) => `${of(row)}`).join(", ");
  return [
    {
      what: `runs on a device that had served another session before, simulated days at ${said((row) => row["busy share"])} of the devices busy`,
      measured: said(({ moved: share }) => share),
      peer: `the longest waiting device: ${said((row) => row["moved without"])}`,
      wanted: "stated",
      file: "workloads",
    },
    {
      what: `what such a run takes longer on a processor, float32 products of ${anew.map(({ product }) => product).join(", ")}`,
      measured: `${anew.map((row) => row["anew ms"]).join(", ")} ms`,
      wanted: "stated",
      file: "workloads",
    },
  ];
}

export const fleetRows = () => [...gpuRows(), preemptionRow(), ...workloadRows(), ...tracingRows()];

/** Undefined where no machine with several GPUs was measured. */
export const fleetPlot =
  fleet &&
  (() => {
    const points = fleet.scaling.map(({ runners, trials_per_s }) => [runners, trials_per_s]);
    const [[, one]] = points;
    const most = points[points.length - 1][0];
    return linePlot({
      title: "Trials a second by GPUs of one farm",
      summary: "The same search, the same indices; the dashed line is as many times one GPU.",
      xUnit: "GPUs",
      yUnit: "trials a second",
      lines: [
        { name: "measured", points },
        { name: "n times one", points: points.map(([n]) => [n, n * one]), dashed: true },
      ],
      xTicks: points.map(([n]) => n),
      yTicks: [0, one, most * one].map((y) => Number(y.toFixed(1))),
    });
  });

export const shownByTests = `Not figures, but shown by tests: a farm as jobs of Slurm's own daemons (\`deploy/test/slurm\`, Debian's slurm-wlm 22.05.8 and munge on
loopback, 2026-11-29); two of four runners and one of two trackers killed in a suite on PostgreSQL, with the undisturbed run's configs
and its winners, or ties of them (\`WARPFARM_CAMPAIGN=full npx vitest run deploy/test/fleet.test.ts\`, 2026-11-29); the trace that
\`sessions --perfetto\` writes against the Trace Event Format (\`client/src/cli/perfetto.test.ts\`).`;
