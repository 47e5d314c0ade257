// Original file: warpfarm/farm/v1/farm_service.proto

import type { Duration as _google_protobuf_Duration, Duration__Output as _google_protobuf_Duration__Output } from '../../../google/protobuf/Duration.ts';

export interface OpenSessionResponse {
  'session_id'?: (string);
  'max_in_flight'?: (number);
  'idle_timeout'?: (_google_protobuf_Duration | null);
  'selector'?: (string);
}

export interface OpenSessionResponse__Output {
  'session_id': (string);
  'max_in_flight': (number);
  'idle_timeout': (_google_protobuf_Duration__Output | null);
  'selector': (string);
}
