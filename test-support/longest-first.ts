/**
 * The order of test files: those that take longest first, so that the workers end together. The list is of paths measured at more
 * than about three seconds; the rest follows by name, package after package, so that a worker finds most modules of the next file
 * loaded.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node";

const longest = [
  "tracker/test/workers-on-postgres",
  "deploy/test/survival/candidates",
  "deploy/test/template-file",
  "tracker/test/sessions-on-postgres",
  "deploy/test/survival/",
  "deploy/test/pack",
  "deploy/test/e2e",
  "deploy/test/programs",
  "deploy/test/faults/",
  "tracker/test/peers",
  "tracker/test/postgres-away",
  "compiler/test/fuzz/fuzz",
  "builder/src/main",
  "builder/src/toolchain/cuda/reading",
  "tracker/test/process",
  "deploy/test/certificates",
  "runner/src/worker/host",
  "client/test/codegen/",
  "builder/src/build-executor",
  "common/src/process/child-host",
  "deploy/test/deployment/",
  "runner/src/main",
  "client/src/task/templates/auto-tensorcore",
  "compiler/test/cuda-text",
  "compiler/test/new-primitive",
  "deploy/test/",
  "proto/src/rpc/",
  "runner/src/device/cuda/helper",
  "compiler/test/dtypes",
  "client/src/tuner/",
  "client/src/session",
  "common/src/process/",
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
