/** What a build needs of a builder, as one text that dispatch compares: the target, and the version of the program's document. */
import type { BuilderFacts, RunnerFacts } from "@warpfarm/proto";

export const buildNeed = (target: string, programVersion: number): string => `${target} ${programVersion}`;
export const buildNeedSql = "target || ' ' || version";

/** A worker that names no versions is of a release that reads version 1 only. */
const oldest: readonly number[] = [1];
export const programVersionsOf = ({ programVersions = oldest }: BuilderFacts): readonly number[] => programVersions;
export const manifestVersionsOf = ({ manifestVersions = oldest }: RunnerFacts): readonly number[] => manifestVersions;

export const buildNeedsMet = (facts: BuilderFacts): readonly string[] =>
  facts.targets.flatMap((target) => programVersionsOf(facts).map((version) => buildNeed(target, version)));
