/** What search.mjs found, as tables: medians over seeds, nothing but rows and sequences of proposals in. */
import { median, percent, table } from "./shared/sections.mjs";

const marks = [20, 50, 100, 200, 300, 1000];
/** AutoTVM 0.17 on an H100, knob features, one run: GFLOPS after a number of trials, and seconds. */
const peer = { 20: 606.9, 50: 1805.3, 100: 3269.8, 200: 3566.2, 300: 3566.6 };

export function report({ finished, store, taskOf }) {
  for (const key of ["conv", "wmma", "gemm", "other"]) {
    const runs = finished.filter(({ task }) => task === key);
    if (runs.length === 0) continue;
    const rows = new Map(store.of(key).map((row) => [row.index, row]));
    const times = [...rows.values()].filter((row) => row.kind === "timed").map((row) => row.seconds);
    const best = Math.min(...times);
    const gflops = (seconds) => taskOf(key).flops / seconds / 1e9;
    const groups = groupBy(runs, ({ tuner, transfer, trials }) =>
      [tuner, transfer && `after ${transfer}`, `x ${trials}`].filter(Boolean).join(" "),
    );
    const lines = [...groups].map(([name, list]) => line(name, list, rows, best, gflops));
    console.log("");
    table(
      [`${key}: GFLOPS after`, "seeds", ...marks.map(String), "failed", "refused", "s to 95 %", "s in all", "planning ms"],
      key === "conv"
        ? [
            ...lines,
            ["AutoTVM XGBTuner, knob", 1, ...marks.map((m) => peer[m]?.toFixed(0) ?? "-"), "29 %", "-", "252", "398", "-"],
          ]
        : lines,
    );
    console.log(
      `${rows.size} configs measured, ${times.length} ran; best ${(best * 1e6).toFixed(2)} us, ${gflops(best).toFixed(0)} GFLOPS`,
    );
    const long = store.of(key, true).sort((a, b) => a.seconds - b.seconds);
    if (long.length > 0)
      table(
        ["measured long", "us", "GFLOPS", "us in the search", "registers", "config"],
        long.map((row) => [
          `#${row.index}`,
          row.kind === "timed" ? (row.seconds * 1e6).toFixed(2) : row.kind,
          row.kind === "timed" ? gflops(row.seconds).toFixed(0) : "-",
          (rows.get(row.index).seconds * 1e6).toFixed(2),
          row.registers ?? "-",
          JSON.stringify(Object.fromEntries(taskOf(key).space.get(row.index).values)),
        ]),
      );
    const errors = groupBy(
      [...rows.values()].filter((row) => row.kind === "failed"),
      (row) => `${row.errorNo} ${row.rule ?? ""}`,
    );
    for (const [kind, list] of errors)
      console.log(`error ${kind}: ${list.length}, for instance #${list[0].index} ${list[0].message}`);
  }
}

function line(name, list, rows, best, gflops) {
  const curves = list.map(({ sequence }) => bestSoFar(sequence, rows));
  const cell = (mark) => {
    const values = curves.filter((curve) => curve.length >= mark).map((curve) => gflops(curve[mark - 1]));
    return values.length === 0 ? "-" : median(values).toFixed(0);
  };
  const wasted = list.map(
    ({ sequence }) => sequence.filter((index) => rows.get(index)?.kind !== "timed").length / sequence.length,
  );
  const clocks = list.map((run) => clockOf(run, rows));
  const within = clocks.map((clock, i) => {
    const at = curves[i].findIndex((seconds) => best / seconds >= 0.95);
    return at < 0 ? Number.POSITIVE_INFINITY : clock[at];
  });
  const seconds = (value) => (Number.isFinite(value) ? value.toFixed(0) : "not reached");
  const plans = list.flatMap(({ planMs }) => planMs);
  return [
    name,
    list.length,
    ...marks.map(cell),
    percent(median(wasted)),
    median(list.map(({ refused }) => refused)),
    seconds(median(within)),
    seconds(median(clocks.map((clock) => clock.at(-1)))),
    (plans.reduce((a, b) => a + b, 0) / plans.length).toFixed(1),
  ];
}

function groupBy(items, keyOf) {
  const groups = new Map();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

function bestSoFar(sequence, rows) {
  let best = Number.POSITIVE_INFINITY;
  return sequence.map((index) => {
    const row = rows.get(index);
    if (row?.kind === "timed") best = Math.min(best, row.seconds);
    return best;
  });
}

/**
 * When each trial's result would be in if the run had the machine to itself, from each config's build and run time and the
 * planning before it: as many builds at a time as there are cores, one run at a time, results told in the order asked. Build
 * times were taken with all cores building, so this errs on the long side.
 */
function clockOf({ sequence, planMs, inFlight, cores }, rows) {
  const builders = new Array(cores).fill(0);
  const landed = [];
  let device = 0;
  let now = 0;
  sequence.forEach((index, i) => {
    const { buildMs = 0, runMs = 0 } = rows.get(index) ?? {};
    now = Math.max(now, landed[i - inFlight] ?? 0) + planMs[i] / 1000;
    const free = builders.indexOf(Math.min(...builders));
    builders[free] = Math.max(builders[free], now) + buildMs / 1000;
    if (runMs > 0) device = Math.max(device, builders[free]) + runMs / 1000;
    landed.push(Math.max(landed.at(-1) ?? 0, runMs > 0 ? device : builders[free]));
  });
  return landed;
}
