// Original file: warpfarm/measure/v1/measure.proto

export const Inputs = {
  INPUTS_UNSPECIFIED: 'INPUTS_UNSPECIFIED',
  INPUTS_FULL: 'INPUTS_FULL',
  INPUTS_EXACT: 'INPUTS_EXACT',
} as const;

export type Inputs =
  | 'INPUTS_UNSPECIFIED'
  | 0
  | 'INPUTS_FULL'
  | 1
  | 'INPUTS_EXACT'
  | 2

export type Inputs__Output = typeof Inputs[keyof typeof Inputs]
