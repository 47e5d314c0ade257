// Original file: warpfarm/farm/v1/farm_service.proto


export interface ListNodesRequest {
}

export interface ListNodesRequest__Output {
}
