// Original file: warpfarm/farm/v1/farm_service.proto

import type { DeviceFacts as _warpfarm_measure_v1_DeviceFacts, DeviceFacts__Output as _warpfarm_measure_v1_DeviceFacts__Output } from '../../../warpfarm/measure/v1/DeviceFacts.ts';
import type { Long } from '@grpc/proto-loader';

export interface Device {
  'facts'?: (_warpfarm_measure_v1_DeviceFacts | null);
  'memory_bytes'?: (number | string | Long);
  'busy'?: (boolean);
  'limits'?: ({[key: string]: number | string | Long});
}

export interface Device__Output {
  'facts': (_warpfarm_measure_v1_DeviceFacts__Output | null);
  'memory_bytes': (number);
  'busy': (boolean);
  'limits': ({[key: string]: number});
}
