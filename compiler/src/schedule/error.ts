import type { Refusal } from "@warpfarm/common";

export class ScheduleError extends Error {
  override readonly name = "ScheduleError";
  readonly rule: string;
  /** Index of the faulty trace step; undefined for a trace that cannot be read. */
  readonly step: number | undefined;

  constructor({ rule, message, at }: Refusal) {
    super(`${message} [${rule}]${at === undefined ? "" : ` at step ${at}`}`);
    this.rule = rule;
    this.step = at;
  }
}
