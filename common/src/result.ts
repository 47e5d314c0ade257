/** The two outcomes of something that may be refused. A refusal is a value; a broken invariant is an InternalError. */
export type Result<T, E> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: E };

export const ok = <T>(value: T): Result<T, never> => ({ ok: true, value });
export const err = <E>(error: E): Result<never, E> => ({ ok: false, error });

/** Why something is refused: a rule for records and counts, words for people. */
export interface Refusal {
  /** Machine-readable: `vectorize.lanes`, `device.race`, `source.include`. */
  readonly rule: string;
  /** What was asked, what was found, what is allowed. */
  readonly message: string;
  readonly at?: number;
  readonly log?: string;
}
