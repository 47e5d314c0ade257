// Original file: warpfarm/suite/v1/suite_service.proto

import type { Long } from '@grpc/proto-loader';

export interface ClaimedTask {
  'task_id'?: (string);
  'epoch'?: (number | string | Long);
}

export interface ClaimedTask__Output {
  'task_id': (string);
  'epoch': (number);
}
