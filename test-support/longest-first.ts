/**
 * The order of test files: those that take longest first, so that two workers end together. The list is of paths measured at more than
 * about three seconds; the rest follows by name, package after package, so that a worker finds most modules of the next file loaded.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node";

const longest = [
  "deploy/test/faults/",
  "deploy/test/e2e",
  "deploy/test/pack",
  "tracker/test/process",
  "builder/src/main",
  "runner/src/main",
  "compiler/test/fuzz/",
  "client/src/task/validity",
  "builder/src/build-executor",
  "runner/src/worker/host",
  "compiler/test/cuda-text",
  "builder/src/toolchain/cuda",
  "common/src/process/",
  "tracker/",
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const found = longest.findIndex((part) => moduleId.includes(`/${part}`));
      return found < 0 ? longest.length : found;
    };
    return [...files].sort((a, b) => rank(a) - rank(b) || (a.moduleId < b.moduleId ? -1 : 1));
  }
}
