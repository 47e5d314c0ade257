/** `npm test`: vitest over all packages; its last line has the counts. Arguments go to vitest. */
import { startVitest } from "vitest/node";
import { PlainReporter } from "./vitest-reporter.mjs";

const vitest = await startVitest("test", process.argv.slice(2), {
  run: true,
  watch: false,
  reporters: ["default", new PlainReporter()],
});
await vitest.close();
