// Original file: warpfarm/worker/v1/worker_service.proto

import type { Duration as _google_protobuf_Duration, Duration__Output as _google_protobuf_Duration__Output } from '../../../google/protobuf/Duration.ts';

export interface BuildJob {
  'program_digest'?: (string);
  'program'?: (Buffer | Uint8Array | string);
  'timeout'?: (_google_protobuf_Duration | null);
}

export interface BuildJob__Output {
  'program_digest': (string);
  'program': (Buffer);
  'timeout': (_google_protobuf_Duration__Output | null);
}
