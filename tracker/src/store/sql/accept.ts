/**
 * Inputs of the Measure streams, many at a time. What usually comes, new sequences without a gap whose programs are sent or here,
 * is one statement (accept-usual.ts) and so needs no transaction around it; a session of which that statement accepted nothing,
 * that reuses what others measure, that measures programs in turns, or that names what is another's, is looked at carefully
 * (accept-careful.ts). What either answers is durable.
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
  /** With its target and version when the bytes were sent; absent = the tracker must have it. */
  readonly sent?: Sent;
  /** It may be here, and its principal never sent it: to this input it is not. */
  readonly isAnothers?: true;
}

export interface NewInput {
  readonly session: SessionId;
  readonly stream: number;
  readonly sequence: number;
  readonly priority: number;
  readonly options: MeasureOptions;
  /** Whose it is; absent = of `local`, whom nothing is counted for. */
  readonly principal?: string;
  readonly program: ProgramInput;
  readonly reference?: ProgramInput;
  /** Of a session that reuses: what names this measurement among all (reuses.ts). */
  readonly reuse?: string;
  /** Of a session that pairs: measured in turns with the program. */
  readonly others?: readonly ProgramInput[];
  /** JSON of what its client told of the config, for its record. */
  readonly proposal?: string;
  /** Workers that get it only when nobody else can. */
  readonly avoid?: readonly WorkerId[];
}

/** All that it names, references first: whoever waits for one build waits for them. */
export const programsOf = ({ program, reference, others = [] }: NewInput): readonly ProgramInput[] =>
  reference ? [reference, program, ...others] : [program, ...others];

export type AcceptOutcome =
  /** `ready`: its artifacts are there. `reused`: another's result is given, or waited for. */
  | { readonly kind: "accepted"; readonly finished: boolean; readonly ready: boolean; readonly reused?: boolean }
  /** It was there already, accepted from this session. `finished`: its result is there and was not received. */
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
