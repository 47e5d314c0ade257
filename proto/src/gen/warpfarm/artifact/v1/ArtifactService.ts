// Original file: warpfarm/artifact/v1/artifact_service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { DownloadRequest as _warpfarm_artifact_v1_DownloadRequest, DownloadRequest__Output as _warpfarm_artifact_v1_DownloadRequest__Output } from '../../../warpfarm/artifact/v1/DownloadRequest.ts';
import type { DownloadResponse as _warpfarm_artifact_v1_DownloadResponse, DownloadResponse__Output as _warpfarm_artifact_v1_DownloadResponse__Output } from '../../../warpfarm/artifact/v1/DownloadResponse.ts';
import type { StatRequest as _warpfarm_artifact_v1_StatRequest, StatRequest__Output as _warpfarm_artifact_v1_StatRequest__Output } from '../../../warpfarm/artifact/v1/StatRequest.ts';
import type { StatResponse as _warpfarm_artifact_v1_StatResponse, StatResponse__Output as _warpfarm_artifact_v1_StatResponse__Output } from '../../../warpfarm/artifact/v1/StatResponse.ts';
import type { UploadRequest as _warpfarm_artifact_v1_UploadRequest, UploadRequest__Output as _warpfarm_artifact_v1_UploadRequest__Output } from '../../../warpfarm/artifact/v1/UploadRequest.ts';
import type { UploadResponse as _warpfarm_artifact_v1_UploadResponse, UploadResponse__Output as _warpfarm_artifact_v1_UploadResponse__Output } from '../../../warpfarm/artifact/v1/UploadResponse.ts';

export interface ArtifactServiceClient extends grpc.Client {
  Download(argument: _warpfarm_artifact_v1_DownloadRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_warpfarm_artifact_v1_DownloadResponse__Output>;
  Download(argument: _warpfarm_artifact_v1_DownloadRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_warpfarm_artifact_v1_DownloadResponse__Output>;
  download(argument: _warpfarm_artifact_v1_DownloadRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_warpfarm_artifact_v1_DownloadResponse__Output>;
  download(argument: _warpfarm_artifact_v1_DownloadRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_warpfarm_artifact_v1_DownloadResponse__Output>;

  Stat(argument: _warpfarm_artifact_v1_StatRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_artifact_v1_StatResponse__Output>): grpc.ClientUnaryCall;
  Stat(argument: _warpfarm_artifact_v1_StatRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_artifact_v1_StatResponse__Output>): grpc.ClientUnaryCall;
  Stat(argument: _warpfarm_artifact_v1_StatRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_artifact_v1_StatResponse__Output>): grpc.ClientUnaryCall;
  Stat(argument: _warpfarm_artifact_v1_StatRequest, callback: grpc.requestCallback<_warpfarm_artifact_v1_StatResponse__Output>): grpc.ClientUnaryCall;
  stat(argument: _warpfarm_artifact_v1_StatRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_artifact_v1_StatResponse__Output>): grpc.ClientUnaryCall;
  stat(argument: _warpfarm_artifact_v1_StatRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_artifact_v1_StatResponse__Output>): grpc.ClientUnaryCall;
  stat(argument: _warpfarm_artifact_v1_StatRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_artifact_v1_StatResponse__Output>): grpc.ClientUnaryCall;
  stat(argument: _warpfarm_artifact_v1_StatRequest, callback: grpc.requestCallback<_warpfarm_artifact_v1_StatResponse__Output>): grpc.ClientUnaryCall;

  Upload(metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_artifact_v1_UploadResponse__Output>): grpc.ClientWritableStream<_warpfarm_artifact_v1_UploadRequest>;
  Upload(metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_artifact_v1_UploadResponse__Output>): grpc.ClientWritableStream<_warpfarm_artifact_v1_UploadRequest>;
  Upload(options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_artifact_v1_UploadResponse__Output>): grpc.ClientWritableStream<_warpfarm_artifact_v1_UploadRequest>;
  Upload(callback: grpc.requestCallback<_warpfarm_artifact_v1_UploadResponse__Output>): grpc.ClientWritableStream<_warpfarm_artifact_v1_UploadRequest>;
  upload(metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_artifact_v1_UploadResponse__Output>): grpc.ClientWritableStream<_warpfarm_artifact_v1_UploadRequest>;
  upload(metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_artifact_v1_UploadResponse__Output>): grpc.ClientWritableStream<_warpfarm_artifact_v1_UploadRequest>;
  upload(options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_artifact_v1_UploadResponse__Output>): grpc.ClientWritableStream<_warpfarm_artifact_v1_UploadRequest>;
  upload(callback: grpc.requestCallback<_warpfarm_artifact_v1_UploadResponse__Output>): grpc.ClientWritableStream<_warpfarm_artifact_v1_UploadRequest>;

}

export interface ArtifactServiceHandlers extends grpc.UntypedServiceImplementation {
  Download: grpc.handleServerStreamingCall<_warpfarm_artifact_v1_DownloadRequest__Output, _warpfarm_artifact_v1_DownloadResponse>;

  Stat: grpc.handleUnaryCall<_warpfarm_artifact_v1_StatRequest__Output, _warpfarm_artifact_v1_StatResponse>;

  Upload: grpc.handleClientStreamingCall<_warpfarm_artifact_v1_UploadRequest__Output, _warpfarm_artifact_v1_UploadResponse>;

}

export interface ArtifactServiceDefinition extends grpc.ServiceDefinition {
  Download: MethodDefinition<_warpfarm_artifact_v1_DownloadRequest, _warpfarm_artifact_v1_DownloadResponse, _warpfarm_artifact_v1_DownloadRequest__Output, _warpfarm_artifact_v1_DownloadResponse__Output>
  Stat: MethodDefinition<_warpfarm_artifact_v1_StatRequest, _warpfarm_artifact_v1_StatResponse, _warpfarm_artifact_v1_StatRequest__Output, _warpfarm_artifact_v1_StatResponse__Output>
  Upload: MethodDefinition<_warpfarm_artifact_v1_UploadRequest, _warpfarm_artifact_v1_UploadResponse, _warpfarm_artifact_v1_UploadRequest__Output, _warpfarm_artifact_v1_UploadResponse__Output>
}
