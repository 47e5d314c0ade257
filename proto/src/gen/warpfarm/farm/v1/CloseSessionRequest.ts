// Original file: warpfarm/farm/v1/farm_service.proto


export interface CloseSessionRequest {
  'session_id'?: (string);
}

export interface CloseSessionRequest__Output {
  'session_id': (string);
}
