import { waitingWords } from "@warpfarm/common/waiting";
import { spanWords } from "@warpfarm/common/words";
import type { Queue } from "../../src/api.ts";
import { percent } from "../model/units.ts";
import { Answered, Empty, Head, Link, Scroll } from "../parts/basics.tsx";
import { part } from "../state/api.ts";
import { useAnswer, useLive } from "../state/hooks.ts";

const figures = {
  queue: ["Builds waiting", "Runs waiting", "Running", "Devices idle"],
  share: ["Weight", "Entitled to", "Used", "Waiting", "Queue", "Build", "Transfer", "Lease held", "Timed"],
};

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
  return (
    <>
      {queues.length === 0 ? (
        <Empty title="Nothing waits">
          <p>No session is open.</p>
        </Empty>
      ) : (
        <Queues queues={queues} />
      )}
      {shares.length > 0 && (
        <section>
          <h2>Shares of device time</h2>
          <Shares shares={shares} />
        </section>
      )}
    </>
  );
}

function Queues({ queues }: Pick<Queue, "queues">) {
  return (
    <Scroll name="Queues">
      <table>
        <Head columns={["For", ...figures.queue, "The oldest waits"]} numbers={figures.queue} />
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
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function Shares({ shares }: Pick<Queue, "shares">) {
  return (
    <Scroll name="Shares of device time">
      <table>
        <Head columns={["User, sessions", ...figures.share, "Why it waits, and until when"]} numbers={figures.share} />
        {shares.map(({ sessions, ...share }) => (
          <tbody key={share.principal}>
            <tr>
              <th scope="row">{share.principal}</th>
              <td />
              <Figures share={share} of="of all" />
              <td />
            </tr>
            {sessions.map((session) => (
              <tr key={session.id} class="inner">
                <th scope="row">
                  <Link to={`/run/${part(session.id)}`}>{session.task || session.id}</Link>
                </th>
                <td class="number">{session.weight}</td>
                <Figures share={session} of={`of ${share.principal}'s`} />
                <td>{session.waits && waitingWords(session.waits)}</td>
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </Scroll>
  );
}

const times = ["queueSeconds", "buildSeconds", "transferSeconds", "deviceSeconds", "timedSeconds"] as const;
type Shared = Pick<Queue["shares"][number], "entitled" | "used" | "waiting" | (typeof times)[number]>;

function Figures({ share, of }: { share: Shared; of: string }) {
  return (
    <>
      <td class="number">
        {percent(share.entitled)} {of}
      </td>
      <td class="number">{percent(share.used)}</td>
      <td class="number">{share.waiting}</td>
      {times.map((time) => (
        <td class="number" key={time}>
          {spanWords(share[time] * 1000)}
        </td>
      ))}
    </>
  );
}

const oldest = (build: number | undefined, run: number | undefined): string =>
  [build === undefined ? "" : `build ${spanWords(build)}`, run === undefined ? "" : `run ${spanWords(run)}`]
    .filter((words) => words !== "")
    .join(", ");
