/**
 * The processor time of each test file: what its worker used, and processes that ended under it. `npm test` prints the most
 * expensive files (scripts/vitest-reporter.mjs). What runs beside a file changes it little, unlike the file's duration.
 */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect } from "vitest";
import { processorSeconds } from "./processor-seconds.mjs";

// vitest runs this before it loads a file, and this hook after all others of the file.
const { WARPFARM_TEST_RUN: directory } = process.env;
const before = processorSeconds();
if (directory !== undefined && before !== undefined)
  afterAll(() => {
    const line = JSON.stringify([expect.getState().testPath, (processorSeconds() ?? before) - before]);
    appendFileSync(join(directory, "processor.jsonl"), `${line}\n`);
  });
