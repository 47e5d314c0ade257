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
  "deploy/test/own-kernels",
  "deploy/test/survival/",
  "deploy/test/pack",
  "deploy/test/e2e",
  "web/test/browser",
  "deploy/test/paired",
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
  "tracker/test/workers",
  "tracker/test/admin",
  "web/test/farm-views",
  "client/test/codegen/",
  "deploy/test/suite",
  "deploy/test/docs",
  "compiler/src/intrinsic/cuda/wgmma",
  "proto/src/rpc/channel",
  "builder/src/build-executor",
  "common/src/process/child-host",
  "deploy/test/deployment/",
  "runner/src/main",
  "client/src/export/export",
  "client/src/task/templates/auto-tensorcore",
  "client/src/task/templates/matmul-",
  "web/test/",
  "deploy/test/",
  "compiler/test/cuda-text",
  "compiler/test/new-primitive",
  "compiler/test/channels",
  "compiler/test/dtypes",
  "proto/src/rpc/",
  "runner/src/device/cuda/helper",
  "runner/src/worker/",
  "client/src/tuner/",
  "client/src/session",
  "client/src/cli/records-commands",
  "common/src/process/",
  "client/src/task/validity",
  "records/",
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
