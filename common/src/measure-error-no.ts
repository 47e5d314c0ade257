/**
 * Why a measurement failed. Numbers and names are those of AutoTVM (MeasureErrorNo of tvm.autotvm.measure), so its logs can be
 * read. Unlike in AutoTVM, every number has exactly one meaning, and one place sets it.
 */
export const measureErrorNo = {
  NO_ERROR: 0,
  /** A schedule primitive or a static limit refused the config; `rule` says which. */
  INSTANTIATION_ERROR: 1,
  COMPILE_HOST: 2,
  /** The toolchain (cc, nvcc, NVRTC) refused the text; `log` has its message. */
  COMPILE_DEVICE: 3,
  /** The kernel crashed, or the driver refused to load or launch it; `rule` is the driver's code or the signal. */
  RUNTIME_DEVICE: 4,
  /** The output differs from the reference. The result has the worst element's index, and the expected and found values. */
  WRONG_ANSWER: 5,
  BUILD_TIMEOUT: 6,
  RUN_TIMEOUT: 7,
  /** The farm failed after its last retry. Tuners skip it. */
  UNKNOWN_ERROR: 8,
} as const;

export type MeasureErrorName = keyof typeof measureErrorNo;
export type MeasureErrorNo = (typeof measureErrorNo)[MeasureErrorName];

const names = Object.keys(measureErrorNo) as MeasureErrorName[];
export function measureErrorName(no: number): MeasureErrorName {
  const name = names[no];
  if (name === undefined) throw new RangeError(`measure error number ${no} is not in 0..8`);
  return name;
}
