// Original file: warpfarm/farm/v1/farm_service.proto

import type { MeasureResult as _warpfarm_measure_v1_MeasureResult, MeasureResult__Output as _warpfarm_measure_v1_MeasureResult__Output } from '../../../warpfarm/measure/v1/MeasureResult.ts';

export interface _warpfarm_farm_v1_BuildAheadResponse_Build {
  'waiting'?: (_warpfarm_farm_v1_BuildAheadResponse_Waiting | null);
  'manifest'?: (Buffer | Uint8Array | string);
  'failed'?: (_warpfarm_measure_v1_MeasureResult | null);
  'state'?: "waiting"|"manifest"|"failed";
}

export interface _warpfarm_farm_v1_BuildAheadResponse_Build__Output {
  'waiting'?: (_warpfarm_farm_v1_BuildAheadResponse_Waiting__Output | null);
  'manifest'?: (Buffer);
  'failed'?: (_warpfarm_measure_v1_MeasureResult__Output | null);
  'state'?: "waiting"|"manifest"|"failed";
}

export interface _warpfarm_farm_v1_BuildAheadResponse_Waiting {
}

export interface _warpfarm_farm_v1_BuildAheadResponse_Waiting__Output {
}

export interface BuildAheadResponse {
  'builds'?: (_warpfarm_farm_v1_BuildAheadResponse_Build)[];
}

export interface BuildAheadResponse__Output {
  'builds': (_warpfarm_farm_v1_BuildAheadResponse_Build__Output)[];
}
