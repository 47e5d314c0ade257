// Original file: warpfarm/suite/v1/suite_service.proto


export interface ClaimRequest {
  'worker'?: (string);
  'limit'?: (number);
  'templates'?: (string)[];
}

export interface ClaimRequest__Output {
  'worker': (string);
  'limit': (number);
  'templates': (string)[];
}
