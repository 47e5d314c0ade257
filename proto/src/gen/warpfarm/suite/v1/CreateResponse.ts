// Original file: warpfarm/suite/v1/suite_service.proto


export interface CreateResponse {
  'suite_id'?: (string);
}

export interface CreateResponse__Output {
  'suite_id': (string);
}
