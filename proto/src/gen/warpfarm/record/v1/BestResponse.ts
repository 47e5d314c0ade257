// Original file: warpfarm/record/v1/record_service.proto

import type { Best as _warpfarm_record_v1_Best, Best__Output as _warpfarm_record_v1_Best__Output } from '../../../warpfarm/record/v1/Best.ts';

export interface BestResponse {
  'best'?: (_warpfarm_record_v1_Best)[];
  'waiting'?: (number);
}

export interface BestResponse__Output {
  'best': (_warpfarm_record_v1_Best__Output)[];
  'waiting': (number);
}
