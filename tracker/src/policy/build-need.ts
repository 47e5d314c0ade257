/** What a build needs of a builder, as one text that dispatch compares: the target, and the version of the program's document. */
import type { BuilderFacts } from "@warpfarm/proto";

export const buildNeed = (target: string, programVersion: number): string => `${target} ${programVersion}`;
export const buildNeedSql = "target || ' ' || version";

export const buildNeedsMet = ({ targets, programVersions }: BuilderFacts): readonly string[] =>
  targets.flatMap((target) => programVersions.map((version) => buildNeed(target, version)));
