// Original file: warpfarm/artifact/v1/artifact_service.proto

import type { Long } from '@grpc/proto-loader';

export interface _warpfarm_artifact_v1_StatResponse_Blob {
  'digest'?: (string);
  'size'?: (number | string | Long);
}

export interface _warpfarm_artifact_v1_StatResponse_Blob__Output {
  'digest': (string);
  'size': (number);
}

export interface StatResponse {
  'blobs'?: (_warpfarm_artifact_v1_StatResponse_Blob)[];
}

export interface StatResponse__Output {
  'blobs': (_warpfarm_artifact_v1_StatResponse_Blob__Output)[];
}
