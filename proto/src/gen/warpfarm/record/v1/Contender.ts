// Original file: warpfarm/record/v1/record_service.proto


export interface Contender {
  'record'?: (string);
  'seconds'?: (number | string);
  'measurements'?: (number);
}

export interface Contender__Output {
  'record': (string);
  'seconds': (number);
  'measurements': (number);
}
