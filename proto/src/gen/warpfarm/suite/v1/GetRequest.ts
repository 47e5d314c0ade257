// Original file: warpfarm/suite/v1/suite_service.proto

import type { Long } from '@grpc/proto-loader';

export interface GetRequest {
  'suite_id'?: (string);
  'log_of'?: (string);
  'log_from'?: (number | string | Long);
}

export interface GetRequest__Output {
  'suite_id': (string);
  'log_of': (string);
  'log_from': (number);
}
