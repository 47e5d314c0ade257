// Original file: warpfarm/suite/v1/suite_service.proto


export interface CancelRequest {
  'suite_id'?: (string);
}

export interface CancelRequest__Output {
  'suite_id': (string);
}
