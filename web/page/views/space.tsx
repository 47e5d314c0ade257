import { countWords, timeWords } from "@warpfarm/common/words";
import { useMemo, useState } from "preact/hooks";
import type { RecordDetail, RunDetail } from "../../src/api.ts";
import { bestTrial, type RunData } from "../model/run-data.ts";
import {
  type Brush,
  Coordinates,
  fastestPart,
  fastestValues,
  heatMap,
  histogram,
  type KnobEffect,
  knobEffects,
} from "../model/space.ts";
import { percent } from "../model/units.ts";
import { Scroll } from "../parts/basics.tsx";
import { Chart } from "../parts/chart.tsx";
import { Failures } from "../parts/failures.tsx";
import { Parallel } from "../parts/parallel.tsx";
import { Roofline } from "../parts/roofline.tsx";
import { part } from "../state/api.ts";
import { useAnswer, useParam } from "../state/hooks.ts";

export function SpaceView({ run, data, version }: { run: RunDetail; data: RunData; version: number }) {
  const coordinates = useMemo(() => new Coordinates(data), [data, version]);
  const [text, setText] = useParam("brush", "");
  const inAddress = useMemo(() => coordinates.brushesOf(text), [coordinates, text]);
  // During a drag: browsers do not let the address change as often.
  const [drawn, setDrawn] = useState<readonly Brush[]>();
  const brushes = drawn ?? inAddress;
  const setBrushes = (to: readonly Brush[]) => {
    setDrawn(undefined);
    setText(coordinates.textOf(to));
  };
  const effects = useMemo(() => knobEffects(data), [data, version]);
  return (
    <>
      <section>
        <div class="bar">
          <h2>Configs</h2>
          <span class="grow" />
          {brushes.length > 0 && (
            <button type="button" onClick={() => setBrushes([])}>
              Clear brushes
            </button>
          )}
        </div>
        <Parallel {...{ data, version, coordinates, brushes, setBrushes }} draw={setDrawn} />
      </section>
      <Effects effects={effects} />
      {data.knobs.length > 1 && <Heat data={data} version={version} effects={effects} />}
      <Failures data={data} version={version} />
      <Times data={data} version={version} />
      <BestRoofline run={run} data={data} version={version} />
    </>
  );
}

const mostValues = 16;

function Effects({ effects }: { effects: readonly KnobEffect[] }) {
  const most = Math.max(...effects.map(({ span }) => span - 1), 0.001);
  return (
    <section>
      <h2>Knobs</h2>
      <p class="soft">
        The best time with each value, over the best of all: a bar is what it costs. The knob that matters most comes first;
        behind a value stands its share of failures.
      </p>
      <div class="effects">
        {effects.map((effect) => {
          const best = Math.min(...effect.values.map((v) => v.best).filter((v) => !Number.isNaN(v)));
          return (
            <table key={effect.name} class="bars">
              <caption>
                {effect.name} <span class="soft">{effect.span.toFixed(2)}x</span>
              </caption>
              <tbody>
                {fastestValues(effect.values, mostValues).map((value) => (
                  <tr key={value.value}>
                    <th scope="row">{value.value}</th>
                    <td class="bar-cell">
                      <span
                        class="meter"
                        style={{
                          width: Number.isNaN(value.best) ? "0" : `${Math.max(0.5, (100 * (value.best / best - 1)) / most)}%`,
                        }}
                      />
                    </td>
                    <td class="number">{Number.isNaN(value.best) ? "–" : `${(value.best / best).toFixed(2)}x`}</td>
                    <td class="number soft">{value.failed > 0 ? percent(value.failed / value.count) : ""}</td>
                  </tr>
                ))}
              </tbody>
              {effect.values.length > mostValues && (
                <tfoot>
                  <tr>
                    <td colSpan={4} class="soft">
                      and {effect.values.length - mostValues} values that are slower or failed
                    </td>
                  </tr>
                </tfoot>
              )}
            </table>
          );
        })}
      </div>
    </section>
  );
}

