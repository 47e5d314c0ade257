import { countWords, timeWords } from "@warpfarm/common/words";
import type { SuiteDetail, SuiteSummary } from "../../src/api.ts";
import { argsWords, dateWords, percent } from "../model/units.ts";
import { Answered, Empty, Link, Scroll } from "../parts/basics.tsx";
import { Chart } from "../parts/chart.tsx";
import { part } from "../state/api.ts";
import { useAnswer, useTick } from "../state/hooks.ts";

/** No event announces suites. */
const refreshMs = 10_000;

export function SuitesView() {
  const answer = useAnswer<{ readonly suites: readonly SuiteSummary[] }>("/api/suites", useTick(refreshMs));
  return (
    <>
      <h1>Suites</h1>
      <Answered answer={answer} what="Suites">
        {({ suites }) =>
          suites.length === 0 ? (
            <Empty title="No suite yet">
              <p>
                Many tasks under one budget: <code>warpfarm suite run shapes.csv --tracker HOST:9290</code>
              </p>
            </Empty>
          ) : (
            <Scroll name="Suites">
              <table>
                <thead>
                  <tr>
                    <th scope="col">Suite</th>
                    <th scope="col">State</th>
                    <th scope="col" class="number">
                      Tasks done
                    </th>
                    <th scope="col">Since (UTC)</th>
                  </tr>
                </thead>
                <tbody>
                  {suites.map((suite) => (
                    <tr key={suite.id}>
                      <th scope="row">
                        <Link to={`/suite/${part(suite.id)}`}>{suite.name}</Link>
                      </th>
                      <td>{suite.state}</td>
                      <td class="number">
                        {suite.done} of {suite.tasks}
                      </td>
                      <td>{dateWords(suite.startedMs)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </Scroll>
          )
        }
      </Answered>
    </>
  );
}

export function SuiteView({ id }: { id: string }) {
  const answer = useAnswer<SuiteDetail>(`/api/suites/${part(id)}`, useTick(refreshMs));
  return (
    <Answered answer={answer} what="The suite">
      {(suite) => (
        <>
          <h1>{suite.name}</h1>
          <p>
            {suite.state}; {suite.done} of {suite.tasks} tasks done
          </p>
          <Scroll name="Tasks">
            <table class="wide">
              <thead>
                <tr>
                  <th scope="col">Task</th>
                  <th scope="col" class="number">
                    Weight
                  </th>
                  {suite.devices.map((device) => (
                    <th scope="col" class="number" key={device}>
                      {device}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {suite.rows.map((row) => (
                  <tr key={`${row.task} ${JSON.stringify(row.args)}`}>
                    <th scope="row">
                      {row.task} <span class="soft args">{argsWords(row.args)}</span>
                    </th>
                    <td class="number">{row.weight}</td>
                    {row.cells.map((cell, i) => (
                      <td class="number" key={suite.devices[i]}>
                        {timeWords(cell.best)}{" "}
                        <span class="soft">
                          {endWords[cell.state] ?? cell.state}
                          {cell.state !== "none" && `, ${countWords(cell.trials, "trial")}`}
                          {cell.best !== undefined &&
                            cell.librarySeconds !== undefined &&
                            `; library's time / best ${(cell.librarySeconds / cell.best).toFixed(2)}x`}
                          {cell.shareAfter.length > 0 &&
                            `; of the best after 8, 32, 128, 512: ${cell.shareAfter.map((share) => percent(share)).join(", ")}`}
                        </span>
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroll>
          {suite.courses.map((course, i) => (
            <Course key={course.device} course={course} zoomName={`zoom-${i}`} />
          ))}
          <Portability portability={suite.portability} />
          {suite.tables.map((table) => (
            <Dispatch key={`${table.task} ${table.device}`} table={table} />
          ))}
        </>
      )}
    </Answered>
  );
}

/** How near the searches were to their bests after how much device time, and what they knew before. */
function Course({ course, zoomName }: { course: SuiteDetail["courses"][number]; zoomName: string }) {
  const { device, tasks, over, brought } = course;
  const last = over.at(-1);
  return (
    <section>
      <h2>Share of the best over device time: {device}</h2>
      <Chart
        name={`Share of the best over device time on ${device}`}
        summary={`${countWords(tasks, "task")}; ${over.map(({ seconds, share }) => `${percent(share, 1)} after ${seconds} s`).join(", ")}`}
        x={Float64Array.from(over, ({ seconds }) => seconds)}
        xLabel="device time of each task"
        xUnit="s"
        yLabel="share of the best"
        logX
        showX={(seconds) => `${seconds} s`}
        showY={(share) => percent(share, 1)}
        zoomName={zoomName}
        series={[
          { label: "mean", colour: "--a", kind: "line", values: over.map(({ share }) => share) },
          { label: "worst", colour: "--d", kind: "dashed", values: over.map(({ worst }) => worst) },
        ]}
      />
      <p class="soft">
        The best time of all trials over the best by then{last ? `, up to ${last.seconds} s` : ""}. What the searches knew before,
        and what it brought:
      </p>
      <ul>
        {brought.map((words) => (
          <li key={words}>{words}</li>
        ))}
      </ul>
    </section>
  );
}

const endWords: { readonly [state: string]: string } = {
  none: "not in the suite",
  trials: "done",
  exhausted: "done, whole space tried",
  patience: "done, nothing better came",
  budget: "done, budget spent",
};

type Shape = SuiteDetail["portability"][number];

const lossWords = (loss: Shape["loss"][number][number] | undefined): string =>
  loss === undefined || loss === "unmeasured" ? "no time" : loss === "fails" ? "does not run" : `+${percent(loss, 1)}`;

function Portability({ portability }: Pick<SuiteDetail, "portability">) {
  if (portability.length === 0) return null;
  const devices = [...new Set(portability.flatMap((shape) => shape.devices))];
  const lossOf = ({ devices: of, loss }: Shape, from: string, on: string) => loss[of.indexOf(from)]?.[of.indexOf(on)];
  return (
    <section>
      <h2>Kernels of one device on another</h2>
      <p class="soft">
        How much slower the best kernel made for one device is on another than that one's own best; the mean over the shapes that
        were measured there. <code>warpfarm suite report DIR --measure</code> measures what is missing.
      </p>
      <Matrix
        name="Portability"
        devices={devices}
        cell={(from, on) => {
          const losses = portability.map((shape) => lossOf(shape, from, on)).filter((loss) => typeof loss === "number");
          if (losses.length === 0)
            return lossWords(portability.map((shape) => lossOf(shape, from, on)).find((l) => l === "fails"));
          return `+${percent(losses.reduce((a, b) => a + b, 0) / losses.length, 1)} (${countWords(losses.length, "shape")})`;
        }}
      />
      <details>
        <summary>By shape</summary>
        {portability.map((shape) => (
          <section key={`${shape.title} ${shape.devices.join()}`}>
            <h3>{shape.title}</h3>
            <p class="soft">
              {shape.common
                ? `One config for all of them loses ${percent(shape.common.worstLoss, 1)} at worst: ${shape.common.config}`
                : "No config was measured on all of them."}
            </p>
            <Matrix
              name={`Portability of ${shape.title}`}
              devices={shape.devices}
              cell={(a, b) => lossWords(lossOf(shape, a, b))}
            />
          </section>
        ))}
      </details>
    </section>
  );
}

interface MatrixProps {
  readonly name: string;
  readonly devices: readonly string[];
  readonly cell: (from: string, on: string) => string;
}

function Matrix({ name, devices, cell }: MatrixProps) {
  return (
    <Scroll name={name}>
      <table>
        <thead>
          <tr>
            <th scope="col">Made for / run on</th>
            {devices.map((device) => (
              <th scope="col" class="number" key={device}>
                {device}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {devices.map((from) => (
            <tr key={from}>
              <th scope="row">{from}</th>
              {devices.map((on) => (
                <td class="number" key={on}>
                  {cell(from, on)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function Dispatch({ table }: { table: SuiteDetail["tables"][number] }) {
  const { task, device, kernels, shapes, meanRegret, worstRegret, unmeasured } = table;
  return (
    <section>
      <h2>
        Few kernels for all shapes: {task} on {device}
      </h2>
      <p>
        {countWords(kernels.length, "kernel")} for {countWords(shapes.length, "shape")}: {percent(meanRegret, 1)} slower than the
        best of each in the weighted mean, {percent(worstRegret, 1)} at worst
        {unmeasured > 0 &&
          `; ${countWords(unmeasured, "pair")} of a winner and a shape ${unmeasured === 1 ? "has" : "have"} no time: nobody measured it, or it does not run`}
        . <code>warpfarm suite table DIR</code> writes them as a header.
      </p>
      <Scroll name={`Kernels of ${task} on ${device}`}>
        <table class="wide">
          <thead>
            <tr>
              <th scope="col">Shape</th>
              <th scope="col" class="number">
                Weight
              </th>
              <th scope="col" class="number">
                Kernel
              </th>
              <th scope="col" class="number">
                Time
              </th>
              <th scope="col" class="number">
                Best known
              </th>
              <th scope="col" class="number">
                Slower by
              </th>
            </tr>
          </thead>
          <tbody>
            {shapes.map((shape) => (
              <tr key={JSON.stringify(shape.args)}>
                <th scope="row">{shape.label ?? argsWords(shape.args)}</th>
                <td class="number">{shape.weight}</td>
                <td class="number">{shape.kernel + 1}</td>
                <td class="number">{timeWords(shape.seconds)}</td>
                <td class="number">{timeWords(shape.bestSeconds)}</td>
                <td class="number">{percent(shape.regret, 1)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <details>
        <summary>Configs of the kernels</summary>
        <ol>
          {kernels.map((config) => (
            <li key={config}>
              <code>{config}</code>
            </li>
          ))}
        </ol>
      </details>
    </section>
  );
}
