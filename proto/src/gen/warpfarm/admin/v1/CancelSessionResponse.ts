// Original file: warpfarm/admin/v1/admin_service.proto


export interface CancelSessionResponse {
  'stopped'?: (number);
  'dropped'?: (number);
}

export interface CancelSessionResponse__Output {
  'stopped': (number);
  'dropped': (number);
}
