// Original file: warpfarm/record/v1/record_service.proto

import type { Long } from '@grpc/proto-loader';

export interface DeleteResponse {
  'deleted'?: (number | string | Long);
}

export interface DeleteResponse__Output {
  'deleted': (number);
}
