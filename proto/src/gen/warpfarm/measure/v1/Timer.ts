// Original file: warpfarm/measure/v1/measure.proto

export const Timer = {
  TIMER_UNSPECIFIED: 'TIMER_UNSPECIFIED',
  TIMER_CUDA_GRAPH: 'TIMER_CUDA_GRAPH',
  TIMER_EVENTS: 'TIMER_EVENTS',
  TIMER_WALL: 'TIMER_WALL',
} as const;

export type Timer =
  | 'TIMER_UNSPECIFIED'
  | 0
  | 'TIMER_CUDA_GRAPH'
  | 1
  | 'TIMER_EVENTS'
  | 2
  | 'TIMER_WALL'
  | 3

export type Timer__Output = typeof Timer[keyof typeof Timer]
