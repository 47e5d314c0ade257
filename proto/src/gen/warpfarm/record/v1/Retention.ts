// Original file: warpfarm/record/v1/record_service.proto

import type { Long } from '@grpc/proto-loader';

export interface Retention {
  'failures_ms'?: (number | string | Long);
  'age_ms'?: (number | string | Long);
  'most'?: (number | string | Long);
  'keep_best'?: (number);
  '_failures_ms'?: "failures_ms";
  '_age_ms'?: "age_ms";
  '_most'?: "most";
  '_keep_best'?: "keep_best";
}

export interface Retention__Output {
  'failures_ms'?: (number);
  'age_ms'?: (number);
  'most'?: (number);
  'keep_best'?: (number);
  '_failures_ms'?: "failures_ms";
  '_age_ms'?: "age_ms";
  '_most'?: "most";
  '_keep_best'?: "keep_best";
}
