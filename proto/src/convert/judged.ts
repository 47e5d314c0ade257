/** How a job is to be judged, and how a result was, between wire and domain. */
import { auditSets, type JudgedJob, type JudgedOutcome, notJudged, racechecks, type Seconds } from "@warpfarm/common";
import type * as Wire from "../gen/wire.ts";
import type { Sent } from "../gen/wire.ts";
import * as field from "./fields.ts";

/** A secret, or a digest, of 32 bytes. */
function judgedSecret(name: string, value: string): string {
  return /^[\da-f]{64}$/.test(value) ? value : field.refuse(name, field.shown(value), "64 hexadecimal digits");
}

export function judgedToWire(judged: JudgedOutcome): Sent<Wire.Judged> {
  if ("not" in judged) return judged;
  const { audit, ...rest } = judged;
  return { ...rest, ...(audit === undefined ? {} : { audit: { ...audit, scored: [...audit.scored] } }) };
}

export function judgedFromWire(name: string, { not, sets, commitment, audit, racecheck }: Wire.Judged): JudgedOutcome {
  const oneOf = <T extends string>(where: string, value: string, known: readonly T[]): T =>
    known.find((one) => one === value) ?? field.refuse(`${name}.${where}`, field.shown(value), known.join(", "));
  if (not !== "") return { not: oneOf("not", not, notJudged) };
  const setsOf = (where: string, value: number) => field.integer(`${where}.sets`, value, 2, auditSets.most);
  return {
    sets: setsOf(name, sets),
    commitment: judgedSecret(`${name}.commitment`, commitment),
    ...(audit === null
      ? {}
      : {
          audit: {
            sets: setsOf(`${name}.audit`, audit.sets),
            secret: judgedSecret(`${name}.audit.secret`, audit.secret),
            scored: scoredFromWire(`${name}.audit.scored`, audit.scored),
            ...(audit.unlike === 0 ? {} : { unlike: field.integer(`${name}.audit.unlike`, audit.unlike, 1, 2 ** 31) }),
          },
        }),
    ...(racecheck === "" ? {} : { racecheck: oneOf("racecheck", racecheck, racechecks) }),
  };
}

const mostScored = 1_000;
function scoredFromWire(name: string, scored: readonly number[]): readonly Seconds[] {
  if (scored.length === 0) field.refuse(name, "empty", "a cost for each repeat");
  return field.list(name, scored, mostScored, (f, v) => field.finite(f, v, 0, 1e6));
}

export const judgedJobFromWire = (name: string, { secret, lease_secret, audit_below }: Wire.JudgedJob): JudgedJob => ({
  secret: judgedSecret(`${name}.secret`, secret),
  leaseSecret: judgedSecret(`${name}.lease_secret`, lease_secret),
  ...(audit_below === null ? {} : { auditBelowMs: field.durationMs(`${name}.audit_below`, audit_below) }),
});
