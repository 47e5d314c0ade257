// Original file: warpfarm/admin/v1/admin_service.proto


export interface CancelSessionRequest {
  'session_id'?: (string);
  'reason'?: (string);
}

export interface CancelSessionRequest__Output {
  'session_id': (string);
  'reason': (string);
}
