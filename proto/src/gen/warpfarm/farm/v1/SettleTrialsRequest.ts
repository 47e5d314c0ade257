// Original file: warpfarm/farm/v1/farm_service.proto


export interface SettleTrialsRequest {
  'session_id'?: (string);
  'more_trials'?: (number);
}

export interface SettleTrialsRequest__Output {
  'session_id': (string);
  'more_trials': (number);
}
