/**
 * What a build asks of a builder, as one text that the store compares: the target, and after a blank the version of the program's document
 * when it is above 1. Builds stored before there were versions, and builders that registered none, so mean version 1. Runs are of targets
 * alone: a builder reads programs, a runner does not.
 */
import type { BuilderFacts } from "@warpfarm/proto";

export const buildNeed = (target: string, programVersion: number): string =>
  programVersion === 1 ? target : `${target} ${programVersion}`;

export const targetOfNeed = (need: string): string => need.split(" ", 1)[0] ?? need;

export const buildNeedsMet = ({ targets, programVersions = [1] }: BuilderFacts): readonly string[] =>
  targets.flatMap((target) => programVersions.map((version) => buildNeed(target, version)));
