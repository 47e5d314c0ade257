// Original file: warpfarm/suite/v1/suite_service.proto


export interface WatchRequest {
  'suite_id'?: (string);
}

export interface WatchRequest__Output {
  'suite_id': (string);
}
