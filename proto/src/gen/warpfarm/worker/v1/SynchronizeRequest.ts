// Original file: warpfarm/worker/v1/worker_service.proto

import type { FreeSlots as _warpfarm_worker_v1_FreeSlots, FreeSlots__Output as _warpfarm_worker_v1_FreeSlots__Output } from '../../../warpfarm/worker/v1/FreeSlots.ts';
import type { Outcome as _warpfarm_worker_v1_Outcome, Outcome__Output as _warpfarm_worker_v1_Outcome__Output } from '../../../warpfarm/worker/v1/Outcome.ts';
import type { Health as _warpfarm_worker_v1_Health, Health__Output as _warpfarm_worker_v1_Health__Output } from '../../../warpfarm/worker/v1/Health.ts';
import type { Long } from '@grpc/proto-loader';

export interface SynchronizeRequest {
  'worker_id'?: (string);
  'epoch'?: (number | string | Long);
  'sequence'?: (number | string | Long);
  'free'?: (_warpfarm_worker_v1_FreeSlots)[];
  'running_lease_ids'?: (string)[];
  'outcomes'?: (_warpfarm_worker_v1_Outcome)[];
  'health'?: (_warpfarm_worker_v1_Health | null);
  'cache_added'?: (string)[];
  'cache_dropped'?: (string)[];
  'report_only'?: (boolean);
  'leaving'?: (boolean);
  'secret'?: (Buffer | Uint8Array | string);
}

export interface SynchronizeRequest__Output {
  'worker_id': (string);
  'epoch': (number);
  'sequence': (number);
  'free': (_warpfarm_worker_v1_FreeSlots__Output)[];
  'running_lease_ids': (string)[];
  'outcomes': (_warpfarm_worker_v1_Outcome__Output)[];
  'health': (_warpfarm_worker_v1_Health__Output | null);
  'cache_added': (string)[];
  'cache_dropped': (string)[];
  'report_only': (boolean);
  'leaving': (boolean);
  'secret': (Buffer);
}
