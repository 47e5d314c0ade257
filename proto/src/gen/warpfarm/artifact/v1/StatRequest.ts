// Original file: warpfarm/artifact/v1/artifact_service.proto


export interface StatRequest {
  'digests'?: (string)[];
}

export interface StatRequest__Output {
  'digests': (string)[];
}
