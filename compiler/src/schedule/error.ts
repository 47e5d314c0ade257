/** Refusals of a schedule: data until someone throws it. `rule` is what records and counts use; the message is for people. */

/** What a check returns. */
export interface Refusal {
  readonly rule: string;
  /** What was asked, what was found, what is allowed. */
  readonly message: string;
}

export class ScheduleError extends Error {
  override readonly name = "ScheduleError";
  readonly rule: string;
  /** Index of the trace step at fault; undefined when no step is (a trace that cannot be read). */
  readonly step: number | undefined;

  constructor(refusal: Refusal, step?: number) {
    super(`${refusal.message} [${refusal.rule}]${step === undefined ? "" : ` at step ${step}`}`);
    this.rule = refusal.rule;
    this.step = step;
  }
}
