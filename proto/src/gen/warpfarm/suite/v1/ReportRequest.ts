// Original file: warpfarm/suite/v1/suite_service.proto

import type { Long } from '@grpc/proto-loader';

export interface ReportRequest {
  'suite_id'?: (string);
  'task_id'?: (string);
  'epoch'?: (number | string | Long);
  'log_at'?: (number | string | Long);
  'log'?: (Buffer | Uint8Array | string);
  'ended'?: (string);
}

export interface ReportRequest__Output {
  'suite_id': (string);
  'task_id': (string);
  'epoch': (number);
  'log_at': (number);
  'log': (Buffer);
  'ended': (string);
}
