import type { Refusal } from "@warpfarm/common";

export class ScheduleError extends Error {
  override readonly name = "ScheduleError";
  readonly rule: string;
  readonly step: number | undefined;

  constructor({ rule, message, at }: Refusal) {
    super(`${message} [${rule}]${at === undefined ? "" : ` at step ${at}`}`);
    this.rule = rule;
    this.step = at;
  }
}
