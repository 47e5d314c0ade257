import { countWords, spanWords, timeWords } from "@warpfarm/common/words";
import { useMemo } from "preact/hooks";
import type { Me, RunDetail } from "../../src/api.ts";
import { paceOf, runNow } from "../model/run-data.ts";
import { argsWords, ofTrials, percent, trialWords } from "../model/units.ts";
import { Announce, Answered, Empty, Fact, Link, RunState } from "../parts/basics.tsx";
import { part } from "../state/api.ts";
import { useAnswer, useLive, useTick } from "../state/hooks.ts";
import { Controls } from "./controls.tsx";
import { ProgressView } from "./progress.tsx";
import { SpaceView } from "./space.tsx";
import { TrialsView } from "./trials.tsx";

const tabs = [
  ["", "Progress"],
  ["trials", "Trials"],
  ["space", "Space"],
] as const;

export function RunView({ id, tab, me }: { id: string; tab: string; me: Me }) {
  const { run } = useLive();
  const { summary } = run?.id === id ? run : {};
  // No event announces running and waiting jobs. They change until the run ends, and only a tracker knows them.
  const isEnded = summary?.state === "ended";
  const tick = useTick(me.source === "tracker" && summary !== undefined && !isEnded ? 3_000 : 0);
  // A log tells more of its run as it grows.
  const grown = me.source === "tracker" ? 0 : Math.floor((summary?.finished ?? 0) / 50);
  const answer = useAnswer<RunDetail>(`/api/runs/${part(id)}`, `${isEnded} ${grown} ${tick}`);
  return (
    <Answered answer={answer} what="The run">
      {(detail) => {
        const now = runNow(detail, summary);
        const data = run?.id === id ? run.data : undefined;
        return (
          <>
            <RunHead run={now} me={me} again={() => answer.kind === "there" && answer.again()} />
            <nav class="tabs" aria-label="Views of the run">
              {tabs.map(([key, words]) => (
                <Link key={key} to={`/run/${part(id)}${key === "" ? "" : `/${key}`}`} isCurrent={tab === key}>
                  {words}
                </Link>
              ))}
            </nav>
            {data === undefined || (data.count === 0 && now.finished > 0) ? (
              <section class="notice" aria-busy="true">
                <p>Loading trials …</p>
              </section>
            ) : data.count === 0 || (data.trialCount === 0 && tab !== "trials") ? (
              <Empty title="No trial has ended yet">
                <p>{now.accepted > 0 ? `${countWords(now.accepted, "candidate")} are on their way.` : "Nothing was sent yet."}</p>
              </Empty>
            ) : tab === "trials" ? (
              <TrialsView run={now} data={data} />
            ) : tab === "space" ? (
              <SpaceView run={now} data={data} version={run?.version ?? 0} />
            ) : (
              <ProgressView run={now} data={data} version={run?.version ?? 0} />
            )}
            {tab === "" && <Running run={now} />}
            {tab === "" && now.search && <Search search={now.search} />}
          </>
        );
      }}
    </Answered>
  );
}

function RunHead({ run, me, again }: { run: RunDetail; me: Me; again: () => void }) {
  const live = useLive().run;
  const data = live?.id === run.id && live.data.count > 0 ? live.data : undefined;
  // A tracker counts the default schedule, too.
  const { trialCount, failedCount } = data ?? { trialCount: run.finished, failedCount: run.failed };
  const pace = useMemo(() => (data ? paceOf(data, run) : undefined), [data, data?.version, run.state]);
  return (
    <>
      <div class="bar">
        <h1>
          {run.task || run.id} <span class="soft args">{argsWords(run.args)}</span>
        </h1>
        <RunState run={run} />
        <span class="grow" />
        {run.state !== "ended" && me.source === "tracker" && <Controls run={run} again={again} />}
      </div>
      <Announce words={`${run.paused ? "paused, " : ""}${trialCount} trials, best ${timeWords(run.best)}`} />
      <dl class="facts">
        <Fact name="Best">{timeWords(run.best)}</Fact>
        {run.librarySeconds !== undefined && run.best !== undefined && (
          <Fact name="Library's time / best">{(run.librarySeconds / run.best).toFixed(2)}x</Fact>
        )}
        <Fact name="Trials">
          {trialCount.toLocaleString("en")}
          {ofTrials({ ...run, finished: trialCount })}
        </Fact>
        <Fact name="Failed">{trialCount === 0 ? "–" : percent(failedCount / trialCount)}</Fact>
        {pace && <Fact name="Trials a second">{pace.rate.toFixed(1)}</Fact>}
        {pace?.busy !== undefined && (
          <Fact name="Device busy" hint="Share of the time since the run began in which a device was busy with it">
            {percent(pace.busy)}
          </Fact>
        )}
        {pace?.leftMs !== undefined && <Fact name="Left">{spanWords(pace.leftMs)}</Fact>}
        {run.queuePosition !== undefined && <Fact name="Before it in the queue">{run.queuePosition}</Fact>}
        <Fact name="Device">{run.deviceName || run.device}</Fact>
        {run.tuner !== undefined && <Fact name="Tuner">{run.tuner}</Fact>}
      </dl>
    </>
  );
}

function Search({ search }: { search: NonNullable<RunDetail["search"]> }) {
  const { version: _, ...fields } = search;
  return (
    <details>
      <summary>The search</summary>
      <dl class="facts">
        {Object.entries(fields).map(([name, value]) => (
          <Fact key={name} name={name}>
            {typeof value === "string" ? value : JSON.stringify(value)}
          </Fact>
        ))}
      </dl>
    </details>
  );
}

function Running({ run: { running } }: { run: RunDetail }) {
  if (running.length === 0) return null;
  return (
    <section>
      <h2>Running now</h2>
      <ul>
        {running.map(({ sequence, node, step, sinceMs }) => (
          <li key={`${step} ${sequence}`}>
            {trialWords(sequence)}: {step} on {node}, since {new Date(sinceMs).toLocaleTimeString()}
          </li>
        ))}
      </ul>
    </section>
  );
}
