// Original file: warpfarm/admin/v1/admin_service.proto


export interface ExtendSessionRequest {
  'session_id'?: (string);
  'trials'?: (number);
}

export interface ExtendSessionRequest__Output {
  'session_id': (string);
  'trials': (number);
}
