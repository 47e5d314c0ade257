// Original file: warpfarm/admin/v1/admin_service.proto

import type { Duration as _google_protobuf_Duration, Duration__Output as _google_protobuf_Duration__Output } from '../../../google/protobuf/Duration.ts';
import type { Waiting as _warpfarm_admin_v1_Waiting, Waiting__Output as _warpfarm_admin_v1_Waiting__Output } from '../../../warpfarm/admin/v1/Waiting.ts';
import type { Long } from '@grpc/proto-loader';

export interface SessionStatus {
  'session_id'?: (string);
  'task'?: (string);
  'selector'?: (string);
  'priority'?: (number);
  'weight'?: (number);
  'accepted'?: (number | string | Long);
  'building'?: (number | string | Long);
  'ready'?: (number | string | Long);
  'running'?: (number | string | Long);
  'device_time'?: (_google_protobuf_Duration | null);
  'age'?: (_google_protobuf_Duration | null);
  'streaming'?: (boolean);
  'expires_in'?: (_google_protobuf_Duration | null);
  'principal'?: (string);
  'paused'?: (boolean);
  'more_trials'?: (number);
  'takes_trials'?: (boolean);
  'waiting'?: (_warpfarm_admin_v1_Waiting | null);
  'queue_time'?: (_google_protobuf_Duration | null);
  'build_time'?: (_google_protobuf_Duration | null);
  'transfer_time'?: (_google_protobuf_Duration | null);
  'timed_time'?: (_google_protobuf_Duration | null);
}

export interface SessionStatus__Output {
  'session_id': (string);
  'task': (string);
  'selector': (string);
  'priority': (number);
  'weight': (number);
  'accepted': (number);
  'building': (number);
  'ready': (number);
  'running': (number);
  'device_time': (_google_protobuf_Duration__Output | null);
  'age': (_google_protobuf_Duration__Output | null);
  'streaming': (boolean);
  'expires_in': (_google_protobuf_Duration__Output | null);
  'principal': (string);
  'paused': (boolean);
  'more_trials': (number);
  'takes_trials': (boolean);
  'waiting': (_warpfarm_admin_v1_Waiting__Output | null);
  'queue_time': (_google_protobuf_Duration__Output | null);
  'build_time': (_google_protobuf_Duration__Output | null);
  'transfer_time': (_google_protobuf_Duration__Output | null);
  'timed_time': (_google_protobuf_Duration__Output | null);
}
