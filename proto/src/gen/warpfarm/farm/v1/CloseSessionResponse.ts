// Original file: warpfarm/farm/v1/farm_service.proto


export interface CloseSessionResponse {
}

export interface CloseSessionResponse__Output {
}
