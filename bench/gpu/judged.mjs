/**
 * Cheats and honest kernels on a GPU, in judged measurements and under the rules of other harnesses.
 *
 *   npm run build && node bench/gpu/judged.mjs [--only=cheats,honest,others,rates] [--minutes=7] [--from=DIR] [--again]
 *                                                     [--rest] [--plain] [--dry]
 *
 * Every outcome is a line of $OUT/judged-PART.jsonl; a kernel that has one, there or in --from, is not run again. So a run that
 * stops after --minutes is gone on with by the same command.
 *   cheats  the suite of test-support/cheats with its racy twins: who is stopped, and by what; about 5 minutes
 *   honest  200 right kernels: configs of the built-in templates, drawn by seed, and the suite's own: who is refused; 6 minutes
 *   others  the suite under the rules of other harnesses: 99 % of the elements of one run within 1e-2, no poison, the median of
 *           events; about 2 minutes
 *   rates   trials a second with and without the defences, audits apart: at least .95; about 1 minute
 * --rest leaves out the honest kernels that bench/results/gpu-judged.json has, and keeps its rows and other parts. --again runs
 * again only what $OUT or --from has as stopped. --plain measures without `judged`, to see what the defences are
 * for. --dry builds everything, and runs nothing.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cheats, racy } from "../../test-support/cheats/suite.mjs";
import { saveResults } from "../results.mjs";
import { honestKernels, suiteKernels, timedTrials } from "./judged/kernels.mjs";
import { Ledger } from "./judged/ledger.mjs";
import { isAsExpected, measuredBy, stopOf } from "./judged/verdicts.mjs";
import { cores, dry, openBuilds, openHost, targetHere } from "./shared/device-host.mjs";
import { flag, outFolder, table } from "./shared/sections.mjs";

const target = targetHere();
const until = performance.now() + 60_000 * Number(flag("minutes") ?? 7);
const only = flag("only")?.split(",") ?? ["cheats", "honest", "others", "rates"];
const isJudged = !process.argv.includes("--plain");
const again = process.argv.includes("--again");
const published = new URL("../results/gpu-judged.json", import.meta.url);
/** What is kept of the results that are there. */
const kept = process.argv.includes("--rest") ? JSON.parse(readFileSync(published, "utf8")).figures : {};
const mode = isJudged ? "" : "-plain";
const us = (seconds) => (seconds === undefined ? "" : (seconds * 1e6).toFixed(1));

/** Builds all that is left, and gives each to `use` in order until the time is over. Returns how many were left out. */
async function forEach(kernels, ledger, builds, use) {
  const left = kernels.filter(({ name }) =>
    again ? ledger.get(name)?.stop !== "passes" && ledger.has(name) : !ledger.has(name),
  );
  const references = new Map();
  const built = left.map(async ({ program, reference, ...rest }) => {
    let against = references.get(reference.digest);
    if (against === undefined) {
      against = builds.build(reference);
      against.catch(() => undefined);
      references.set(reference.digest, against);
    }
    return { ...rest, of: await builds.build(program), against: await against };
  });
  // When the time is over, builds that are left end with the builder, and nobody waits for them.
  for (const promise of built) promise.catch(() => undefined);
  for (const [i, promise] of built.entries()) {
    const kernel = await promise;
    if (performance.now() > until) return left.length - i;
    if (kernel.against.refused) throw new Error(`the reference of ${kernel.name}: ${kernel.against.refused.message}`);
    if (dry) ledger.add({ name: kernel.name, stop: kernel.of.refused ? "build" : "passes", message: kernel.of.refused?.message });
    else await use(kernel);
  }
  return 0;
}

async function measuredPart(part, kernels, options) {
  const ledger = new Ledger(`judged-${part}${mode}`);
  const builds = await openBuilds(cores);
  const host = await openHost();
  try {
    const left = await forEach(kernels, ledger, builds, async ({ name, kind, stoppedBy, of, against }) => {
      const result = of.refused ? undefined : await measuredBy(host, of.artifact, against.artifact, { isJudged, ...options });
      const stop = stopOf(of, result, isJudged);
      ledger.add({
        name,
        kind,
        stop,
        stoppedBy,
        seconds: result?.costs?.[0],
        scored: result?.judged?.audit?.scored?.[0],
        message: result?.message,
        // Scored and audited, as its message tells them.
        ...(result?.rule === "CHEAT_SUSPECTED" ? { suspected: result.message.match(/[\d.e+-]+ us/g) } : {}),
      });
    });
    if (left > 0) console.log(`${part}: ${left} of ${kernels.length} are left; the same command goes on`);
    return { ledger, left };
  } finally {
    await host.close();
    await builds.close();
  }
}

async function cheatsPart() {
  const kernels = suiteKernels(target);
  const { ledger, left } = await measuredPart("cheats", kernels, { runTimeoutMs: 3_000, minRepeatMs: 10 });
  // The kernel that it was made of: of a racy one that with all its barriers. Others of the task compute it in other ways.
  const honestOf = ({ name, task }) =>
    ledger.get(/ DROP=\d+$/.test(name) ? name.replace(/ DROP=\d+$/, " with all barriers") : `honest on ${task}`)?.seconds;
  const rows = kernels
    .filter(({ kind }) => kind !== "honest")
    .flatMap(({ name, task, kind, stoppedBy }) => {
      const found = ledger.get(name);
      if (found === undefined) return [];
      const honest = honestOf({ name, task });
      const gains = found.stop === "passes" && !(found.seconds >= 0.95 * honest);
      return [
        {
          name,
          kind,
          expected: stoppedBy.join(", "),
          stop: found.stop === "passes" ? (gains ? "PASSES" : "no gain") : found.stop,
          us: us(found.seconds),
          ...(found.suspected ? { suspected: found.suspected } : {}),
          honest_us: us(honest),
        },
      ];
    });
  const passing = rows.filter(({ stop }) => stop === "PASSES");
  const unlike = rows.filter(({ stop, expected }) => stop !== "PASSES" && !isAsExpected(stop, expected));
  console.log(
    `cheats: ${rows.length} of ${cheats.length + racy.length} measured, ${passing.length} pass with a gain, ${unlike.length} are stopped by another defence than named`,
  );
  table(
    ["cheat", "named", "found", "us", "honest us"],
    [...passing, ...unlike].map(({ name, expected, stop, us: time, honest_us: honest }) => [name, expected, stop, time, honest]),
  );
  return { rows, left };
}

