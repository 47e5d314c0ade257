// Original file: warpfarm/farm/v1/farm_service.proto

import type { Long } from '@grpc/proto-loader';

export interface Session {
  'session_id'?: (string);
  'task'?: (string);
  'selector'?: (string);
  'accepted'?: (number | string | Long);
  'finished'?: (number | string | Long);
  'principal'?: (string);
}

export interface Session__Output {
  'session_id': (string);
  'task': (string);
  'selector': (string);
  'accepted': (number);
  'finished': (number);
  'principal': (string);
}
