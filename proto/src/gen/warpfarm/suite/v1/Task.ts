// Original file: warpfarm/suite/v1/suite_service.proto

import type { Long } from '@grpc/proto-loader';

export interface Task {
  'task_id'?: (string);
  'document'?: (Buffer | Uint8Array | string);
  'template'?: (string);
  'ended'?: (string);
  'worker'?: (string);
  'log_bytes'?: (number | string | Long);
}

export interface Task__Output {
  'task_id': (string);
  'document': (Buffer);
  'template': (string);
  'ended': (string);
  'worker': (string);
  'log_bytes': (number);
}
