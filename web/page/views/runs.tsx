import { timeWords } from "@warpfarm/common/words";
import { useState } from "preact/hooks";
import type { Me, RunSummary } from "../../src/api.ts";
import { argsWords, dateWords, ofTrials, percent } from "../model/units.ts";
import { Answered, Empty, Head, Link, RunState, Scroll } from "../parts/basics.tsx";
import { part } from "../state/api.ts";
import { useAnswer, useLive, useParam } from "../state/hooks.ts";

const figures = ["Best", "Trials", "Failed"];

export function RunsView({ me }: { me: Me }) {
  const { runs } = useLive();
  const answer = useAnswer<{ readonly runs: readonly RunSummary[] }>(runs ? undefined : "/api/runs");
  return (
    <>
      <h1>Runs</h1>
      {runs ? (
        <RunsTable runs={runs} me={me} />
      ) : (
        <Answered answer={answer} what="Runs">
          {({ runs: asked }) => <RunsTable runs={asked} me={me} />}
        </Answered>
      )}
    </>
  );
}

function RunsTable({ runs, me }: { runs: readonly RunSummary[]; me: Me }) {
  const [words, setWords] = useParam("q", "");
  const [picked, setPicked] = useState<readonly string[]>([]);
  if (runs.length === 0 && me.principal === "" && me.signIn === "possible")
    return (
      <Empty title="No run that everybody may see">
        <p>
          <Link to="/sign-in">Sign in</Link> to see yours.
        </p>
      </Empty>
    );
  if (runs.length === 0)
    return (
      <Empty title="No run yet">
        <p>
          {me.source === "files" ? "The logs hold no trial." : "Start one:"}{" "}
          <code>warpfarm tune conv2d_nchw_cpu --tracker HOST:9290</code>
        </p>
      </Empty>
    );
  const shown = runs.filter((run) =>
    `${run.task} ${argsWords(run.args)} ${run.deviceName} ${run.principal} ${run.id}`.toLowerCase().includes(words.toLowerCase()),
  );
  const pick = (id: string, isOn: boolean) => setPicked(isOn ? [...picked, id] : picked.filter((other) => other !== id));
  return (
    <>
      <div class="bar">
        <label>
          Search{" "}
          <input
            type="search"
            value={words}
            onInput={(event) => setWords((event.currentTarget as HTMLInputElement).value)}
            placeholder="task, device, user"
          />
        </label>
        <span class="soft">
          {shown.length === runs.length ? `${runs.length} runs` : `${shown.length} of ${runs.length} runs`}
          {words !== "" && (
            <>
              {" "}
              <button type="button" onClick={() => setWords("")}>
                Clear
              </button>
            </>
          )}
        </span>
        <span class="grow" />
        {picked.length > 1 ? (
          <Link class="button" to={`/compare?runs=${picked.map(encodeURIComponent).join(",")}`}>
            Compare {picked.length} runs
          </Link>
        ) : (
          <span class="soft">Tick two or more to compare them</span>
        )}
      </div>
      <Scroll name="Runs">
        <table class="wide">
          <Head
            columns={[<span class="hidden">Compare</span>, "Task", "Device", "State", ...figures, "By", "Last result (UTC)"]}
            numbers={figures}
          />
          <tbody>
            {shown.map((run) => (
              <RunRow key={run.id} run={run} isPicked={picked.includes(run.id)} onPick={pick} />
            ))}
          </tbody>
        </table>
      </Scroll>
    </>
  );
}

function RunRow({ run, isPicked, onPick }: { run: RunSummary; isPicked: boolean; onPick: (id: string, isOn: boolean) => void }) {
  return (
    <tr>
      <td>
        <input
          type="checkbox"
          aria-label={`Compare ${run.task} ${run.id}`}
          checked={isPicked}
          onChange={(event) => onPick(run.id, (event.currentTarget as HTMLInputElement).checked)}
        />
      </td>
      <td>
        <Link to={`/run/${part(run.id)}`}>{run.task || run.id}</Link> <span class="soft args">{argsWords(run.args)}</span>
      </td>
      <td>{run.deviceName || run.device}</td>
      <td>
        <RunState run={run} />
      </td>
      <td class="number">{timeWords(run.best)}</td>
      <td class="number">
        {run.finished.toLocaleString("en")}
        <span class="soft">{ofTrials(run)}</span>
      </td>
      <td class="number">{run.finished === 0 ? "–" : percent(run.failed / run.finished)}</td>
      <td>{run.principal}</td>
      <td>{dateWords(run.lastMs)}</td>
    </tr>
  );
}
