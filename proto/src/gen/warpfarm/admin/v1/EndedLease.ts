// Original file: warpfarm/admin/v1/admin_service.proto

import type { Long } from '@grpc/proto-loader';

export interface EndedLease {
  'end_ms'?: (number | string);
  'held_ms'?: (number | string);
  'node'?: (string);
  'device'?: (string);
  'device_name'?: (string);
  'session_id'?: (string);
  'sequence'?: (number | string | Long);
  'outcome'?: (string);
  'queue_ms'?: (number | string);
  'build_ms'?: (number | string);
  'transfer_ms'?: (number | string);
  'timed_ms'?: (number | string);
}

export interface EndedLease__Output {
  'end_ms': (number);
  'held_ms': (number);
  'node': (string);
  'device': (string);
  'device_name': (string);
  'session_id': (string);
  'sequence': (number);
  'outcome': (string);
  'queue_ms': (number);
  'build_ms': (number);
  'transfer_ms': (number);
  'timed_ms': (number);
}
