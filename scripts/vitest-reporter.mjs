/**
 * Prints, after vitest's own report, every skipped test with its reason, the files that used the most processor time, how many
 * texts nvcc has no record of and, once more, every failure: the end is what is kept of a long output. It counts for the last
 * line of npm test.
 */
import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Lines of a file of the run's directory. */
function linesOf(/** @type {string} */ name) {
  const path = join(process.env.WARPFARM_TEST_RUN ?? "", name);
  return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];
}

/** What test-support/processor-time.ts wrote: seconds of processor time by file, most first. */
const processorSeconds = () =>
  linesOf("processor.jsonl")
    .map((line) => JSON.parse(line))
    .sort(([, a], [, b]) => b - a);

/** A failure's name and the first lines of each of its errors. */
function failureOf(/** @type {string} */ name, /** @type {readonly { message?: string; stack?: string }[]} */ errors) {
  const own = (/** @type {string} */ line) => !line.includes("/node_modules/");
  const lines = errors.flatMap(({ message, stack }) => `${stack ?? message}`.split("\n").filter(own).slice(0, 12));
  return [`  failed: ${name}`, ...lines.map((line) => `    ${line}`)].join("\n");
}

export class PlainReporter {
  counts = { passed: 0, failed: 0, skipped: 0 };

  onTestRunEnd(modules, unhandledErrors) {
    const { counts } = this;
    const skips = [];
    const failures = unhandledErrors.map((error) => failureOf("an error outside of tests", [error]));
    for (const module of modules) {
      const file = relative(root, module.moduleId);
      if (module.state() === "failed" && [...module.children.allTests()].every((t) => t.result().state !== "failed"))
        failures.push(failureOf(file, module.errors()));
      for (const test of module.children.allTests()) {
        const result = test.result();
        if (result.state === "failed" || result.state === "pending")
          failures.push(failureOf(`${file} > ${test.fullName}`, result.errors ?? []));
        else counts[result.state]++;
        if (result.state === "skipped") skips.push(`  skipped: ${test.fullName} (${result.note ?? "NO REASON GIVEN"})`);
      }
    }
    counts.failed = failures.length;
    if (skips.length > 0) console.log(`\n${skips.join("\n")}`);
    const most = processorSeconds()
      .slice(0, 20)
      .map(([file, seconds]) => `${seconds.toFixed(1).padStart(8)} ${relative(root, file)}`);
    console.log(["\nMost processor time, in seconds:", ...most].join("\n"));
    const asked = new Set(linesOf("nvcc-asked")).size;
    if (asked > 0)
      console.log(`\nnvcc was asked about ${asked} texts without a record; test-support/nvcc.ts says how to renew them`);
    if (failures.length > 0) console.log(["\nFailures:", ...failures].join("\n"));
  }
}