const mostLines = 24;

const partWords = (name: string | undefined, shown: number, all: number): string =>
  shown === all ? "" : ` Of the ${all} values of ${name}, the ${shown} with the fastest times are shown.`;

function Heat({ data, version, effects }: { data: RunData; version: number; effects: readonly KnobEffect[] }) {
  const [a, setA] = useKnob("down", data, effects[0]?.knob ?? 0);
  const [b, setB] = useKnob("across", data, effects[1]?.knob ?? 1);
  const whole = useMemo(() => heatMap(data, a, b), [data, version, a, b]);
  const map = useMemo(() => fastestPart(whole, mostLines), [whole]);
  const best = Math.min(...map.best.flat().filter((seconds) => !Number.isNaN(seconds)));
  const pick = (label: string, value: number, set: (knob: number) => void) => (
    <label>
      {label}{" "}
      <select value={value} onChange={(event) => set(Number((event.currentTarget as HTMLSelectElement).value))}>
        {data.knobs.map(({ name }, k) => (
          <option key={name} value={k}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <section>
      <div class="bar">
        <h2>Two knobs</h2>
        {pick("down", a, setA)}
        {pick("across", b, setB)}
      </div>
      <Scroll name="Best time by two knobs">
        <table class="heat">
          <thead>
            <tr>
              <th scope="col">
                {data.knobs[a]?.name} / {data.knobs[b]?.name}
              </th>
              {map.columns.map((value) => (
                <th scope="col" key={value}>
                  {value}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {map.rows.map((value, i) => (
              <tr key={value}>
                <th scope="row">{value}</th>
                {map.columns.map((column, k) => {
                  const seconds = map.best[i]?.[k] ?? Number.NaN;
                  return (
                    <td
                      key={column}
                      class={Number.isNaN(seconds) ? "none" : `h${Math.min(5, Math.floor(Math.log2(seconds / best) * 4))}`}
                    >
                      {Number.isNaN(seconds) ? "" : `${(seconds / best).toFixed(2)}x`}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <p class="soft">
        The fastest time of each pair, over the best of all pairs. Empty: no such config was timed.
        {partWords(data.knobs[a]?.name, map.rows.length, whole.rows.length)}
        {partWords(data.knobs[b]?.name, map.columns.length, whole.columns.length)}
      </p>
    </section>
  );
}

/** The knob of the address; otherwise the one that matters most. */
function useKnob(param: string, { knobs }: RunData, first: number): readonly [number, (knob: number) => void] {
  const [name, setName] = useParam(param, "");
  const found = knobs.findIndex((knob) => knob.name === name);
  return [found < 0 ? first : found, (knob) => setName(knobs[knob]?.name ?? "")];
}

function Times({ data, version }: { data: RunData; version: number }) {
  const { edges, counts } = useMemo(() => histogram(data, 40), [data, version]);
  if (edges.length < 2) return null;
  const fullest = counts.indexOf(Math.max(...counts));
  return (
    <section>
      <h2>Times</h2>
      <Chart
        name="Histogram of times"
        summary={`${countWords(
          counts.reduce((a, b) => a + b, 0),
          "timed trial",
        )}; most lie near ${timeWords(edges[fullest])}.`}
        x={edges}
        xLabel="time of one run"
        xUnit="s"
        yLabel="trials"
        series={[{ label: "trials", colour: "--a", kind: "step", values: counts }]}
        logX
        showX={timeWords}
        showY={(value) => value.toLocaleString("en")}
        height={200}
      />
    </section>
  );
}

function BestRoofline({ run, data, version }: { run: RunDetail; data: RunData; version: number }) {
  const best = useMemo(() => bestTrial(data, run), [data, version, run]);
  const id = data.ids[best];
  const answer = useAnswer<RecordDetail>(id === undefined ? undefined : `/api/records/${part(id)}`);
  return answer.kind === "there" ? <Roofline detail={answer.value} /> : null;
}
