// Original file: warpfarm/suite/v1/suite_service.proto


export interface CancelResponse {
}

export interface CancelResponse__Output {
}
