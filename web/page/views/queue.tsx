import type { Queue } from "../../src/api.ts";
import { percent, spanWords } from "../model/units.ts";
import { Answered, Empty, Scroll } from "../parts/basics.tsx";
import { useAnswer, useLive } from "../state/hooks.ts";

/** Who waits, for what and why; and how device time was shared. */
export function QueueView() {
  const { queue } = useLive();
  const answer = useAnswer<Queue>(queue ? undefined : "/api/queue");
  return (
    <>
      <h1>Queue</h1>
      {queue ? (
        <Shown queue={queue} />
      ) : (
        <Answered answer={answer} what="The queue">
          {(asked) => <Shown queue={asked} />}
        </Answered>
      )}
    </>
  );
}

function Shown({ queue: { queues, shares } }: { queue: Queue }) {
  const [seconds, weights] = [shares.reduce((sum, s) => sum + s.deviceSeconds, 0), shares.reduce((sum, s) => sum + s.weight, 0)];
  return (
    <>
      {queues.length === 0 ? (
        <Empty title="Nothing waits">
          <p>No session is open.</p>
        </Empty>
      ) : (
        <Scroll name="Queues">
          <table>
            <thead>
              <tr>
                <th scope="col">For</th>
                <th scope="col" class="number">
                  Builds waiting
                </th>
                <th scope="col" class="number">
                  Runs waiting
                </th>
                <th scope="col" class="number">
                  Running
                </th>
                <th scope="col" class="number">
                  Devices idle
                </th>
                <th scope="col">The oldest waits</th>
                <th scope="col">Why</th>
              </tr>
            </thead>
            <tbody>
              {queues.map((each) => (
                <tr key={each.key}>
                  <th scope="row">{each.key}</th>
                  <td class="number">{each.waitingBuilds}</td>
                  <td class="number">{each.waitingRuns}</td>
                  <td class="number">{each.running}</td>
                  <td class="number">
                    {each.idleDevices} of {each.devices}
                  </td>
                  <td>{oldest(each.oldestBuildMs, each.oldestRunMs)}</td>
                  <td>{each.reasons.join("; ")}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      {shares.length > 0 && (
        <section>
          <h2>Shares of device time</h2>
          <Scroll name="Shares of device time">
            <table>
              <thead>
                <tr>
                  <th scope="col">User</th>
                  <th scope="col" class="number">
                    Weight
                  </th>
                  <th scope="col" class="number">
                    Entitled to
                  </th>
                  <th scope="col" class="number">
                    Used
                  </th>
                  <th scope="col" class="number">
                    Device time
                  </th>
                  <th scope="col" class="number">
                    Waiting
                  </th>
                </tr>
              </thead>
              <tbody>
                {shares.map((share) => (
                  <tr key={share.principal}>
                    <th scope="row">{share.principal}</th>
                    <td class="number">{share.weight}</td>
                    <td class="number">{percent(share.weight / weights)}</td>
                    <td class="number">{seconds > 0 ? percent(share.deviceSeconds / seconds) : "–"}</td>
                    <td class="number">{spanWords(share.deviceSeconds * 1000)}</td>
                    <td class="number">{share.waiting}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroll>
        </section>
      )}
    </>
  );
}

const oldest = (build: number | undefined, run: number | undefined): string =>
  [build === undefined ? "" : `build ${spanWords(build)}`, run === undefined ? "" : `run ${spanWords(run)}`]
    .filter((words) => words !== "")
    .join(", ");
