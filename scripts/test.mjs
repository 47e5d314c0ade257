/** `npm test`: vitest over all packages; its last line has the counts. Arguments go to vitest. */
import { startVitest } from "vitest/node";
import { processorSeconds } from "../test-support/processor-seconds.mjs";
import { PlainReporter } from "./vitest-reporter.mjs";

const reporter = new PlainReporter();
const vitest = await startVitest("test", process.argv.slice(2), {
  run: true,
  watch: false,
  reporters: ["default", reporter],
});
await vitest.close();

const seconds = processorSeconds();
const { passed, failed, skipped } = reporter.counts;
if (seconds !== undefined) console.log(`\nProcessor time: ${seconds.toFixed(0)} s`);
console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`);
