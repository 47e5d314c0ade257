/**
 * The order of test files: the longest first, so that the workers end together. Their durations are in durations.json, which
 * `WARPFARM_DURATIONS=write npm test` writes. The other files follow by name, package after package, so that a worker has most
 * modules of the next file loaded.
 */
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const root = fileURLToPath(new URL("..", import.meta.url));
const seconds: Readonly<Record<string, number>> = JSON.parse(readFileSync(new URL("durations.json", import.meta.url), "utf8"));

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const took = ({ moduleId }: TestSpecification): number => seconds[relative(root, moduleId)] ?? 0;
    return [...files].sort((a, b) => took(b) - took(a) || (a.moduleId < b.moduleId ? -1 : 1));
  }
}
