/**
 * Prints, after vitest's own report, every skipped test with its reason and the files that used the most processor time, and
 * counts for the last line. WARPFARM_DURATIONS=write stores the files' durations for the order of later runs
 * (test-support/longest-first.ts).
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const durations = new URL("../test-support/durations.json", import.meta.url);

/** Seconds of each file that took at least two, the longest first. */
function keepDurations(modules) {
  const seconds = modules.map((module) => [relative(root, module.moduleId), Math.round(module.diagnostic().duration / 1000)]);
  const long = seconds.filter(([, took]) => took >= 2).sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  writeFileSync(durations, `${JSON.stringify(Object.fromEntries(long), null, 2)}\n`);
}

/** What test-support/processor-time.ts wrote: seconds of processor time by file, most first. */
function processorSeconds() {
  const path = join(process.env.WARPFARM_TEST_RUN ?? "", "processor.jsonl");
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line)).sort(([, a], [, b]) => b - a);
}

export class PlainReporter {
  counts = { passed: 0, failed: 0, skipped: 0 };

  onTestRunEnd(modules, unhandledErrors) {
    const { counts } = this;
    const skips = [];
    for (const module of modules) {
      if (module.state() === "failed" && [...module.children.allTests()].every((t) => t.result().state !== "failed"))
        counts.failed++;
      for (const test of module.children.allTests()) {
        const result = test.result();
        counts[result.state === "pending" ? "failed" : result.state]++;
        if (result.state === "skipped") skips.push(`  skipped: ${test.fullName} (${result.note ?? "NO REASON GIVEN"})`);
      }
    }
    counts.failed += unhandledErrors.length;
    if (process.env.WARPFARM_DURATIONS === "write") keepDurations(modules);
    if (skips.length > 0) console.log(`\n${skips.join("\n")}`);
    const most = processorSeconds()
      .slice(0, 20)
      .map(([file, seconds]) => `${seconds.toFixed(1).padStart(8)} ${relative(root, file)}`);
    console.log(["\nMost processor time, in seconds:", ...most].join("\n"));
  }
}
