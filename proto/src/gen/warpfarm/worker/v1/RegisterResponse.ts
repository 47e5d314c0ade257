// Original file: warpfarm/worker/v1/worker_service.proto

import type { Duration as _google_protobuf_Duration, Duration__Output as _google_protobuf_Duration__Output } from '../../../google/protobuf/Duration.ts';
import type { Long } from '@grpc/proto-loader';

export interface RegisterResponse {
  'worker_id'?: (string);
  'epoch'?: (number | string | Long);
  'lease_ttl'?: (_google_protobuf_Duration | null);
  'next_call_after'?: (_google_protobuf_Duration | null);
  'secret'?: (Buffer | Uint8Array | string);
}

export interface RegisterResponse__Output {
  'worker_id': (string);
  'epoch': (number);
  'lease_ttl': (_google_protobuf_Duration__Output | null);
  'next_call_after': (_google_protobuf_Duration__Output | null);
  'secret': (Buffer);
}
