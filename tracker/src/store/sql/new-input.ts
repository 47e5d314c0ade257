/** An input of a Measure stream as the tracker takes it, and its outcome. */
import type { DeviceFacts, MeasureOptions, ProgramBytes, ProgramDigest, Seconds, SessionId, WorkerId } from "@warpfarm/common";

export interface Sent {
  readonly bytes: ProgramBytes["bytes"];
  readonly target: string;
  /** Of the document. */
  readonly version: number;
}

export interface ProgramInput {
  readonly digest: ProgramDigest;
  /** With target and version when the bytes were sent; absent: the tracker must have the program. */
  readonly sent?: Sent;
  /** The program may exist, but its principal never sent it: for this input it does not exist. */
  readonly isAnothers?: true;
}

export type IncumbentOn = (device: Pick<DeviceFacts, "key" | "name">) => Seconds | undefined;

export interface NewInput {
  readonly session: SessionId;
  readonly stream: number;
  readonly sequence: number;
  readonly priority: number;
  readonly options: MeasureOptions;
  /** Its principal; absent: `local`, for whom nothing is counted. */
  readonly principal?: string;
  readonly program: ProgramInput;
  readonly reference?: ProgramInput;
  /** Names this measurement among all, in a session that reuses (reuses.ts). */
  readonly reuse?: string;
  /** Who it races against, on a kind of device. */
  readonly incumbentOn?: IncumbentOn;
  readonly others?: readonly ProgramInput[];
  readonly proposal?: string;
  /** Workers that get it only when no other can. */
  readonly avoid?: readonly WorkerId[];
}

/** All programs that it names, references first: whoever waits for one build waits for them. */
export const programsOf = ({ program, reference, others = [] }: NewInput): readonly ProgramInput[] =>
  reference ? [reference, program, ...others] : [program, ...others];

export type AcceptOutcome =
  /** `ready`: its artifacts exist. `reused`: another's result is given, or waited for. */
  | { readonly kind: "accepted"; readonly finished: boolean; readonly ready: boolean; readonly reused?: boolean }
  /** It was accepted before from this session. `finished`: its result exists and was not received. */
  | { readonly kind: "same"; readonly finished: boolean }
  | { readonly kind: "different" }
  | { readonly kind: "gap"; readonly expected: number }
  | { readonly kind: "taken_over" }
  | { readonly kind: "unknown_program"; readonly digest: ProgramDigest }
  | { readonly kind: "not_tried" };
