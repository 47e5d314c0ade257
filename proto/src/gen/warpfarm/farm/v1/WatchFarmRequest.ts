// Original file: warpfarm/farm/v1/farm_service.proto


export interface WatchFarmRequest {
}

export interface WatchFarmRequest__Output {
}
