// Original file: warpfarm/record/v1/record_service.proto


export interface SignReceiptRequest {
  'record'?: (string);
  'without_documents'?: (boolean);
}

export interface SignReceiptRequest__Output {
  'record': (string);
  'without_documents': (boolean);
}
