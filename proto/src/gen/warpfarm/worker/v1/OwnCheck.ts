// Original file: warpfarm/worker/v1/worker_service.proto

import type { Duration as _google_protobuf_Duration, Duration__Output as _google_protobuf_Duration__Output } from '../../../google/protobuf/Duration.ts';

export interface OwnCheck {
  'ago'?: (_google_protobuf_Duration | null);
  'ratio'?: (number | string);
}

export interface OwnCheck__Output {
  'ago': (_google_protobuf_Duration__Output | null);
  'ratio': (number);
}
