// Original file: warpfarm/measure/v1/measure.proto

export const Power = {
  POWER_UNSPECIFIED: 'POWER_UNSPECIFIED',
  POWER_BURST: 'POWER_BURST',
  POWER_SUSTAINED: 'POWER_SUSTAINED',
  POWER_AS_ASKED: 'POWER_AS_ASKED',
} as const;

export type Power =
  | 'POWER_UNSPECIFIED'
  | 0
  | 'POWER_BURST'
  | 1
  | 'POWER_SUSTAINED'
  | 2
  | 'POWER_AS_ASKED'
  | 3

export type Power__Output = typeof Power[keyof typeof Power]
