/** Why something is refused, as data: a rule for records and counts, words for people. */
export interface Refusal {
  /** Machine-readable: `vectorize.lanes`, `device.race`, `source.include`. */
  readonly rule: string;
  /** What was asked, what was found, what is allowed. */
  readonly message: string;
  /** The step of the trace that is at fault. */
  readonly at?: number;
  /** A toolchain's own words. */
  readonly log?: string;
}
