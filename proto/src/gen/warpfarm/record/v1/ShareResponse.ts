// Original file: warpfarm/record/v1/record_service.proto

import type { Long } from '@grpc/proto-loader';

export interface ShareResponse {
  'shared'?: (number | string | Long);
}

export interface ShareResponse__Output {
  'shared': (number);
}
