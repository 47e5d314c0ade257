// Original file: warpfarm/farm/v1/farm_service.proto

import type { Duration as _google_protobuf_Duration, Duration__Output as _google_protobuf_Duration__Output } from '../../../google/protobuf/Duration.ts';
import type { Long } from '@grpc/proto-loader';

export interface _warpfarm_farm_v1_OpenSessionResponse_Outstanding {
  'sequence'?: (number | string | Long);
  'program'?: (string);
  'reference'?: (string);
}

export interface _warpfarm_farm_v1_OpenSessionResponse_Outstanding__Output {
  'sequence': (number);
  'program': (string);
  'reference': (string);
}

export interface OpenSessionResponse {
  'session_id'?: (string);
  'max_in_flight'?: (number);
  'idle_timeout'?: (_google_protobuf_Duration | null);
  'selector'?: (string);
  'accepted_through'?: (number | string | Long);
  'outstanding'?: (_warpfarm_farm_v1_OpenSessionResponse_Outstanding)[];
  'nodes'?: (string)[];
}

export interface OpenSessionResponse__Output {
  'session_id': (string);
  'max_in_flight': (number);
  'idle_timeout': (_google_protobuf_Duration__Output | null);
  'selector': (string);
  'accepted_through': (number);
  'outstanding': (_warpfarm_farm_v1_OpenSessionResponse_Outstanding__Output)[];
  'nodes': (string)[];
}
