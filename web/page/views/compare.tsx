import { useEffect, useState } from "preact/hooks";
import type { RecordDetail, RunDetail, TrialColumns } from "../../src/api.ts";
import { bestSteps, bestTrial, RunData } from "../model/run-data.ts";
import { argsWords, timeWords } from "../model/units.ts";
import { compareRepeats } from "../model/verdict.ts";
import { Choice, Empty, Link, Scroll } from "../parts/basics.tsx";
import { Chart, type Series } from "../parts/chart.tsx";
import { get, part } from "../state/api.ts";
import { useParam, usePlace } from "../state/hooks.ts";
import type { RecordJson } from "./record.tsx";

interface Side {
  readonly run: RunDetail;
  readonly data: RunData;
  readonly best: RecordDetail | undefined;
}

const colours = ["--a", "--b", "--c", "--e", "--d"];

/** Runs side by side: curves, their best kernels, and what is different about them. */
export function CompareView() {
  const ids = (usePlace().query.get("runs") ?? "").split(",").filter((id) => id !== "");
  const [state, setState] = useState<{ readonly sides?: readonly Side[]; readonly error?: string }>({});
  const [tries, setTries] = useState(0);
  const key = ids.join(",");
  useEffect(() => {
    let isCurrent = true;
    setState({});
    Promise.all(ids.map(readSide)).then(
      (sides) => isCurrent && setState({ sides }),
      (error: unknown) => isCurrent && setState({ error: error instanceof Error ? error.message : String(error) }),
    );
    return () => {
      isCurrent = false;
    };
  }, [key, tries]);
  if (ids.length < 2)
    return (
      <Empty title="Two or more runs are compared" level={1}>
        <p>
          Tick them in <Link to="/">the list of runs</Link>.
        </p>
      </Empty>
    );
  if (state.error !== undefined)
    return (
      <Empty title="The runs cannot be compared" level={1}>
        <p>{state.error}</p>
        <button type="button" onClick={() => setTries((n) => n + 1)}>
          Try again
        </button>
      </Empty>
    );
  if (!state.sides)
    return (
      <section class="notice" aria-busy="true">
        <p>Loading {ids.length} runs …</p>
      </section>
    );
  return <Compared sides={state.sides} />;
}

async function readSide(id: string): Promise<Side> {
  const [run, columns] = await Promise.all([
    get<RunDetail>(`/api/runs/${part(id)}`),
    get<TrialColumns>(`/api/runs/${part(id)}/trials`),
  ]);
  const data = new RunData();
  data.append(columns);
  const best = data.ids[bestTrial(data)];
  return { run, data, best: best === undefined ? undefined : await get<RecordDetail>(`/api/records/${part(best)}`) };
}

const nameOf = ({ run }: Side): string => run.id;

function Compared({ sides }: { sides: readonly Side[] }) {
  const [scale, setScale] = useParam("scale", "log");
  const most = Math.max(...sides.map(({ data }) => data.count));
  const x = Float64Array.from({ length: most }, (_, i) => i + 1);
  const series = sides.map(
    (side, i): Series => ({
      label: nameOf(side),
      colour: colours[i % colours.length] as string,
      kind: "step",
      values: curve(side.data),
    }),
  );
  const isOneTask = new Set(sides.map(({ run }) => `${run.task} ${JSON.stringify(run.args)} ${run.device}`)).size === 1;
  return (
    <>
      <div class="bar">
        <h1>{sides.length} runs compared</h1>
        <Choice
          name="Times"
          value={scale}
          set={setScale}
          options={[
            ["log", "log"],
            ["linear", "linear"],
          ]}
        />
      </div>
      {!isOneTask && <p class="notice">The runs are of different tasks or devices: their times do not compare.</p>}
      <Chart
        name="Best time so far, by run"
        summary={sides.map((side) => `${nameOf(side)}: ${timeWords(side.run.best)} after ${side.data.count} trials`).join("; ")}
        x={x}
        xLabel="trial"
        yLabel="time of one run"
        series={series}
        logY={scale === "log"}
        showY={timeWords}
      />
      <Verdicts sides={sides} />
      <ConfigDiff sides={sides} />
    </>
  );
}

function curve(data: RunData): (number | null)[] {
  const values: (number | null)[] = [];
  let last: number | null = null;
  const steps = new Map(bestSteps(data).map(({ trial, seconds }) => [trial, seconds]));
  for (let i = 0; i < data.count; i++) {
    last = steps.get(i) ?? last;
    values.push(last);
  }
  return values;
}

const costsOf = ({ best }: Side): readonly number[] => {
  const result = (best?.record as RecordJson | undefined)?.result;
  return result?.kind === "timed" ? result.costs : [];
};

function Verdicts({ sides }: { sides: readonly Side[] }) {
  const [first, ...others] = sides as readonly [Side, ...Side[]];
  return (
    <section>
      <h2>The best kernels</h2>
      <Scroll name="The best kernels">
        <table>
          <thead>
            <tr>
              <th scope="col">Run</th>
              <th scope="col">Task</th>
              <th scope="col" class="number">
                Best
              </th>
              <th scope="col" class="number">
                Time / the first's
              </th>
              <th scope="col">95 % interval</th>
              <th scope="col">Verdict</th>
            </tr>
          </thead>
          <tbody>
            {[first, ...others].map((side, i) => {
              const [a, b] = [costsOf(first), costsOf(side)];
              const verdict = i > 0 && a.length > 0 && b.length > 0 ? compareRepeats(a, b) : undefined;
              const { id } = (side.best?.record ?? {}) as { readonly id?: string };
              return (
                <tr key={nameOf(side)}>
                  <th scope="row">
                    <Link to={`/run/${part(side.run.id)}`}>{nameOf(side)}</Link>
                  </th>
                  <td>
                    {side.run.task} <span class="soft args">{argsWords(side.run.args)}</span>
                  </td>
                  <td class="number">
                    {id === undefined ? "–" : <Link to={`/record/${part(id)}`}>{timeWords(side.run.best)}</Link>}
                  </td>
                  <td class="number">{verdict ? verdict.ratio.toFixed(3) : ""}</td>
                  <td>{verdict ? `${verdict.low.toFixed(3)} to ${verdict.high.toFixed(3)}` : ""}</td>
                  <td>{verdict?.words ?? (i === 0 ? "the first" : "")}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </Scroll>
      <p class="soft">
        Intervals are of the repeats of one measurement each. For a claim of a few percent measure the two in turns:{" "}
        <code>warpfarm measure --paired</code>.
      </p>
    </section>
  );
}

function ConfigDiff({ sides }: { sides: readonly Side[] }) {
  const configs = sides.map(
    ({ best }) =>
      new Map(
        ((best?.record as RecordJson | undefined)?.config?.entity ?? []).map(([name, , value]) => [name, JSON.stringify(value)]),
      ),
  );
  const names = [...new Set(configs.flatMap((config) => [...config.keys()]))];
  if (names.length === 0) return null;
  return (
    <section>
      <h2>Their configs</h2>
      <Scroll name="Configs of the best">
        <table>
          <thead>
            <tr>
              <th scope="col">Knob</th>
              {sides.map((side) => (
                <th scope="col" key={nameOf(side)}>
                  {nameOf(side)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {names.map((name) => {
              const values = configs.map((config) => config.get(name) ?? "–");
              const isSame = new Set(values).size === 1;
              return (
                <tr key={name} class={isSame ? "" : "differs"}>
                  <th scope="row">
                    {name}
                    {!isSame && " ≠"}
                  </th>
                  {values.map((value, i) => (
                    <td key={nameOf(sides[i] as Side)}>{value}</td>
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}
