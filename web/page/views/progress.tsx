import { countWords, timeWords } from "@warpfarm/common/words";
import { useMemo } from "preact/hooks";
import { intervalOf, type RunDetail } from "../../src/api.ts";
import { bestSteps, decimated, positions, type RunData } from "../model/run-data.ts";
import { Choice } from "../parts/basics.tsx";
import { Chart, type Series } from "../parts/chart.tsx";
import { Failures } from "../parts/failures.tsx";
import { Finalists } from "../parts/finalists.tsx";
import { part } from "../state/api.ts";
import { go, useParam } from "../state/hooks.ts";

/** Most points drawn: more cannot be distinguished on a screen. */
const mostPoints = 6_000;

export function ProgressView({ run, data, version }: { run: RunDetail; data: RunData; version: number }) {
  const [by, setBy] = useParam("by", "trial");
  const [scale, setScale] = useParam("scale", "log");
  const [xScale, setXScale] = useParam("xscale", "linear");
  const curve = useMemo(() => curveOf(run, data, by === "device-seconds" ? "device-seconds" : "trial"), [run, data, version, by]);
  const best = curve.steps.at(-1);
  return (
    <>
      <div class="bar">
        <Choice
          name="By"
          value={by}
          set={setBy}
          options={[
            ["trial", "trial"],
            ["device-seconds", "device time"],
          ]}
        />
        <Choice
          name="Times"
          value={scale}
          set={setScale}
          options={[
            ["log", "log"],
            ["linear", "linear"],
          ]}
        />
        <Choice
          name="Trials"
          value={xScale}
          set={setXScale}
          options={[
            ["linear", "linear"],
            ["log", "log"],
          ]}
        />
      </div>
      <Chart
        name="Best time so far"
        summary={
          (best
            ? `${countWords(data.trialCount, "trial")}; the best takes ${timeWords(best.seconds)}, found by trial ${data.columns.sequence.at(best.trial)}; it changed ${countWords(curve.steps.length, "time")}.`
            : `${countWords(data.trialCount, "trial")}, none was timed.`) + earlyWords(data)
        }
        x={curve.x}
        xLabel={by === "trial" ? "trial" : "device time, s"}
        yLabel="time of one run"
        series={curve.series}
        bands={[[2, 3]]}
        isWholeX={by === "trial"}
        zoomName={by === "trial" ? "zoom" : "zoom-time"}
        logY={scale === "log"}
        logX={xScale === "log"}
        showX={(value) => (by === "trial" ? value.toLocaleString("en") : value.toFixed(1))}
        showY={timeWords}
        onPick={(i) => {
          const id = data.ids[curve.trials[i] ?? -1];
          if (id !== undefined) go(`/record/${part(id)}`);
        }}
      />
      {run.finals && <Finalists finals={run.finals} />}
      <Failures data={data} version={version} />
    </>
  );
}

/** Trials without a dot that did not fail. */
function earlyWords({ columns: { atLeast } }: RunData): string {
  const early = atLeast.view.reduce((sum, seconds) => sum + (seconds > 0 ? 1 : 0), 0);
  return early === 0
    ? ""
    : ` ${countWords(early, "trial")} ended early, slower than the best, and ${early === 1 ? "has" : "have"} no dot.`;
}

function curveOf(run: RunDetail, data: RunData, by: "trial" | "device-seconds") {
  const at = positions(data, by);
  const steps = bestSteps(data);
  // Every improvement of the best is drawn, even when other points are left out.
  const kept = new Set<number>([
    ...decimated(data, 0, data.count, mostPoints),
    ...steps.map(({ trial }) => trial),
    data.count - 1,
  ]);
  // A line shows the default schedule.
  const trials = [...kept].filter((i) => i >= 0 && data.isTrial(i)).sort((a, b) => a - b);
  const { seconds, spread } = data.columns;
  const all = trials.map((trial) => (seconds.at(trial) > 0 ? seconds.at(trial) : null));
  const bests: (number | null)[] = [];
  const [low, high]: [(number | null)[], (number | null)[]] = [[], []];
  let step = -1;
  for (const trial of trials) {
    while (step + 1 < steps.length && (steps[step + 1]?.trial ?? 0) <= trial) step++;
    const best = steps[step];
    const width = best ? spread.at(best.trial) : 0;
    bests.push(best?.seconds ?? null);
    const interval = best && intervalOf(best.seconds, width);
    low.push(interval?.[0] ?? null);
    high.push(interval?.[1] ?? null);
  }
  const flat = (value: number | undefined, label: string, colour: string): Series[] =>
    value === undefined ? [] : [{ label, colour, kind: "dashed", values: trials.map(() => value) }];
  const series: Series[] = [
    { label: "trials", colour: "--d", kind: "points", values: all },
    { label: "interval, upper", colour: "--band", kind: "step", values: high, isCut: true },
    { label: "interval, lower", colour: "--band", kind: "step", values: low, isCut: true },
    { label: "best so far", colour: "--a", kind: "step", values: bests },
    ...flat(run.defaultSeconds, "default schedule", "--e"),
    ...flat(run.librarySeconds, "library", "--b"),
  ];
  return { x: Float64Array.from(trials, (trial) => at[trial] as number), trials, series, steps };
}
