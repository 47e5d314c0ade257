// Original file: warpfarm/record/v1/record_service.proto


export interface AppendRequest {
  'records'?: (string)[];
}

export interface AppendRequest__Output {
  'records': (string)[];
}
