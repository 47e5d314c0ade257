// Original file: warpfarm/record/v1/record_service.proto

import type { Long } from '@grpc/proto-loader';

export interface ReceiptKey {
  'id'?: (string);
  'pem'?: (string);
  'since_ms'?: (number | string | Long);
  'until_ms'?: (number | string | Long);
  '_until_ms'?: "until_ms";
}

export interface ReceiptKey__Output {
  'id': (string);
  'pem': (string);
  'since_ms': (number);
  'until_ms'?: (number);
  '_until_ms'?: "until_ms";
}