async function honestPart() {
  const known = new Set((kept.honest ?? []).map(({ name }) => name));
  const kernels = honestKernels(target, Number(flag("seed") ?? 43)).filter(({ name }) => !known.has(name));
  const { ledger, left } = await measuredPart("honest", kernels, { runTimeoutMs: 20_000, minRepeatMs: 10 });
  const rows = kernels.flatMap(({ name, task }) => {
    const found = ledger.get(name);
    return found === undefined
      ? []
      : [{ name, task, stop: found.stop, us: us(found.seconds), scored_us: us(found.scored), message: found.message }];
  });
  // What the compiler or the device cannot launch is no verdict on honesty.
  const launched = rows.filter(({ stop }) => stop !== "build" && stop !== "device");
  const refused = launched.filter(({ stop }) => stop !== "passes");
  console.log(`honest: ${rows.length} of ${kernels.length}: ${launched.length} launched, ${refused.length} refused`);
  table(
    ["kernel", "stopped by", "why"],
    refused.map(({ name, stop, message = "" }) => [name, stop, message.slice(0, 120)]),
  );
  return { rows: [...(kept.honest ?? []), ...rows], left };
}

/** In processes of their own, because a kernel that faults takes its process with it. */
async function othersPart() {
  const ledger = new Ledger("judged-others");
  const builds = await openBuilds(cores);
  const list = [];
  try {
    await forEach(suiteKernels(target), ledger, builds, async ({ name, kind, of, against }) => {
      if (of.refused) ledger.add({ name, kind, passes: false, why: "build" });
      else list.push({ name, kind, artifact: of.artifact, reference: against.artifact });
    });
  } finally {
    await builds.close();
  }
  const jobs = join(outFolder, "judged-others-jobs.json");
  while (!dry && performance.now() < until) {
    const left = list.filter(({ name }) => !ledger.has(name));
    if (left.length === 0) break;
    writeFileSync(jobs, JSON.stringify(left));
    const script = fileURLToPath(new URL("judged/other-rules.mjs", import.meta.url));
    spawnSync(process.execPath, [script, jobs], {
      stdio: ["ignore", "ignore", "inherit"],
      timeout: Math.max(1, Math.ceil(until - performance.now())),
      killSignal: "SIGKILL",
    });
    const before = ledger.size;
    ledger.read();
    const died = list.find(({ name }) => !ledger.has(name));
    if (died !== undefined && ledger.size === before)
      ledger.add({ name: died.name, kind: died.kind, passes: false, why: "fault" });
  }
  const rows = ledger.rows();
  const passing = rows.filter(({ kind, passes }) => kind !== "honest" && passes);
  console.log(
    `others: ${rows.length} kernels; ${passing.length} of ${rows.filter(({ kind }) => kind !== "honest").length} cheats pass`,
  );
  return { rows, left: dry ? 0 : list.filter(({ name }) => !ledger.has(name)).length };
}

async function ratesPart() {
  const builds = await openBuilds(cores);
  const host = await openHost();
  try {
    const made = await Promise.all(
      timedTrials(target).map(async ({ program, reference }) => [await builds.build(program), await builds.build(reference)]),
    );
    const jobs = made.filter(([of]) => !of.refused).map(([of, against]) => [of.artifact, against.artifact]);
    const seconds = { plain: 0, judged: 0 };
    // Once without a clock: inputs and references are made.
    for (const name of ["plain", "judged"])
      await measuredBy(host, jobs[0][0], jobs[0][1], { isJudged: name === "judged", audits: false });
    for (const [artifact, reference] of jobs)
      for (const name of ["plain", "judged"]) {
        const begun = performance.now();
        await measuredBy(host, artifact, reference, { isJudged: name === "judged", audits: false, minRepeatMs: 20 });
        seconds[name] += (performance.now() - begun) / 1000;
      }
    const [plain, judged] = [jobs.length / seconds.plain, jobs.length / seconds.judged];
    console.log(`rates: ${plain.toFixed(2)} trials a second, judged ${judged.toFixed(2)}: ${(judged / plain).toFixed(3)}`);
    return {
      rows: [{ trials: jobs.length, plain_per_second: plain, judged_per_second: judged, ratio: judged / plain }],
      left: 0,
    };
  } finally {
    await host.close();
    await builds.close();
  }
}

const parts = { cheats: cheatsPart, honest: honestPart, others: othersPart, rates: ratesPart };
const file = join(outFolder, `judged${mode}.json`);
const figures = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : { ...kept };
for (const name of only) {
  if (!(name in parts)) throw new Error(`there is no part ${name}; there are ${Object.keys(parts).join(", ")}`);
  if (performance.now() > until) break;
  const { rows } = await parts[name]();
  figures[name] = rows;
}
writeFileSync(file, `${JSON.stringify(figures, undefined, 1)}\n`);
if (!dry)
  saveResults(`gpu-judged${mode}`, `node bench/gpu/judged.mjs ${process.argv.slice(2).join(" ")}`.trim(), figures, { gpu: true });
process.exit(0);
