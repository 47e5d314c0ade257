// Original file: warpfarm/admin/v1/admin_service.proto


export interface PauseSessionResponse {
  'waiting'?: (number);
  'running'?: (number);
}

export interface PauseSessionResponse__Output {
  'waiting': (number);
  'running': (number);
}
