// Original file: warpfarm/admin/v1/admin_service.proto


export interface PauseSessionRequest {
  'session_id'?: (string);
  'undo'?: (boolean);
}

export interface PauseSessionRequest__Output {
  'session_id': (string);
  'undo': (boolean);
}
