// Original file: warpfarm/worker/v1/worker_service.proto

import type { Replayed as _warpfarm_worker_v1_Replayed, Replayed__Output as _warpfarm_worker_v1_Replayed__Output } from '../../../warpfarm/worker/v1/Replayed.ts';

export interface ReplayOutcome {
  'replayed'?: (_warpfarm_worker_v1_Replayed | null);
  'refused'?: (string);
  'kind'?: "replayed"|"refused";
}

export interface ReplayOutcome__Output {
  'replayed'?: (_warpfarm_worker_v1_Replayed__Output | null);
  'refused'?: (string);
  'kind'?: "replayed"|"refused";
}
