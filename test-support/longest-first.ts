/**
 * The order of test files: those that take longest first, so that the workers end together. What they took is in durations.json,
 * which `WARPFARM_DURATIONS=write npm test` writes anew; the rest follows by name, package after package, so that a worker finds
 * most modules of the next file loaded.
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
