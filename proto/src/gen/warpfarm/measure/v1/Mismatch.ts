// Original file: warpfarm/measure/v1/measure.proto

import type { Long } from '@grpc/proto-loader';

export interface Mismatch {
  'buffer'?: (string);
  'index'?: (number | string | Long);
  'expected'?: (number | string);
  'got'?: (number | string);
  'count'?: (number | string | Long);
}

export interface Mismatch__Output {
  'buffer': (string);
  'index': (number);
  'expected': (number);
  'got': (number);
  'count': (number);
}
