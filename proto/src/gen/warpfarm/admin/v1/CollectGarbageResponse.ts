// Original file: warpfarm/admin/v1/admin_service.proto

import type { Long } from '@grpc/proto-loader';

export interface CollectGarbageResponse {
  'builds'?: (number | string | Long);
  'programs'?: (number | string | Long);
  'blobs'?: (number | string | Long);
  'bytes'?: (number | string | Long);
  'requests'?: (number | string | Long);
}

export interface CollectGarbageResponse__Output {
  'builds': (number);
  'programs': (number);
  'blobs': (number);
  'bytes': (number);
  'requests': (number);
}
