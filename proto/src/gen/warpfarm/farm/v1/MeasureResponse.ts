// Original file: warpfarm/farm/v1/farm_service.proto

import type { MeasureResult as _warpfarm_measure_v1_MeasureResult, MeasureResult__Output as _warpfarm_measure_v1_MeasureResult__Output } from '../../../warpfarm/measure/v1/MeasureResult.ts';
import type { Long } from '@grpc/proto-loader';

export interface _warpfarm_farm_v1_MeasureResponse_Accepted {
  'accepted_through'?: (number | string | Long);
}

export interface _warpfarm_farm_v1_MeasureResponse_Accepted__Output {
  'accepted_through': (number);
}

export interface _warpfarm_farm_v1_MeasureResponse_Control {
  'paused'?: (boolean);
  'more_trials'?: (number);
}

export interface _warpfarm_farm_v1_MeasureResponse_Control__Output {
  'paused': (boolean);
  'more_trials': (number);
}

export interface _warpfarm_farm_v1_MeasureResponse_Result {
  'sequence'?: (number | string | Long);
  'result'?: (_warpfarm_measure_v1_MeasureResult | null);
}

export interface _warpfarm_farm_v1_MeasureResponse_Result__Output {
  'sequence': (number);
  'result': (_warpfarm_measure_v1_MeasureResult__Output | null);
}

export interface MeasureResponse {
  'accepted'?: (_warpfarm_farm_v1_MeasureResponse_Accepted | null);
  'result'?: (_warpfarm_farm_v1_MeasureResponse_Result | null);
  'control'?: (_warpfarm_farm_v1_MeasureResponse_Control | null);
  'kind'?: "accepted"|"result"|"control";
}

export interface MeasureResponse__Output {
  'accepted'?: (_warpfarm_farm_v1_MeasureResponse_Accepted__Output | null);
  'result'?: (_warpfarm_farm_v1_MeasureResponse_Result__Output | null);
  'control'?: (_warpfarm_farm_v1_MeasureResponse_Control__Output | null);
  'kind'?: "accepted"|"result"|"control";
}
