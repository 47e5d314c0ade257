// Original file: warpfarm/worker/v1/worker_service.proto

import type { RunnerDevice as _warpfarm_worker_v1_RunnerDevice, RunnerDevice__Output as _warpfarm_worker_v1_RunnerDevice__Output } from '../../../warpfarm/worker/v1/RunnerDevice.ts';

export interface RunnerFacts {
  'devices'?: (_warpfarm_worker_v1_RunnerDevice)[];
  'manifest_versions'?: (number)[];
}

export interface RunnerFacts__Output {
  'devices': (_warpfarm_worker_v1_RunnerDevice__Output)[];
  'manifest_versions': (number)[];
}
