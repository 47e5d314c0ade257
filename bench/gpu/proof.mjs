/**
 * The proof on a GPU, within nine minutes: `npm run build && node bench/gpu/proof.mjs`. Sections, each in a process of its own:
 *
 *   tune       250 random trials of the tutorial's convolution on the embedded farm; with what a trial costs beyond its timed
 *              events
 *   published  the 20 configs of the tutorial's log, and AutoTVM's best on an H100: valid, checked, times by both timers
 *   spread     ten kernels from 2 us to 5 ms, 20 times each; the same by a C program with a CUDA graph, and by Nsight Compute;
 *              and how much each varies while graph, code and buffers stay where they are, and when they move
 *   faults     200 candidates of which 80 hang, write astray, ask for too much or compute wrongly
 *   takeover   from a hang's deadline to the next result, 20 times, also two hangs in a row
 *   compile    seconds a kernel in one compile child, how it scales, and nvcc as a subprocess
 *   tests      the tests that need a GPU (node_modules must hold vitest)
 *
 * Results in $OUT/proof.json (or ./out). Options: --only=tune,published  --resume [--from=DIR]  --budget=535s  --dry (no GPU:
 * tries the script)  --device=cpu (section tune on the processor).
 */
import { fileURLToPath } from "node:url";
import { compileSection } from "./proof-compile.mjs";
import { faultsSection, takeoverSection } from "./proof-faults.mjs";
import { publishedSection } from "./proof-published.mjs";
import { spreadSection } from "./proof-spread.mjs";
import { testsSection } from "./proof-tests.mjs";
import { tuneSection } from "./proof-tune.mjs";
import { words } from "./shared/proof-facts.mjs";
import { median, percent, runSections, spread, table } from "./shared/sections.mjs";

/** What remains in the reader's eye. */
function summary(results) {
  const { tests, takeover, tune, published, spread: spreads, faults, compile } = results;
  const rows = [];
  if (tune?.trials > 0) {
    rows.push(["tune", `${tune.trials} trials, ${tune.candidatesPerSecond.toFixed(2)}/s, best ${tune.gflops.toFixed(0)} GFLOPS`]);
    rows.push(["  busy share", percent(tune.busyShare)], ["  overhead a trial", `${tune.overheadMsPerTrial.toFixed(1)} ms`]);
    rows.push([
      "  errors",
      Object.entries(tune.errors)
        .map(([kind, { count }]) => `${kind}: ${count}`)
        .join("; ") || "none",
    ]);
  }
  if (published) {
    const best = published.at(-1);
    rows.push([
      "AutoTVM's best config",
      best.graph ? `${words(best.graph)} by graph, ${words(best.events)} by events` : "not run",
    ]);
    rows.push(["  verdicts as in the log", `${published.filter((p) => p.agreesWithLog).length} of ${published.length}`]);
  }
  if (spreads) {
    const worst = Math.max(...spreads.kernels.map((k) => k.spread));
    const ratios = spreads.kernels.flatMap((k) => (k.c ? [Math.abs(k.median / median(k.c) - 1)] : []));
    rows.push(["worst spread of 20", percent(worst)]);
    rows.push(["  of the C program's own loads", percent(Math.max(0, ...spreads.kernels.map((k) => (k.c ? spread(k.c) : 0))))]);
    rows.push(["furthest from the C program", ratios.length > 0 ? percent(Math.max(...ratios)) : "not measured"]);
  }
  if (tests) rows.push(["GPU tests", tests.last.find((line) => line.startsWith("Tests")) ?? `exit code ${tests.code}`]);
  if (takeover) {
    const each = takeover.found.map((f) => f.eachMs);
    rows.push(["take-over after a hang", `${median(each).toFixed(0)} ms, worst ${Math.max(...each).toFixed(0)}`]);
  }
  if (faults)
    rows.push([
      "faults",
      `${faults.candidates.length - faults.wrong} of ${faults.candidates.length} named right; after: ${faults.after}`,
    ]);
  for (const { what, toolchain, slots, kernels, wall } of compile?.levels ?? [])
    rows.push([`compile, ${toolchain}, ${slots} children, ${what}`, `${(kernels / wall).toFixed(2)} kernels/s`]);
  if (rows.length > 0) table(["proof", ""], rows);
}

await runSections(
  fileURLToPath(import.meta.url),
  "proof",
  {
    tune: { seconds: 255, run: tuneSection },
    tests: { seconds: 60, run: testsSection },
    takeover: { seconds: 40, run: takeoverSection },
    faults: { seconds: 110, run: faultsSection },
    compile: { seconds: 75, run: compileSection },
    published: { seconds: 75, run: publishedSection },
    spread: { seconds: 115, run: spreadSection },
  },
  { budget: 535, last: summary },
);
