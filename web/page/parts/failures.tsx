import { useMemo } from "preact/hooks";
import type { RunData } from "../model/run-data.ts";
import { outcomeWords, percent } from "../model/units.ts";

/** Failures by kind and rule: a strip and the counts. */
export function Failures({ data, version }: { data: RunData; version: number }) {
  const kinds = useMemo(() => {
    const counts = new Map<string, number>();
    const { errorNo, rule } = data.columns;
    for (const i of data.trials) {
      if (!(errorNo.at(i) > 0)) continue;
      const name = `${outcomeWords(errorNo.at(i))}${rule.at(i) >= 0 ? ` · ${data.rules[rule.at(i)]}` : ""}`;
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    return [...counts].sort(([, a], [, b]) => b - a);
  }, [data, version]);
  if (kinds.length === 0) return <p class="soft">No trial failed.</p>;
  return (
    <section>
      <h2>Failures: {percent(data.failedCount / data.trialCount, 1)}</h2>
      <div class="strip" aria-hidden="true">
        {kinds.map(([name, count], i) => (
          <span key={name} class={`part p${i % 5}`} style={{ flexGrow: count }} title={`${name}: ${count}`} />
        ))}
      </div>
      <ul class="kinds">
        {kinds.map(([name, count], i) => (
          <li key={name}>
            <span class={`dot p${i % 5}`} aria-hidden="true" /> {count.toLocaleString("en")} {name}
          </li>
        ))}
      </ul>
    </section>
  );
}
