// Original file: warpfarm/worker/v1/worker_service.proto

import type { DeviceFacts as _warpfarm_measure_v1_DeviceFacts, DeviceFacts__Output as _warpfarm_measure_v1_DeviceFacts__Output } from '../../../warpfarm/measure/v1/DeviceFacts.ts';
import type { Long } from '@grpc/proto-loader';

export interface RunnerDevice {
  'device'?: (number);
  'facts'?: (_warpfarm_measure_v1_DeviceFacts | null);
  'memory_bytes'?: (number | string | Long);
  'limits'?: ({[key: string]: number | string | Long});
}

export interface RunnerDevice__Output {
  'device': (number);
  'facts': (_warpfarm_measure_v1_DeviceFacts__Output | null);
  'memory_bytes': (number);
  'limits': ({[key: string]: number});
}
