// Original file: warpfarm/record/v1/record_service.proto


export interface AppendResponse {
  'added'?: (number);
  'existed'?: (number);
  'conflicts'?: (string)[];
}

export interface AppendResponse__Output {
  'added': (number);
  'existed': (number);
  'conflicts': (string)[];
}
