// Original file: warpfarm/suite/v1/suite_service.proto

import type { Long } from '@grpc/proto-loader';

export interface ReportResponse {
  'cancelled'?: (boolean);
  'log_bytes'?: (number | string | Long);
}

export interface ReportResponse__Output {
  'cancelled': (boolean);
  'log_bytes': (number);
}
