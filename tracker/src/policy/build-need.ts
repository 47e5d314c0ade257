/**
 * What a build asks of a builder, as one text for dispatch to compare: the target, and the version of the program's document. It
 * is made of two columns wherever it is wanted and stored nowhere: a request's target is a target, whatever becomes of its build
 * meanwhile.
 */
import type { BuilderFacts, RunnerFacts } from "@warpfarm/proto";

export const buildNeed = (target: string, programVersion: number): string => `${target} ${programVersion}`;
/** Of a row of builds. */
export const buildNeedSql = "target || ' ' || version";

/** A worker that names no versions is of a release that read version 1 alone. */
const oldest: readonly number[] = [1];
export const programVersionsOf = ({ programVersions = oldest }: BuilderFacts): readonly number[] => programVersions;
export const manifestVersionsOf = ({ manifestVersions = oldest }: RunnerFacts): readonly number[] => manifestVersions;

export const buildNeedsMet = (facts: BuilderFacts): readonly string[] =>
  facts.targets.flatMap((target) => programVersionsOf(facts).map((version) => buildNeed(target, version)));
