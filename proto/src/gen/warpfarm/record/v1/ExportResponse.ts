// Original file: warpfarm/record/v1/record_service.proto


export interface ExportResponse {
  'records'?: (string)[];
  'waiting'?: (number);
}

export interface ExportResponse__Output {
  'records': (string)[];
  'waiting': (number);
}
