// Original file: warpfarm/artifact/v1/artifact_service.proto


export interface DownloadResponse {
  'chunk'?: (Buffer | Uint8Array | string);
}

export interface DownloadResponse__Output {
  'chunk': (Buffer);
}
