// Original file: warpfarm/artifact/v1/artifact_service.proto


export interface UploadResponse {
  'stored'?: (boolean);
}

export interface UploadResponse__Output {
  'stored': (boolean);
}
