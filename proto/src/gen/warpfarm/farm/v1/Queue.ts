// Original file: warpfarm/farm/v1/farm_service.proto

import type { Duration as _google_protobuf_Duration, Duration__Output as _google_protobuf_Duration__Output } from '../../../google/protobuf/Duration.ts';

export interface Queue {
  'key'?: (string);
  'waiting_builds'?: (number);
  'waiting_runs'?: (number);
  'running'?: (number);
  'oldest_build'?: (_google_protobuf_Duration | null);
  'oldest_run'?: (_google_protobuf_Duration | null);
  'devices'?: (number);
  'idle_devices'?: (number);
  'unread'?: (string)[];
}

export interface Queue__Output {
  'key': (string);
  'waiting_builds': (number);
  'waiting_runs': (number);
  'running': (number);
  'oldest_build': (_google_protobuf_Duration__Output | null);
  'oldest_run': (_google_protobuf_Duration__Output | null);
  'devices': (number);
  'idle_devices': (number);
  'unread': (string)[];
}
