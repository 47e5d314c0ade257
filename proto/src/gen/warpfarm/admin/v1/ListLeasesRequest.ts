// Original file: warpfarm/admin/v1/admin_service.proto


export interface ListLeasesRequest {
}

export interface ListLeasesRequest__Output {
}
