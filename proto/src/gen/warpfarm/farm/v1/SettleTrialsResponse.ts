// Original file: warpfarm/farm/v1/farm_service.proto


export interface SettleTrialsResponse {
  'more_trials'?: (number);
}

export interface SettleTrialsResponse__Output {
  'more_trials': (number);
}
