// Original file: warpfarm/farm/v1/farm_service.proto

import type { FarmSnapshot as _warpfarm_farm_v1_FarmSnapshot, FarmSnapshot__Output as _warpfarm_farm_v1_FarmSnapshot__Output } from '../../../warpfarm/farm/v1/FarmSnapshot.ts';

export interface ListNodesResponse {
  'snapshot'?: (_warpfarm_farm_v1_FarmSnapshot | null);
}

export interface ListNodesResponse__Output {
  'snapshot': (_warpfarm_farm_v1_FarmSnapshot__Output | null);
}
