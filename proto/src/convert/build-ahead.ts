/** FarmService.BuildAhead between wire and domain. Meaning: farm_service.proto. */
import { type MeasureResult, type SessionId, toSessionId } from "@warpfarm/common";
import type { BuildAheadRequest__Output, BuildAheadRequest as WireRequest } from "../gen/warpfarm/farm/v1/BuildAheadRequest.ts";
import type {
  BuildAheadResponse__Output,
  BuildAheadResponse as WireResponse,
} from "../gen/warpfarm/farm/v1/BuildAheadResponse.ts";
import * as field from "./fields.ts";
import { measureResultFromWire, measureResultToWire, type ProgramRef, programRefFromWire, programRefToWire } from "./measure.ts";

/** Programs of one call. */
export const mostAhead = 64;

export interface BuildAhead {
  readonly sessionId: SessionId;
  /** All builds that are requested now, the most urgent first. */
  readonly programs: readonly ProgramRef[];
}

export type AheadState =
  | { readonly kind: "waiting" }
  /** `manifest`: as documents.ts reads it. */
  | { readonly kind: "built"; readonly manifest: Uint8Array }
  | { readonly kind: "failed"; readonly result: MeasureResult };

export const buildAheadToWire = ({ sessionId, programs }: BuildAhead): WireRequest => ({
  session_id: sessionId,
  programs: programs.map(programRefToWire),
});

export const buildAheadFromWire = ({ session_id, programs }: BuildAheadRequest__Output): BuildAhead => ({
  sessionId: toSessionId(field.id("session_id", session_id)),
  programs: field.list("programs", programs, mostAhead, programRefFromWire),
});

export const aheadStatesToWire = (states: readonly AheadState[]): WireResponse => ({
  builds: states.map((state) => {
    if (state.kind === "waiting") return { waiting: {} };
    return state.kind === "built" ? { manifest: Buffer.from(state.manifest) } : { failed: measureResultToWire(state.result) };
  }),
});

export const aheadStatesFromWire = ({ builds }: BuildAheadResponse__Output): readonly AheadState[] =>
  field.list("builds", builds, mostAhead, (name, { manifest, failed }): AheadState => {
    if (manifest) return { kind: "built", manifest };
    return failed ? { kind: "failed", result: measureResultFromWire(`${name}.failed`, failed) } : { kind: "waiting" };
  });
