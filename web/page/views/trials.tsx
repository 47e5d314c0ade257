import { timeWords } from "@warpfarm/common/words";
import { useMemo } from "preact/hooks";
import type { RunDetail } from "../../src/api.ts";
import { compileFilter, type Filter, FilterError } from "../model/filter.ts";
import { bestTrial, type RunData } from "../model/run-data.ts";
import { type Kept, selectTrials, sortTrials } from "../model/select.ts";
import { outcomeWords, spreadWords, trialWords } from "../model/units.ts";
import { Choice, Link } from "../parts/basics.tsx";
import { type Column, Grid } from "../parts/grid.tsx";
import { part } from "../state/api.ts";
import { go, useParam } from "../state/hooks.ts";

const keptWords: readonly (readonly [Kept, string])[] = [
  ["all", "all"],
  ["valid", "valid"],
  ["noise", "as good as the best"],
  ["top1", "top 1 %"],
  ["top5", "top 5 %"],
  ["top20", "top 20 %"],
];

export function TrialsView({ run, data }: { run: RunDetail; data: RunData }) {
  const [filter, setFilter] = useParam("filter", "");
  const [kept, setKept] = useParam("show", "all");
  const [sort, setSort] = useParam("sort", "sequence");
  const [chosen, choose] = useParam("trial", "");
  const best = bestTrial(data, run);
  const { rows, error } = useMemo(
    () => rowsOf(data, { filter, kept: kept as Kept, sort, best }),
    [data, data.version, filter, kept, sort, best],
  );
  const columns = useMemo(() => columnsOf(data), [data, data.version]);
  const jump = useMemo(
    () => (chosen === "" ? -1 : data.columns.sequence.view.indexOf(Number(chosen))),
    [data, data.version, chosen],
  );
  const isNarrowed = filter !== "" || kept !== "all";
  return (
    <>
      <div class="bar">
        <label class="wide-field">
          Filter{" "}
          <input
            type="text"
            value={filter}
            spellcheck={false}
            aria-invalid={error !== undefined}
            aria-describedby="filter-error"
            placeholder={`time < 1.1 * best && ${data.knobs[0]?.name ?? "trial"} == ${data.knobs[0]?.values[0] ?? 1}`}
            onInput={(event) => setFilter((event.currentTarget as HTMLInputElement).value)}
          />
        </label>
        <Choice name="Show" value={kept as Kept} options={keptWords} set={setKept} />
        {isNarrowed && (
          <button
            type="button"
            onClick={() => {
              setFilter("");
              setKept("all");
            }}
          >
            Clear
          </button>
        )}
      </div>
      <p id="filter-error" class="bad" role="status">
        {error}
      </p>
      <Found data={data} count={rows.filter((row) => data.isTrial(row)).length} best={best} chosen={chosen} choose={choose} />
      <Grid
        name={`Trials of ${run.task}`}
        columns={columns}
        rows={rows}
        sort={sort}
        onSort={setSort}
        marked={(row) => row === best}
        onOpen={(row) => {
          // For users who come back.
          choose(String(data.columns.sequence.at(row)));
          go(`/record/${part(data.ids[row] ?? "")}`);
        }}
        {...(jump < 0 ? {} : { jumpTo: jump })}
      />
    </>
  );
}

interface FoundProps {
  readonly data: RunData;
  readonly count: number;
  readonly best: number;
  readonly chosen: string;
  readonly choose: (sequence: string) => void;
}

function Found({ data, count, best, chosen, choose }: FoundProps) {
  return (
    <div class="bar">
      <span>
        {count.toLocaleString("en")} of {data.trialCount.toLocaleString("en")} trials
      </span>
      {best >= 0 && (
        <span>
          best: <Link to={`/record/${part(data.ids[best] ?? "")}`}>{trialWords(data.columns.sequence.at(best))}</Link>,{" "}
          {timeWords(data.columns.seconds.at(best))}
        </span>
      )}
      <span class="grow" />
      <label>
        Jump to trial{" "}
        <input
          type="number"
          min={1}
          class="short"
          value={chosen}
          onChange={(event) => choose((event.currentTarget as HTMLInputElement).value)}
        />
      </label>
    </div>
  );
}

function rowsOf(
  data: RunData,
  { filter, kept, sort, best }: { filter: string; kept: Kept; sort: string; best: number },
): { rows: Int32Array; error?: string } {
  let passes: Filter = () => true;
  let error: string | undefined;
  try {
    passes = compileFilter(filter, data, best < 0 ? Number.NaN : data.columns.seconds.at(best));
  } catch (thrown) {
    if (!(thrown instanceof FilterError)) throw thrown;
    error = `at ${thrown.at + 1}: ${thrown.message}`;
  }
  const rows = sortTrials(data, selectTrials(data, passes, kept, best), sort);
  return { rows, ...(error === undefined ? {} : { error }) };
}

function columnsOf(data: RunData): readonly Column[] {
  const { sequence, seconds, atLeast, spread, errorNo, rule, node } = data.columns;
  const hasDefault = sequence.view.includes(0);
  const timeOf = (i: number): string => {
    if (errorNo.at(i) === 0) return timeWords(seconds.at(i));
    return atLeast.at(i) > 0 ? `≥ ${timeWords(atLeast.at(i))}` : "–";
  };
  const number = { isNumber: true, isSortable: true } as const;
  return [
    {
      ...{ key: "sequence", label: "Trial", width: hasDefault ? 140 : 70, ...number },
      cell: (i) => (sequence.at(i) === 0 ? trialWords(0) : sequence.at(i)),
    },
    { key: "seconds", label: "Time", width: 110, ...number, cell: (i) => timeOf(i) },
    {
      key: "spread",
      label: "±",
      width: 80,
      ...number,
      cell: (i) => spreadWords(spread.at(i)),
    },
    {
      key: "errorNo",
      label: "Outcome",
      width: 200,
      isSortable: true,
      cell: (i) =>
        errorNo.at(i) === 0 ? "ok" : `${outcomeWords(errorNo.at(i))}${rule.at(i) >= 0 ? ` · ${data.rules[rule.at(i)]}` : ""}`,
    },
    { key: "node", label: "Node", width: 120, isSortable: true, cell: (i) => data.nodes[node.at(i)] ?? "" },
    ...data.knobs.map(
      ({ name }, k): Column => ({
        key: `knob.${name}`,
        label: name,
        width: 110,
        isSortable: true,
        cell: (i) => data.knobText(k, i) ?? "",
      }),
    ),
  ];
}
