import type { SuiteDetail, SuiteSummary } from "../../src/api.ts";
import { argsWords, dateWords, percent, timeWords } from "../model/units.ts";
import { Answered, Empty, Link, Scroll } from "../parts/basics.tsx";
import { part } from "../state/api.ts";
import { useAnswer, useTick } from "../state/hooks.ts";

/** No event tells of suites. */
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

/** Tasks by devices: the best of each, and how a kernel made for one device does on another. */
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
                          {cell.state}, {cell.trials} trials
                          {cell.shareAfter.length > 0 && `; ${cell.shareAfter.map((share) => percent(share)).join(" → ")}`}
                        </span>
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroll>
          {suite.portability.length > 1 && <Portability suite={suite} />}
        </>
      )}
    </Answered>
  );
}

function Portability({ suite: { devices, portability } }: { suite: SuiteDetail }) {
  return (
    <section>
      <h2>Kernels of one device on another</h2>
      <Scroll name="Portability">
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
            {portability.map((row, i) => (
              <tr key={devices[i]}>
                <th scope="row">{devices[i]}</th>
                {row.map((ratio, k) => (
                  <td class="number" key={devices[k]}>
                    {ratio === null ? "–" : `${ratio.toFixed(2)}x`}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}
