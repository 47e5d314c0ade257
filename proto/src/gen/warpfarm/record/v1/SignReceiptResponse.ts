// Original file: warpfarm/record/v1/record_service.proto


export interface SignReceiptResponse {
  'receipt'?: (string);
}

export interface SignReceiptResponse__Output {
  'receipt': (string);
}
