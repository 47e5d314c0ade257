/**
 * The proof of the source programs on a GPU, within nine minutes: `npm run build && node bench/gpu/programs.mjs`. Sections, each
 * in a process of its own:
 *
 *   correct     every program, type and layout at full shape, as published, against PyTorch
 *   published   times of the published schedules by TVM's timer and by graph; registers, spills, compile seconds; cuDNN and
 *               cuBLAS
 *   tune.NAME   best of 300 trials on the embedded farm, the three best measured again
 *   random      200 random valid configs of each template against our reference
 *   sanitizer   compute-sanitizer memcheck and racecheck on one kernel of each
 *   ncu         a profile of what misses its target
 *
 * Results in $OUT/programs.json (or ./out), the trials' logs in programs-tune.jsonl, all metrics of the profiles in
 * programs-ncu.txt. Options:
 * --only=correct,random  --resume [--from=DIR]  --budget=535s  --tune-time=60s  --python=FILE  --dry (no GPU: tries the script,
 * with a torch for the processor)  --device=cpu (with --dry: sections tune on the processor).
 */
import { fileURLToPath } from "node:url";
import { correctSection, randomSection, sanitizerSection } from "./programs-checks.mjs";
import { absent, programOf, programs, unknown } from "./programs-tasks.mjs";
import { missesOf, ncuSection, publishedSection, tuneSeconds, tuneSection, us } from "./programs-times.mjs";
import { flag, median, runSections, table } from "./shared/sections.mjs";

if (flag("section") === undefined) {
  if (absent.length > 0) console.log(`not registered, left out: ${absent.join(", ")}`);
  if (unknown.length > 0) console.log(`not known to this script: ${unknown.join(", ")}`);
}

/** What remains in the reader's eye. */
function summary(results) {
  const { correct, published, random, sanitizer } = results;
  const rows = [];
  if (correct) {
    const right = correct.filter((c) => c.right);
    const floats = right.filter((c) => c.relative > 0);
    const worst = Math.max(0, ...floats.map((c) => c.relative));
    const wrong = correct.filter((c) => !c.right).map((c) => c.name);
    rows.push([
      "right against PyTorch",
      `${right.length} of ${correct.length}, worst relative error ${worst.toExponential(1)}${wrong.length > 0 ? `; WRONG: ${wrong.slice(0, 3).join(", ")}${wrong.length > 3 ? " and others" : ""}` : ""}`,
    ]);
  }
  for (const { name, events, graph } of published?.programs ?? []) {
    const { tvmMs } = programOf(name);
    const shown = (r) => (r?.kind === "timed" ? us(median(r.costs)) : "-");
    rows.push([
      `published ${name}`,
      `${shown(events)} by events, ${shown(graph)} by graph${tvmMs === undefined ? "" : `; TVM ${tvmMs} ms`}`,
    ]);
  }
  for (const program of programs) {
    const tuned = results[`tune.${program.short}`];
    if (tuned)
      rows.push([
        `best of ${tuned.trials} ${program.name}`,
        tuned.best
          ? `${us(tuned.best.seconds)}, ${(tuned.flops / tuned.best.seconds / 1e12).toFixed(2)} TFLOPS, index ${tuned.best.index}; target ${us(program.goal)}`
          : "none",
      ]);
  }
  for (const { name, checked, wrong } of random ?? []) rows.push([`random ${name}`, `${checked} checked, ${wrong} wrong`]);
  if (sanitizer) rows.push(["compute-sanitizer", `${sanitizer.filter((s) => s.clean).length} of ${sanitizer.length} clean`]);
  for (const { program, what, seconds, wanted } of missesOf(results))
    rows.push([`MISS: ${what} ${program}`, `${us(seconds)}, wanted ${us(wanted)}`]);
  if (rows.length > 0) table(["programs", ""], rows);
}

const tunes = programs
  .filter(({ tuned }) => tuned)
  .map((program) => [`tune.${program.short}`, { seconds: tuneSeconds + 25, run: () => tuneSection(program) }]);

await runSections(
  fileURLToPath(import.meta.url),
  "programs",
  {
    correct: { seconds: 85, run: correctSection },
    published: { seconds: 75, run: publishedSection },
    ...Object.fromEntries(tunes),
    random: { seconds: 98, run: randomSection },
    sanitizer: { seconds: 50, run: sanitizerSection },
    ncu: { seconds: 58, run: ncuSection },
  },
  { budget: 535, last: summary },
);
