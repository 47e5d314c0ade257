// Original file: warpfarm/measure/v1/measure.proto

export const L2 = {
  L2_UNSPECIFIED: 'L2_UNSPECIFIED',
  L2_WARM: 'L2_WARM',
  L2_FLUSHED: 'L2_FLUSHED',
} as const;

export type L2 =
  | 'L2_UNSPECIFIED'
  | 0
  | 'L2_WARM'
  | 1
  | 'L2_FLUSHED'
  | 2

export type L2__Output = typeof L2[keyof typeof L2]
