// Original file: warpfarm/record/v1/record_service.proto


export interface AppendResponse {
  'added'?: (number);
}

export interface AppendResponse__Output {
  'added': (number);
}
