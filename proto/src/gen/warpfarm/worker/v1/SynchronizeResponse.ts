// Original file: warpfarm/worker/v1/worker_service.proto

import type { Assignment as _warpfarm_worker_v1_Assignment, Assignment__Output as _warpfarm_worker_v1_Assignment__Output } from '../../../warpfarm/worker/v1/Assignment.ts';
import type { Duration as _google_protobuf_Duration, Duration__Output as _google_protobuf_Duration__Output } from '../../../google/protobuf/Duration.ts';
import type { Long } from '@grpc/proto-loader';

// Original file: warpfarm/worker/v1/worker_service.proto

export const _warpfarm_worker_v1_SynchronizeResponse_State = {
  STATE_UNSPECIFIED: 'STATE_UNSPECIFIED',
  STATE_ACTIVE: 'STATE_ACTIVE',
  STATE_DRAIN: 'STATE_DRAIN',
  STATE_STOP: 'STATE_STOP',
} as const;

export type _warpfarm_worker_v1_SynchronizeResponse_State =
  | 'STATE_UNSPECIFIED'
  | 0
  | 'STATE_ACTIVE'
  | 1
  | 'STATE_DRAIN'
  | 2
  | 'STATE_STOP'
  | 3

export type _warpfarm_worker_v1_SynchronizeResponse_State__Output = typeof _warpfarm_worker_v1_SynchronizeResponse_State[keyof typeof _warpfarm_worker_v1_SynchronizeResponse_State]

export interface SynchronizeResponse {
  'acknowledged'?: (string)[];
  'assignments'?: (_warpfarm_worker_v1_Assignment)[];
  'prefetch'?: (string)[];
  'cancel'?: (string)[];
  'state'?: (_warpfarm_worker_v1_SynchronizeResponse_State);
  'next_call_after'?: (_google_protobuf_Duration | null);
  'sequence'?: (number | string | Long);
}

export interface SynchronizeResponse__Output {
  'acknowledged': (string)[];
  'assignments': (_warpfarm_worker_v1_Assignment__Output)[];
  'prefetch': (string)[];
  'cancel': (string)[];
  'state': (_warpfarm_worker_v1_SynchronizeResponse_State__Output);
  'next_call_after': (_google_protobuf_Duration__Output | null);
  'sequence': (number);
}
