// Original file: warpfarm/farm/v1/farm_service.proto

export const Keep = {
  KEEP_UNSPECIFIED: 'KEEP_UNSPECIFIED',
  KEEP_SHARED: 'KEEP_SHARED',
  KEEP_PRIVATE: 'KEEP_PRIVATE',
  KEEP_NONE: 'KEEP_NONE',
} as const;

export type Keep =
  | 'KEEP_UNSPECIFIED'
  | 0
  | 'KEEP_SHARED'
  | 1
  | 'KEEP_PRIVATE'
  | 2
  | 'KEEP_NONE'
  | 3

export type Keep__Output = typeof Keep[keyof typeof Keep]
