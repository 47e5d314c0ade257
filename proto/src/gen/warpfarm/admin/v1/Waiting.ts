// Original file: warpfarm/admin/v1/admin_service.proto

import type { Hold as _warpfarm_admin_v1_Hold, Hold__Output as _warpfarm_admin_v1_Hold__Output } from '../../../warpfarm/admin/v1/Hold.ts';
import type { Duration as _google_protobuf_Duration, Duration__Output as _google_protobuf_Duration__Output } from '../../../google/protobuf/Duration.ts';
import type { Long } from '@grpc/proto-loader';

export interface Waiting {
  'holds'?: (_warpfarm_admin_v1_Hold)[];
  'share'?: (number | string);
  'due'?: (number | string);
  'before'?: (number | string | Long);
  'starts_in'?: (_google_protobuf_Duration | null);
  'done_in'?: (_google_protobuf_Duration | null);
}

export interface Waiting__Output {
  'holds': (_warpfarm_admin_v1_Hold__Output)[];
  'share': (number);
  'due': (number);
  'before': (number);
  'starts_in': (_google_protobuf_Duration__Output | null);
  'done_in': (_google_protobuf_Duration__Output | null);
}
