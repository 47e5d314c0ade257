// Original file: warpfarm/record/v1/record_service.proto


export interface ListReceiptKeysRequest {
}

export interface ListReceiptKeysRequest__Output {
}
