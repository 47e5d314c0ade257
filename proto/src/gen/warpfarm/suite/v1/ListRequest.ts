// Original file: warpfarm/suite/v1/suite_service.proto


export interface ListRequest {
}

export interface ListRequest__Output {
}
