import { type MeasureErrorNo, measureErrorNo } from "@warpfarm/common";
import type { RecordResult } from "../tuning-record.ts";

export type FailureNo = Exclude<MeasureErrorNo, 0>;
const { INSTANTIATION_ERROR, COMPILE_DEVICE, RUNTIME_DEVICE, WRONG_ANSWER, RUN_TIMEOUT, UNKNOWN_ERROR } = measureErrorNo;

const words: Readonly<{ [form: string]: readonly (readonly [word: string, errorNo: FailureNo])[] }> = {
  "kernel-tuner": [
    ["InvalidConfig", INSTANTIATION_ERROR],
    ["CompilationFailedConfig", COMPILE_DEVICE],
    ["RuntimeFailedConfig", RUNTIME_DEVICE],
  ],
  t4: [
    ["constraints", INSTANTIATION_ERROR],
    ["compile", COMPILE_DEVICE],
    ["runtime", RUNTIME_DEVICE],
    ["correctness", WRONG_ANSWER],
    ["timeout", RUN_TIMEOUT],
  ],
  ktt: [
    ["CompilationFailed", COMPILE_DEVICE],
    ["ComputationFailed", RUNTIME_DEVICE],
    ["ValidationFailed", WRONG_ANSWER],
    ["DeviceLimitsExceeded", INSTANTIATION_ERROR],
  ],
};
const nearest: Readonly<{ [errorNo: number]: FailureNo }> = {
  [measureErrorNo.COMPILE_HOST]: COMPILE_DEVICE,
  [measureErrorNo.BUILD_TIMEOUT]: COMPILE_DEVICE,
  [WRONG_ANSWER]: RUNTIME_DEVICE,
  [RUN_TIMEOUT]: RUNTIME_DEVICE,
  [UNKNOWN_ERROR]: RUNTIME_DEVICE,
  [INSTANTIATION_ERROR]: COMPILE_DEVICE,
};

export function failureOf(form: string, word: string): RecordResult {
  const errorNo = words[form]?.find(([each]) => each === word)?.[1] ?? UNKNOWN_ERROR;
  return { kind: "failed", errorNo, rule: `${form}.${word}`, message: `the file says ${word}` };
}

export function failureWord(form: string, { errorNo, rule }: RecordResult & { kind: "failed" }): string {
  const own = words[form] ?? [];
  if (rule?.startsWith(`${form}.`)) return rule.slice(form.length + 1);
  const word = (no: FailureNo) => own.find(([, each]) => each === no)?.[0];
  return word(errorNo) ?? word(nearest[errorNo] ?? RUNTIME_DEVICE) ?? word(RUNTIME_DEVICE) ?? "failed";
}
