// Original file: warpfarm/artifact/v1/artifact_service.proto

import type { Long } from '@grpc/proto-loader';

export interface _warpfarm_artifact_v1_UploadRequest_Header {
  'digest'?: (string);
  'size'?: (number | string | Long);
}

export interface _warpfarm_artifact_v1_UploadRequest_Header__Output {
  'digest': (string);
  'size': (number);
}

export interface UploadRequest {
  'header'?: (_warpfarm_artifact_v1_UploadRequest_Header | null);
  'chunk'?: (Buffer | Uint8Array | string);
  'kind'?: "header"|"chunk";
}

export interface UploadRequest__Output {
  'header'?: (_warpfarm_artifact_v1_UploadRequest_Header__Output | null);
  'chunk'?: (Buffer);
  'kind'?: "header"|"chunk";
}
