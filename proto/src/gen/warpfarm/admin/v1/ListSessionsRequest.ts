// Original file: warpfarm/admin/v1/admin_service.proto


export interface ListSessionsRequest {
}

export interface ListSessionsRequest__Output {
}
