// Original file: warpfarm/record/v1/record_service.proto


export interface QueryResponse {
  'records'?: (string)[];
  'next_cursor'?: (string);
  'waiting'?: (number);
}

export interface QueryResponse__Output {
  'records': (string)[];
  'next_cursor': (string);
  'waiting': (number);
}
