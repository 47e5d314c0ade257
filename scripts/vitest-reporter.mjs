/** After vitest's own report: every skipped test with its reason, then the plain line `N passed, N failed, N skipped`. */
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
    if (skips.length > 0) console.log(`\n${skips.join("\n")}`);
    // After vitest's own summary, which prints in the same event.
    setImmediate(() => console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`));
  }
}
