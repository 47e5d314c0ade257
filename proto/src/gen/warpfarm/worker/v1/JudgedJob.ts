// Original file: warpfarm/worker/v1/worker_service.proto

import type { Duration as _google_protobuf_Duration, Duration__Output as _google_protobuf_Duration__Output } from '../../../google/protobuf/Duration.ts';

export interface JudgedJob {
  'secret'?: (string);
  'lease_secret'?: (string);
  'audit_below'?: (_google_protobuf_Duration | null);
}

export interface JudgedJob__Output {
  'secret': (string);
  'lease_secret': (string);
  'audit_below': (_google_protobuf_Duration__Output | null);
}
