/**
 * The order of test files: those that take longest first, so that the workers end together. The list is of paths measured at more than
 * about three seconds; the rest follows by name, package after package, so that a worker finds most modules of the next file loaded.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node";

const longest = [
  "deploy/test/survival/network",
  "deploy/test/survival/kills",
  "deploy/test/survival/store",
  "deploy/test/survival/",
  "deploy/test/faults/",
  "deploy/test/programs",
  "deploy/test/pack",
  "deploy/test/e2e",
  "deploy/test/certificates",
  "tracker/test/process",
  "compiler/test/fuzz/fuzz",
  "client/test/codegen/",
  "deploy/test/template-file",
  "tracker/test/peers",
  "builder/src/main",
  "runner/src/main",
  "client/src/session",
  "client/src/task/templates/auto-tensorcore",
  "compiler/test/cuda-text",
  "client/src/tuner/",
  "tracker/test/on-postgres",
  "builder/src/build-executor",
  "runner/src/worker/host",
  "compiler/test/dtypes",
  "builder/src/toolchain/cuda",
  "common/src/process/",
  "proto/src/rpc/",
  "client/src/task/validity",
  "tracker/",
  "client/src/task/",
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
