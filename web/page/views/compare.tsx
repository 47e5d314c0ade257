import { timeWords } from "@warpfarm/common/words";
import { useEffect, useState } from "preact/hooks";
import { bestSteps, type RunData } from "../model/run-data.ts";
import { argsWords, outcomeWords } from "../model/units.ts";
import { compareRepeats } from "../model/verdict.ts";
import { Choice, Empty, Heads, Link, Scroll } from "../parts/basics.tsx";
import { Chart, type Series } from "../parts/chart.tsx";
import { SourceDiff } from "../parts/source-diff.tsx";
import { part } from "../state/api.ts";
import { useParam, usePlace } from "../state/hooks.ts";
import { askedOf, costsOf, readSides, type Side } from "./compare-sides.ts";

const colours = ["--a", "--b", "--c", "--e", "--d"];

export function CompareView() {
  const asked = askedOf(usePlace().query);
  const count = asked.runs.length + asked.records.length;
  const [state, setState] = useState<{ readonly sides?: readonly Side[]; readonly error?: string }>({});
  const [tries, setTries] = useState(0);
  const key = JSON.stringify(asked);
  useEffect(() => {
    let isCurrent = true;
    setState({});
    readSides(asked).then(
      (sides) => isCurrent && setState({ sides }),
      (error: unknown) => isCurrent && setState({ error: error instanceof Error ? error.message : String(error) }),
    );
    return () => {
      isCurrent = false;
    };
  }, [key, tries]);
  if (count < 2)
    return (
      <Empty title="Two or more runs or records are compared" level={1}>
        <p>
          Tick runs in <Link to="/">the list of runs</Link>. A record's page says how to compare it with another one.
        </p>
      </Empty>
    );
  if (state.error !== undefined)
    return (
      <Empty title="They cannot be compared" level={1}>
        <p>{state.error}</p>
        <button type="button" onClick={() => setTries((n) => n + 1)}>
          Try again
        </button>
      </Empty>
    );
  if (!state.sides)
    return (
      <section class="notice" aria-busy="true">
        <h1 class="waits">Loading {wordsOf(asked)} …</h1>
      </section>
    );
  return <Compared sides={state.sides} title={`${wordsOf(asked)} compared`} />;
}

const wordsOf = ({ runs, records }: { readonly runs: readonly string[]; readonly records: readonly string[] }): string =>
  [
    ...(runs.length > 0 ? [`${runs.length} run${runs.length === 1 ? "" : "s"}`] : []),
    ...(records.length > 0 ? [`${records.length} record${records.length === 1 ? "" : "s"}`] : []),
  ].join(" and ");

/** Times of sides that have it in common compare. */
const whatOf = ({ task, args, device }: Side): string => `${task} ${JSON.stringify(args)} ${device}`;

function Compared({ sides, title }: { sides: readonly Side[]; title: string }) {
  const isOneTask = new Set(sides.map(whatOf)).size === 1;
  return (
    <>
      <h1>{title}</h1>
      {!isOneTask && <p class="notice">They are of different tasks or devices: their times do not compare.</p>}
      <Curves sides={sides} />
      <Verdicts sides={sides} />
      <ConfigDiff sides={sides} />
      <SourceDiff sources={sides} />
    </>
  );
}

function Curves({ sides }: { sides: readonly Side[] }) {
  const [scale, setScale] = useParam("scale", "log");
  const runs = sides.flatMap((side) => (side.data === undefined ? [] : [{ ...side, data: side.data }]));
  if (runs.length === 0) return null;
  const most = Math.max(...runs.map(({ data }) => data.trialCount));
  const x = Float64Array.from({ length: most }, (_, i) => i + 1);
  const series = runs.map(
    ({ name, data }, i): Series => ({
      label: name,
      colour: colours[i % colours.length] as string,
      kind: "step",
      values: curve(data),
    }),
  );
  return (
    <>
      <div class="bar">
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
      <Chart
        name="Best time so far, by run"
        summary={runs
          .map(({ name, seconds, data }) => `${name}: ${timeWords(seconds)} after ${data.trialCount} trials`)
          .join("; ")}
        x={x}
        xLabel="trial"
        yLabel="time of one run"
        isWholeX
        series={series}
        logY={scale === "log"}
        showY={timeWords}
      />
    </>
  );
}

function curve(data: RunData): (number | null)[] {
  const values: (number | null)[] = [];
  let last: number | null = null;
  const steps = new Map(bestSteps(data).map(({ trial, seconds }) => [trial, seconds]));
  for (let i = 0; i < data.count; i++) {
    last = steps.get(i) ?? last;
    if (data.isTrial(i)) values.push(last);
  }
  return values;
}

function Verdicts({ sides }: { sides: readonly Side[] }) {
  const first = costsOf(sides[0] as Side);
  return (
    <section>
      <h2>Their kernels</h2>
      <Scroll name="Their kernels">
        <table>
          <Heads of={["Of", "Task", ["Time"], ["Time / the first's"], "95 % interval", "Verdict"]} />
          <tbody>
            {sides.map((side, i) => (
              <VerdictRow
                key={side.to}
                side={side}
                first={i === 0 ? undefined : first}
                isOther={whatOf(side) !== whatOf(sides[0] as Side)}
              />
            ))}
          </tbody>
        </table>
      </Scroll>
      <p class="soft">
        Intervals are of the repeats of one measurement each. For a claim of a few percent measure the two interleaved:{" "}
        <code>warpfarm measure --paired</code>.
      </p>
    </section>
  );
}

/** `first`: the repeats of the first one; undefined for the first one itself. */
function VerdictRow({ side, first, isOther }: { side: Side; first: readonly number[] | undefined; isOther: boolean }) {
  const { name, to, task, args, seconds, detail } = side;
  const costs = costsOf(side);
  const isComparable = first !== undefined && first.length > 0 && costs.length > 0 && !isOther;
  const verdict = isComparable ? compareRepeats(first, costs) : undefined;
  const record = detail?.record;
  const failure = record?.kind === "failed" ? record : undefined;
  return (
    <tr>
      <th scope="row">
        <Link to={to}>{name}</Link>
      </th>
      <td>
        {task} <span class="soft args">{argsWords(args)}</span>
      </td>
      <td class="number">{record === undefined ? "–" : <Link to={`/record/${part(record.id)}`}>{timeWords(seconds)}</Link>}</td>
      <td class="number">{verdict ? verdict.ratio.toFixed(3) : ""}</td>
      <td>{verdict ? `${verdict.low.toFixed(3)} to ${verdict.high.toFixed(3)}` : ""}</td>
      <td>
        {failure
          ? `${outcomeWords(failure.error_no)} ${failure.rule ?? ""}`
          : (verdict?.words ?? (first === undefined ? "the first" : isOther ? "another task or device" : ""))}
      </td>
    </tr>
  );
}

function ConfigDiff({ sides }: { sides: readonly Side[] }) {
  const configs = sides.map(
    ({ detail }) => new Map((detail?.record.config?.entity ?? []).map(([name, , value]) => [name, JSON.stringify(value)])),
  );
  const names = [...new Set(configs.flatMap((config) => [...config.keys()]))];
  if (names.length === 0) return null;
  return (
    <section>
      <h2>Their configs</h2>
      <Scroll name="Their configs">
        <table>
          <Heads of={["Knob", ...sides.map(({ name }) => name)]} />
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
                    <td key={sides[i]?.to}>{value}</td>
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
