// Original file: warpfarm/worker/v1/worker_service.proto

import type { OwnCheck as _warpfarm_worker_v1_OwnCheck, OwnCheck__Output as _warpfarm_worker_v1_OwnCheck__Output } from '../../../warpfarm/worker/v1/OwnCheck.ts';

export interface Health {
  'trouble'?: (string);
  'checks'?: (_warpfarm_worker_v1_OwnCheck)[];
}

export interface Health__Output {
  'trouble': (string);
  'checks': (_warpfarm_worker_v1_OwnCheck__Output)[];
}
