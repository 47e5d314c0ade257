// Original file: warpfarm/record/v1/record_service.proto


export interface ExportResponse {
  'records'?: (string)[];
}

export interface ExportResponse__Output {
  'records': (string)[];
}
