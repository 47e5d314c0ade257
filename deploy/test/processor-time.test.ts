/** The processor time that `npm test` tells is of the process and of its children, which say the same of themselves. */
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { processorSeconds } from "../../test-support/processor-seconds.mjs";

const burn = `const { cpuUsage } = process;
  while (cpuUsage().user < 3e5);
  const { user, system } = cpuUsage();
  console.log((user + system) / 1e6);`;

test("processor time counts what this process used, and what an ended child did", (ctx) => {
  const [before, own] = [processorSeconds(), process.cpuUsage()];
  if (before === undefined) return ctx.skip("no /proc/self/stat here");
  const ofChild = Number(execFileSync(process.execPath, ["-e", burn], { encoding: "utf8" }));
  while (process.cpuUsage(own).user < 2e5);
  const { user, system } = process.cpuUsage(own);
  const here = (user + system) / 1e6;
  // The child ends after it said its time, and both are counted in hundredths, rounded down.
  const told = (processorSeconds() ?? 0) - before;
  expect(told).toBeGreaterThan(ofChild + here - 0.05);
  expect(told).toBeLessThan(2 * (ofChild + here));
});
