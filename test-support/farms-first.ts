/**
 * The order of test files: packages in the reverse of the config's order, so that those whose tests start whole farms begin first
 * and the workers end together; within a package by name, so that a worker has most modules of the next file loaded.
 */
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const root = fileURLToPath(new URL("..", import.meta.url));

/** `packages`: each after those that it imports. */
export const farmsFirst = (packages: readonly string[]): typeof BaseSequencer =>
  class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const placeOf = ({ moduleId }: TestSpecification): number =>
        packages.indexOf(relative(root, moduleId).split("/", 1)[0] ?? "");
      return [...files].sort((a, b) => placeOf(b) - placeOf(a) || (a.moduleId < b.moduleId ? -1 : 1));
    }
  };
