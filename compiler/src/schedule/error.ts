/** A schedule's refusal as an exception. */
import type { Refusal } from "@warpfarm/common";

export class ScheduleError extends Error {
  override readonly name = "ScheduleError";
  readonly rule: string;
  /** Index of the trace step at fault; undefined for none (a trace that cannot be read). */
  readonly step: number | undefined;

  constructor({ rule, message, at }: Refusal) {
    super(`${message} [${rule}]${at === undefined ? "" : ` at step ${at}`}`);
    this.rule = rule;
    this.step = at;
  }
}
