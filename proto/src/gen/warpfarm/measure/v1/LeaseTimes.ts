// Original file: warpfarm/measure/v1/measure.proto

import type { Duration as _google_protobuf_Duration, Duration__Output as _google_protobuf_Duration__Output } from '../../../google/protobuf/Duration.ts';

export interface LeaseTimes {
  'queue'?: (_google_protobuf_Duration | null);
  'transfer'?: (_google_protobuf_Duration | null);
  'held'?: (_google_protobuf_Duration | null);
}

export interface LeaseTimes__Output {
  'queue': (_google_protobuf_Duration__Output | null);
  'transfer': (_google_protobuf_Duration__Output | null);
  'held': (_google_protobuf_Duration__Output | null);
}
