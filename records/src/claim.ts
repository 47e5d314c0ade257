/**
 * A claim: what a client says of a program that it sent to be measured. A builder can check it: the built-in template, the
 * arguments, the config by its knobs' values and the target give a program and a reference, whose digests are compared with the
 * measured ones. Nobody replays a template from a user's file.
 */
import { canonicalJson, computationOfJson, type Json, shortNameOf } from "@warpfarm/common";
import { z } from "./schema.ts";
import { type StandingNo, standings } from "./standing.ts";
import type { Entity, TuningRecord } from "./tuning-record.ts";

const json = z.unknown();
const text = z.string();

/** A config as the log has it: name, kind and value of each knob. */
export const entitySchema = z.array(z.tuple([text, text, json]));

export interface Claim {
  readonly task: string;
  readonly template: string;
  readonly args: readonly Json[];
  /** Null where it is not known, as for a program that was measured interleaved with others. */
  readonly config: Entity | null;
  /** Build target, `cuda/sm_90a`. */
  readonly target: string;
  /** Digests of the measured program, and of what its output was compared with; null when it was compared with nothing. */
  readonly program: string;
  readonly reference: string | null;
}

type OfRecord = Pick<
  TuningRecord,
  "origin" | "task" | "template" | "templateVersion" | "args" | "config" | "target" | "program" | "reference"
>;

/** Undefined for a record that no builder can replay: one of a user's file, whose version is a digest. */
export function claimOf(record: OfRecord): Claim | undefined {
  const { origin, task, template, templateVersion, args, config, target, program, reference = null } = record;
  const isOfFile = templateVersion !== undefined && !/^\d+$/.test(templateVersion);
  if (origin.kind !== "measured" || template === undefined || isOfFile || program === undefined) return undefined;
  return { task, template, args, config: config?.entity ?? null, target, program, reference };
}

export const claimName = (claim: Claim): string => shortNameOf(canonicalJson(claim));

/**
 * The computation of the reference, or of the program without one. `document`: undefined when it is gone; then its digest stands
 * for it.
 */
export const computationOf = (document: Json | undefined, digest: string, args: readonly Json[]): string =>
  computationOfJson(document ?? digest, args);

/** The standing with which a record begins. A private one never gets another. */
export function firstStanding(record: Parameters<typeof claimOf>[0] & Pick<TuningRecord, "private">): StandingNo {
  if (record.private) return standings.own;
  const claim = claimOf(record);
  // A program that was measured interleaved has no config; it is verified with one that has.
  return claim === undefined || claim.config === null ? standings.own : standings.offered;
}
