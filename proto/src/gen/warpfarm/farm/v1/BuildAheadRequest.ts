// Original file: warpfarm/farm/v1/farm_service.proto

import type { ProgramRef as _warpfarm_measure_v1_ProgramRef, ProgramRef__Output as _warpfarm_measure_v1_ProgramRef__Output } from '../../../warpfarm/measure/v1/ProgramRef.ts';

export interface BuildAheadRequest {
  'session_id'?: (string);
  'programs'?: (_warpfarm_measure_v1_ProgramRef)[];
}

export interface BuildAheadRequest__Output {
  'session_id': (string);
  'programs': (_warpfarm_measure_v1_ProgramRef__Output)[];
}
