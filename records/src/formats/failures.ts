import { type MeasureErrorNo, measureErrorNo } from "@warpfarm/common";
import type { RecordResult } from "../tuning-record.ts";

type FailureNo = Exclude<MeasureErrorNo, 0>;
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
export function failureOf(form: string, word: string): RecordResult {
  const errorNo = words[form]?.find(([each]) => each === word)?.[1] ?? UNKNOWN_ERROR;
  return { kind: "failed", errorNo, rule: `${form}.${word}`, message: `the file says ${word}` };
}
