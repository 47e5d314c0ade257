// Original file: warpfarm/measure/v1/measure.proto

import type { Duration as _google_protobuf_Duration, Duration__Output as _google_protobuf_Duration__Output } from '../../../google/protobuf/Duration.ts';

export interface PairedOptions {
  'rounds'?: (number);
  'idle'?: (_google_protobuf_Duration | null);
  'sequential'?: (boolean);
}

export interface PairedOptions__Output {
  'rounds': (number);
  'idle': (_google_protobuf_Duration__Output | null);
  'sequential': (boolean);
}
