// Original file: warpfarm/measure/v1/measure.proto

export const Check = {
  CHECK_UNSPECIFIED: 'CHECK_UNSPECIFIED',
  CHECK_NONE: 'CHECK_NONE',
  CHECK_REFERENCE: 'CHECK_REFERENCE',
} as const;

export type Check =
  | 'CHECK_UNSPECIFIED'
  | 0
  | 'CHECK_NONE'
  | 1
  | 'CHECK_REFERENCE'
  | 2

export type Check__Output = typeof Check[keyof typeof Check]
