/**
 * Inputs of the Measure streams, many at a time. Usual ones, new sequences without a gap whose programs are sent or stored, take
 * one statement (accept-usual.ts) and no transaction. The careful path (accept-careful.ts) handles a session of which that
 * statement accepted nothing, and sessions that reuse results, measure programs interleaved or name another's programs. What
 * either path answers is durable.
 */
import type { Database } from "../database.ts";
import { acceptCarefully } from "./accept-careful.ts";
import { acceptUsual } from "./accept-usual.ts";
import type { AcceptOutcome, NewInput } from "./new-input.ts";

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
