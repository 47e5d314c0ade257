/**
 * Prints, after vitest's own report, every skipped test with its reason, then the line `N passed, N failed, N skipped`.
 * WARPFARM_DURATIONS=write stores the files' durations for the order of later runs (test-support/longest-first.ts).
 */
import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const durations = new URL("../test-support/durations.json", import.meta.url);

/** Seconds of each file that took at least two, the longest first. */
function keepDurations(modules) {
  const seconds = modules.map((module) => [relative(root, module.moduleId), Math.round(module.diagnostic().duration / 1000)]);
  const long = seconds.filter(([, took]) => took >= 2).sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  writeFileSync(durations, `${JSON.stringify(Object.fromEntries(long), null, 2)}\n`);
}

export class PlainReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const counts = { passed: 0, failed: 0, skipped: 0 };
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
    // Printed after vitest's own summary, which the same event prints.
    setImmediate(() => console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`));
  }
}
