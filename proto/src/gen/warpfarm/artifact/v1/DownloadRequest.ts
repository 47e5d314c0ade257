// Original file: warpfarm/artifact/v1/artifact_service.proto


export interface DownloadRequest {
  'digest'?: (string);
}

export interface DownloadRequest__Output {
  'digest': (string);
}
