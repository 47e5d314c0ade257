// Original file: warpfarm/admin/v1/admin_service.proto

import type { Duration as _google_protobuf_Duration, Duration__Output as _google_protobuf_Duration__Output } from '../../../google/protobuf/Duration.ts';

export interface CollectGarbageRequest {
  'keep'?: (_google_protobuf_Duration | null);
  'dry_run'?: (boolean);
}

export interface CollectGarbageRequest__Output {
  'keep': (_google_protobuf_Duration__Output | null);
  'dry_run': (boolean);
}
