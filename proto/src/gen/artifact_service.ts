import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { ArtifactServiceClient as _warpfarm_artifact_v1_ArtifactServiceClient, ArtifactServiceDefinition as _warpfarm_artifact_v1_ArtifactServiceDefinition } from './warpfarm/artifact/v1/ArtifactService.ts';
import type { DownloadRequest as _warpfarm_artifact_v1_DownloadRequest, DownloadRequest__Output as _warpfarm_artifact_v1_DownloadRequest__Output } from './warpfarm/artifact/v1/DownloadRequest.ts';
import type { DownloadResponse as _warpfarm_artifact_v1_DownloadResponse, DownloadResponse__Output as _warpfarm_artifact_v1_DownloadResponse__Output } from './warpfarm/artifact/v1/DownloadResponse.ts';
import type { StatRequest as _warpfarm_artifact_v1_StatRequest, StatRequest__Output as _warpfarm_artifact_v1_StatRequest__Output } from './warpfarm/artifact/v1/StatRequest.ts';
import type { StatResponse as _warpfarm_artifact_v1_StatResponse, StatResponse__Output as _warpfarm_artifact_v1_StatResponse__Output } from './warpfarm/artifact/v1/StatResponse.ts';
import type { UploadRequest as _warpfarm_artifact_v1_UploadRequest, UploadRequest__Output as _warpfarm_artifact_v1_UploadRequest__Output } from './warpfarm/artifact/v1/UploadRequest.ts';
import type { UploadResponse as _warpfarm_artifact_v1_UploadResponse, UploadResponse__Output as _warpfarm_artifact_v1_UploadResponse__Output } from './warpfarm/artifact/v1/UploadResponse.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  warpfarm: {
    artifact: {
      v1: {
        ArtifactService: SubtypeConstructor<typeof grpc.Client, _warpfarm_artifact_v1_ArtifactServiceClient> & { service: _warpfarm_artifact_v1_ArtifactServiceDefinition }
        DownloadRequest: MessageTypeDefinition<_warpfarm_artifact_v1_DownloadRequest, _warpfarm_artifact_v1_DownloadRequest__Output>
        DownloadResponse: MessageTypeDefinition<_warpfarm_artifact_v1_DownloadResponse, _warpfarm_artifact_v1_DownloadResponse__Output>
        StatRequest: MessageTypeDefinition<_warpfarm_artifact_v1_StatRequest, _warpfarm_artifact_v1_StatRequest__Output>
        StatResponse: MessageTypeDefinition<_warpfarm_artifact_v1_StatResponse, _warpfarm_artifact_v1_StatResponse__Output>
        UploadRequest: MessageTypeDefinition<_warpfarm_artifact_v1_UploadRequest, _warpfarm_artifact_v1_UploadRequest__Output>
        UploadResponse: MessageTypeDefinition<_warpfarm_artifact_v1_UploadResponse, _warpfarm_artifact_v1_UploadResponse__Output>
      }
    }
  }
}

