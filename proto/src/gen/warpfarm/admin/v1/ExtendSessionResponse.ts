// Original file: warpfarm/admin/v1/admin_service.proto


export interface ExtendSessionResponse {
  'more_trials'?: (number);
}

export interface ExtendSessionResponse__Output {
  'more_trials': (number);
}
