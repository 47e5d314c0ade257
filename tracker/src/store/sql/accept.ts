/**
 * Inputs of the Measure streams, many at a time. Usual ones, new sequences without a gap whose programs are sent or stored, take
 * one statement (accept-usual.ts) and no transaction. The careful path (accept-careful.ts) handles a session of which that
 * statement accepted nothing, and sessions that reuse results, measure programs interleaved or name another's programs. What
 * either path answers is durable.
 */
import type { MeasureOptions, ProgramBytes, ProgramDigest, SessionId, WorkerId } from "@warpfarm/common";
import type { Database } from "../database.ts";
import { acceptCarefully } from "./accept-careful.ts";
import { acceptUsual } from "./accept-usual.ts";

export interface Sent {
  readonly bytes: ProgramBytes["bytes"];
  readonly target: string;
  /** Of the document; absent = 1. */
  readonly version?: number;
}

export interface ProgramInput {
  readonly digest: ProgramDigest;
  /** With target and version when the bytes were sent; absent = the tracker must have the program. */
  readonly sent?: Sent;
  /** The program may be here, but its principal never sent it: for this input it does not exist. */
  readonly isAnothers?: true;
}

export interface NewInput {
  readonly session: SessionId;
  readonly stream: number;
  readonly sequence: number;
  readonly priority: number;
  readonly options: MeasureOptions;
  /** Its principal; absent = `local`, for whom nothing is counted. */
  readonly principal?: string;
  readonly program: ProgramInput;
  readonly reference?: ProgramInput;
  /** In a session that reuses: names this measurement among all (reuses.ts). */
  readonly reuse?: string;
  /** In a paired session: measured interleaved with the program. */
  readonly others?: readonly ProgramInput[];
  /** JSON that its client told about the config, for its record. */
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

const isUsual = (input: NewInput): boolean =>
  input.reuse === undefined && input.others === undefined && !input.program.isAnothers && !input.reference?.isAnothers;

export async function acceptInputs(db: Database, inputs: readonly NewInput[], now: number): Promise<readonly AcceptOutcome[]> {
  const usual = await acceptUsual(db, inputs.filter(isUsual));
  const rest = inputs.filter((input) => !usual.has(input));
  const careful = rest.length > 0 ? await acceptCarefully(db, rest, now) : [];
  const outcomes = new Map<NewInput, AcceptOutcome>([
    ...usual,
    ...rest.map((input, i) => [input, careful[i] as AcceptOutcome] as const),
  ]);
  return inputs.map((input) => outcomes.get(input) as AcceptOutcome);
}
